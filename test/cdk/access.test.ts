import { describe, expect, it } from "vitest";
import {
  ACCESS,
  ACTIONS,
  type ActionKind,
  type DeployedFunctionName,
  HISTORY_ACCESS,
  HISTORY_PARTITIONS,
  type HistoryPartition,
  PARTITIONS,
  type Partition,
} from "../../cdk/access.ts";
import { ENVIRONMENT_NAMES } from "../../cdk/environments.ts";
import type { Route } from "../../src/api/route.ts";
import { openApi } from "../../src/contract/openapi.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import { parseCidr } from "../../src/net/cidr.ts";
import * as key from "../../src/table/key.ts";
import { decide, type Statement } from "../../twin/iam.ts";
import { FUNCTIONS, SCHEDULED_FUNCTIONS, templates } from "./templates.ts";

/** The part of the OpenAPI document that tells the parameters and the bodies of routes. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: object }>>;
  };
}

interface Operation {
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
}

const TABLE = "arn:aws:dynamodb:eu-central-1:123456789012:table/plat";
const HISTORY = "arn:aws:dynamodb:eu-central-1:123456789012:table/history";
const LOGS = ["logs:CreateLogStream", "logs:PutLogEvents"];
const DEAD_LETTERS = ["sqs:SendMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl"];
const RECEIVES = [
  "sqs:ReceiveMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:GetQueueUrl",
  "sqs:DeleteMessage",
  "sqs:GetQueueAttributes",
];

const PUTS = ["events:PutEvents", "s3:PutObject", ...DEAD_LETTERS];

/** Returns the ARN behind an export of another stack. */
const importedArn = (name: string): string =>
  name.includes("History")
    ? HISTORY
    : name.includes("-trail:")
      ? name
      : name.includes("StreamArn")
        ? `${TABLE}/stream/now`
        : TABLE;

const READS_MARKER = ["ssm:GetParameter"];
const MOVES = ["ssm:PutParameter"];

const cidr = parseCidr("10.0.0.0/26");
if (!cidr.ok) throw new Error(cidr.problem);
const block = cidr.value;
const host = hostId("host", "SPACES");
const allocation = { space: "SPACE", handleHash: "HANDLE", id: "id", keyed: false };

/** An intrinsic function in place of a value in a template. */
interface Intrinsics {
  readonly "Fn::Join"?: readonly [string, readonly unknown[]];
  readonly "Fn::GetAtt"?: readonly string[];
}

/** A partition key of each kind, in a space and with names that are also names of partitions. */
const KEYS: Readonly<Record<Partition, string>> = {
  BLOCK: key.blockKey("SPACE", block).pk,
  BUDGET: key.requestRateKey("SPACE", "BLOCK").pk,
  FULLPOOLS: key.fullPoolsPk("SPACES"),
  USAGE: key.poolUsagesPk("SPACES"),
  HANDLE: key.allocationKey(allocation).pk,
  HOST: key.hostPk("BLOCK", host),
  INDEX: key.indexPk({ space: "HANDLE", attribute: "NODE", valueHash: "00" }, 0),
  JOBS: key.JOBS_PK,
  MACHINE: key.machinePk("NODE"),
  QUOTA: key.quotaSlotPk("HOST", "JOBS"),
  APPLICATIONS: key.applicationsPk("NODES"),
  NAMESPACE: key.namespacesPk("NODES"),
  NODE: key.nodeLifePk("MACHINE", "n1"),
  NODES: key.nodesPk("NAMESPACE"),
  STATED: key.statedPk("NODES"),
  PLAN: key.planKey("TABLE").pk,
  GROUPINDEX: key.blockGroupIndexPk("SPACE", "id"),
  SPACE: key.spacePk("S"),
  SPACES: key.SPACES_PK,
  SWEEP: key.progressKey(0).pk,
  TABLE: key.TABLE_KEY.pk,
  VERSION: key.versionKey("SPACES").pk,
};
const PARTITION_NAMES = Object.keys(PARTITIONS) as Partition[];

describe.each(ENVIRONMENT_NAMES)("the rights of the functions in %s", (environment) => {
  const template = templates[environment].stateless;

  it.each(FUNCTIONS)(
    "%s may do to each partition what `cdk/access.ts` says, and no more",
    (name) => {
      const access = ACCESS[name];
      const statements = statementsOf(name);
      for (const [kind, action] of Object.entries(ACTIONS))
        for (const partition of PARTITION_NAMES)
          expect(
            decide(statements, {
              action,
              resource: TABLE,
              context: { "dynamodb:LeadingKeys": [KEYS[partition]] },
            }),
            `${action} ${partition}`,
          ).toBe(
            access?.[kind as keyof typeof ACTIONS]?.includes(partition) ? "allowed" : "not allowed",
          );
    },
  );

  it.each(FUNCTIONS)("%s may walk the table and ask the index only if it says so", (name) => {
    const statements = statementsOf(name);
    const may = (action: string, resource: string) => decide(statements, { action, resource });
    expect(may("dynamodb:Scan", TABLE)).toBe(ACCESS[name]?.scan ? "allowed" : "not allowed");
    expect(may("dynamodb:Query", `${TABLE}/index/due`)).toBe(
      ACCESS[name]?.due ? "allowed" : "not allowed",
    );
    expect(may("dynamodb:Scan", `${TABLE}/index/due`)).toBe("not allowed");
    for (const action of ["BatchGetItem", "BatchWriteItem", "PartiQLSelect", "DeleteTable"])
      expect(may(`dynamodb:${action}`, TABLE)).toBe("not allowed");
  });

  it.each(FUNCTIONS)(
    "%s may do to each partition of the history what `cdk/access.ts` says, and no more",
    (name) => {
      const statements = statementsOf(name);
      for (const [kind, action] of Object.entries(ACTIONS))
        for (const partition of Object.keys(HISTORY_PARTITIONS) as HistoryPartition[])
          expect(
            decide(statements, {
              action,
              resource: HISTORY,
              context: { "dynamodb:LeadingKeys": [`${partition}#HANDLE`] },
            }),
            `${action} ${partition}`,
          ).toBe(
            HISTORY_ACCESS[name as DeployedFunctionName]?.[kind as ActionKind]?.includes(partition)
              ? "allowed"
              : "not allowed",
          );
    },
  );

  it.each(FUNCTIONS)("%s may ask which table it has if it may write", (name) => {
    const { put, update, delete: remove } = ACCESS[name] ?? {};
    const asked = { action: "dynamodb:DescribeTable", resource: TABLE };
    expect(decide(statementsOf(name), asked)).toBe(
      put || update || remove ? "allowed" : "not allowed",
    );
  });

  it.each(FUNCTIONS)(
    "%s may beside that write its own log, a scheduled run its dead letters, intake receive from its queue, what may write the first item of a table read the marker, repair move it, and publish put what it publishes",
    (name) => {
      const others = statementsOf(name)
        .flatMap(({ Action }) => [Action ?? []].flat())
        .filter((action) => !action.startsWith("dynamodb:"));
      const isScheduledRun = SCHEDULED_FUNCTIONS.some((scheduledRun) => scheduledRun === name);
      const receives =
        name === "intake" ? RECEIVES : name === "publish" ? PUTS : name === "repair" ? MOVES : [];
      const opens = ACCESS[name]?.put?.includes("TABLE") === true;
      const expected = [
        ...LOGS,
        ...(isScheduledRun ? DEAD_LETTERS : []),
        ...receives,
        ...(opens ? READS_MARKER : []),
      ];
      expect(others.sort()).toEqual(expected.sort());
    },
  );

  /** Returns the statements of a function's role with the ARN of the table. References to other resources stay. */
  function statementsOf(name: string): Statement[] {
    const [policy] = Object.entries(template.findResources("AWS::IAM::Policy"))
      .filter(([id]) => id.startsWith(`${name}RoleDefaultPolicy`))
      .map(([, { Properties }]) => Properties.PolicyDocument.Statement);
    const filledIn = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null) return value;
      if (Array.isArray(value)) return value.map(filledIn);
      const { "Fn::Join": joined, "Fn::GetAtt": attribute } = value as Intrinsics;
      if ("Fn::ImportValue" in value) return importedArn(String(value["Fn::ImportValue"]));
      if (joined) return joined[1].map(filledIn).join("");
      if (attribute) return attribute.join(".");
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledIn(one)]));
    };
    return filledIn(policy) as Statement[];
  }
});

it("survey and repair alone may scan", () => {
  expect(FUNCTIONS.filter((name) => ACCESS[name]?.scan)).toEqual(["survey", "repair"]);
});

it("amend may not delete, and what only reads may not write", () => {
  expect(ACCESS.amend?.delete).toBeUndefined();
  for (const name of ["read", "survey"] as const)
    for (const kind of ["put", "update", "delete"] as const)
      expect(ACCESS[name]?.[kind]).toBeUndefined();
});

/** What functions only write, and what no dry run of them writes. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  // `src/netbox/plat.ts` leaves out of its dry runs what a request writes beside its addresses.
  netbox: ["FULLPOOLS", "INDEX", "QUOTA"],
};

it("what carries out dry runs may read whatever it may write", () => {
  const { paths, components } = openApi() as Described;
  const bodies = Object.entries(components.schemas).flatMap(([name, { properties = {} }]) =>
    "dryRun" in properties ? [`"#/components/schemas/${name}"`] : [],
  );
  const isDry = ({ method, path }: Route) => {
    const { parameters, requestBody } = paths[path]?.[method.toLowerCase()] ?? {};
    const told = JSON.stringify({ parameters, requestBody });
    return ['"dryRun"', ...bodies].some((each) => told.includes(each));
  };
  const names = new Set(ROUTES.filter(isDry).map((route) => route.function));
  expect([...names].sort()).toEqual(["applications", "assign", "configure", "nodes", "register"]);
  // NetBox's dialect has no field for it, and tries each write first.
  for (const name of [...names, "netbox"] as const) {
    const { get = [], put = [], update = [], delete: remove = [] } = ACCESS[name] ?? {};
    const read = [...get, ...(BESIDE[name] ?? [])];
    const unread = [...put, ...update, ...remove].filter((each) => !read.includes(each));
    expect(unread, name).toEqual([]);
  }
});
