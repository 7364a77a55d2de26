import { App } from "aws-cdk-lib";
import { contextKey, readDeployment } from "../../cdk/deployment.ts";
import type { EnvironmentName } from "../../cdk/environments.ts";
import { type PlatStage, stageOfContext } from "../../cdk/stage.ts";
import { UsageError } from "../../src/local/usage-error.ts";
import type { Settings } from "../../twin/assembly.ts";

/** Callers with JSON Web Tokens of one issuer. */
export const ACCESS_BY_JWT = {
  type: "jwt",
  issuer: "https://login.example.com",
  audience: ["plat"],
  rolesClaim: "plat_roles",
  tenantClaim: "plat_tenant",
};

/** Callers with tokens, whose hashes are in a secret. */
export const ACCESS_BY_TOKEN = { type: "token", secret: "plat/tokens" };

/** A console whose users sign in at an issuer. */
export const CONSOLE_AT_ISSUER = {
  clientId: "plat-console",
  scope: "openid",
  origins: ["https://auth.example.com"],
};

/** A domain name with a record in a hosted zone. */
export const DOMAIN = {
  name: "plat.example.com",
  certificateArn:
    "arn:aws:acm:eu-central-1:123456789012:certificate/12345678-1234-1234-1234-123456789012",
  hostedZoneId: "Z0123456789ABCDEFGHIJ",
};
const { hostedZoneId: _, ...DOMAIN_ELSEWHERE } = DOMAIN;

/** Settings with a name for the reports of tests. */
export interface Chosen {
  readonly name: string;
  readonly environment: EnvironmentName;
  readonly settings: Settings;
}

/** Returns the stage of an environment with these settings, without bundles. */
export function stageOf({ environment, settings }: Chosen): PlatStage {
  const context = { "aws:cdk:bundling-stacks": [], [contextKey(environment)]: settings };
  return stageOfContext(new App({ context }), environment);
}

/** A private REST API with all that it can have. */
export const PRIVATE_API = {
  type: "private",
  vpcEndpointIds: ["vpce-0a1b2c3d4e5f67890", "vpce-0123456789abcdef0"],
  webAcl: "block",
  usagePlans: [
    {
      name: "teams",
      keys: ["ci", "lab"],
      throttle: { rateLimit: 50, burstLimit: 100 },
      routes: { "POST /v1/assign": { rateLimit: 20, burstLimit: 40 } },
      quota: { limit: 100_000, period: "DAY" },
    },
  ],
};
/** A private REST API with no more than it must have. */
export const PRIVATE_API_ONLY = { type: "private", vpcEndpointIds: ["vpce-0a1b2c3d4e5f67890"] };

/** Further Regions, two ways: one with a witness, and two without. */
const WITNESSED = { replicas: ["eu-west-1"], witness: "eu-west-3", active: "eu-west-1" };
const THREE = { replicas: ["eu-west-1", "eu-west-3"], active: "eu-central-1" };
const HOME = { account: "123456789012", region: "eu-central-1" };

/** Returns the values of one setting; `undefined` leaves it out. */
const valuesOf = (setting: string, ...values: readonly unknown[]): readonly Settings[] =>
  [undefined, ...values].map((value) => (value === undefined ? {} : { [setting]: value }));

/**
 * All that an environment can choose, with the settings of each value. A value that is only another spelling of the
 * default is left out. The account and the Region are no choice: an environment without them is never deployed.
 */
const CHOICES: Readonly<Record<string, readonly Settings[]>> = {
  environment: [{ environment: "dev" }, { environment: "prod" }],
  access: valuesOf("access", ACCESS_BY_JWT, ACCESS_BY_TOKEN),
  api: valuesOf("api", PRIVATE_API, PRIVATE_API_ONLY, { ...PRIVATE_API_ONLY, webAcl: "count" }),
  domain: valuesOf("domain", DOMAIN, DOMAIN_ELSEWHERE),
  // Users of a console by JSON Web Tokens need a client of the issuer, so that console is a pair of settings.
  console: valuesOf("console", {}),
  // A table that there is, whose stream no template has.
  table: valuesOf("tableName", "plat-restored"),
  // The active Region is the first one, whose stream the templates have, or another.
  regions: [{}, { ...HOME, regions: THREE }, { ...HOME, regions: WITNESSED }],
  customerManagedKey: valuesOf("customerManagedKey", true),
  rollout: valuesOf("rollout", "canary"),
  publicHealth: valuesOf("publicHealth", true),
  tracing: valuesOf("tracing", "xray"),
  probe: valuesOf("probe", true),
  trailLock: valuesOf(
    "trailLock",
    { mode: "compliance", days: 400 },
    { mode: "governance", days: 30 },
  ),
  lambdaConcurrency: valuesOf("lambdaConcurrency", 200),
  shardsPerSchedule: valuesOf("shardsPerSchedule", 1),
  dashboard: valuesOf("dashboard", true),
  alarms: valuesOf("alarms", "all"),
  spaces: valuesOf("spaces", ["blue", "red"]),
};

/** The settings that some value of a choice has. */
export const CHOSEN_SETTINGS: ReadonlySet<string> = new Set(
  Object.values(CHOICES).flatMap((values) => values.flatMap((value) => Object.keys(value))),
);

const settingsOf = (row: Row<Settings>): Settings => Object.assign({}, ...Object.values(row));

/** Returns true if an environment can have these choices together. */
function isPossible(row: Row<Settings>): boolean {
  const { environment: _, ...settings } = settingsOf(row);
  try {
    readDeployment("dev", settings);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** Returns the pairs of values that an environment cannot have together, by the names of their choices. */
export const impossiblePairs = (): readonly string[] => [
  ...new Set(
    Object.entries(CHOICES).flatMap(([a, values], at) =>
      Object.entries(CHOICES)
        .slice(at + 1)
        .flatMap(([b, others]) =>
          values.flatMap((value) =>
            others.flatMap((other) =>
              isPossible({ [a]: value, [b]: other }) ? [] : [`${nameOf(value)} | ${nameOf(other)}`],
            ),
          ),
        ),
    ),
  ),
];

/** Returns the choices such that every possible pair of their values occurs at least once. */
export const everyPair = (): readonly Chosen[] =>
  coveringRows(CHOICES, isPossible).map((row) => {
    const { environment, ...settings } = settingsOf(row);
    return {
      name: Object.values(row)
        .map(nameOf)
        .filter((name) => name !== "")
        .join(", "),
      environment: environment as EnvironmentName,
      settings,
    };
  });

/** One value of each choice, by its name. */
type Row<Value> = Readonly<Record<string, Value>>;

/**
 * Returns rows in which every pair of values of two choices occurs at least once, if a row can have it. A choice must have
 * a value that each row can have.
 *
 * @param isPossible says whether a row, or a part of one, is possible
 */
export function coveringRows<Value>(
  choices: Readonly<Record<string, readonly Value[]>>,
  isPossible: (row: Row<Value>) => boolean = () => true,
): readonly Row<Value>[] {
  const names = Object.keys(choices);
  const indexes = (name: string) => [...(choices[name] ?? []).keys()];
  const pairOf = (a: string, i: number, b: string, j: number) => `${a}=${i} ${b}=${j}`;
  const valuesIn = (row: ReadonlyMap<string, number>): Row<Value> =>
    Object.fromEntries([...row].map(([name, index]) => [name, choices[name]?.[index] as Value]));
  const partOf = (pair: string) =>
    new Map([...pair.matchAll(/(\S+)=(\d+)/g)].map(([, name = "", n]) => [name, Number(n)]));
  const open = new Set(
    names
      .flatMap((a, at) =>
        names
          .slice(at + 1)
          .flatMap((b) => indexes(a).flatMap((i) => indexes(b).map((j) => pairOf(a, i, b, j)))),
      )
      .filter((pair) => isPossible(valuesIn(partOf(pair)))),
  );
  const rows: Row<Value>[] = [];
  while (open.size > 0) {
    const [first = ""] = open;
    const row = partOf(first);
    const gain = (name: string, index: number) =>
      [...row].filter(
        ([other, chosen]) =>
          open.has(pairOf(name, index, other, chosen)) ||
          open.has(pairOf(other, chosen, name, index)),
      ).length;
    for (const name of names.filter((one) => !row.has(one))) {
      const [best] = indexes(name)
        .filter((index) => isPossible(valuesIn(new Map(row).set(name, index))))
        .sort((a, b) => gain(name, b) - gain(name, a));
      if (best === undefined) throw new Error(`no value of ${name} is possible beside the others`);
      row.set(name, best);
    }
    for (const [a, i] of row) for (const [b, j] of row) open.delete(pairOf(a, i, b, j));
    rows.push(valuesIn(row));
  }
  return rows;
}

/** Returns the name of a value: its settings, each with its value or the fields of it. */
const nameOf = (value: Settings): string =>
  Object.entries(value)
    .filter(([setting]) => !(setting in HOME))
    .map(([setting, chosen]) => `${setting} ${valueName(chosen)}`)
    .join(" ");

function valueName(value: unknown): string {
  // Of an ARN the Region is enough.
  if (typeof value === "string" && value.startsWith("arn:")) return value.split(":")[3] ?? "";
  if (typeof value !== "object" || value === null) return `${value}`;
  const { type, mode, webAcl, ...others } = value as Readonly<Record<string, string>>;
  const named = [type, mode, webAcl].filter((each) => each !== undefined);
  return [...named, ...(Array.isArray(value) ? value : Object.keys(others))].join("+");
}
