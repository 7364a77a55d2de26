import { App, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type * as v from "valibot";
import { describe, expect, it } from "vitest";
import { ACCESS } from "../../cdk/access.ts";
import type { deployment } from "../../cdk/deployment.ts";
import { PlatEnvironment, type PlatEnvironmentProps, PlatPool } from "../../cdk/index.ts";
import { stageOf } from "./choices.ts";
import { templates } from "./templates.ts";

/** The flags with which `cdk init` begins an app, as far as they change a template of Plat. */
const INIT = {
  "@aws-cdk/core:defaultCrossStackReferences": "weak",
  "@aws-cdk/aws-iam:minimizePolicies": true,
};

/** The types whose policies the CDK may write with fewer statements. */
const MERGED = new Set([
  "AWS::IAM::Policy",
  "AWS::SQS::QueuePolicy",
  "AWS::SNS::TopicPolicy",
  "AWS::S3::BucketPolicy",
  "AWS::KMS::Key",
]);

const newStack = (flags: object = {}) =>
  new Stack(new App({ context: { "aws:cdk:bundling-stacks": [], ...flags } }), "shop-ipam");

function environment(props?: PlatEnvironmentProps, flags?: object) {
  const stack = newStack(flags);
  const plat = new PlatEnvironment(stack, "Ipam", props);
  return { stack, plat, template: () => Template.fromStack(stack) };
}

/** The template of an environment without properties and flags. */
const bare = environment().template();

/** Counts the resources of each type. */
function counted(...all: readonly Template[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const template of all)
    for (const { Type } of Object.values<{ Type: string }>(template.toJSON().Resources))
      counts[Type] = (counts[Type] ?? 0) + 1;
  return counts;
}

/** The settings of a deployment are those of the construct, but for those of stages. */
type Settings = Omit<
  v.InferInput<typeof deployment>,
  "account" | "region" | "regions" | "tableName" | "customerManagedKey" | "spaces" | "api"
>;
type Of<Props> = Pick<Required<Props>, keyof Props & keyof Settings>;
({}) as Of<PlatEnvironmentProps> satisfies Partial<Settings>;
({}) as Record<keyof Settings, never> satisfies Record<keyof Of<PlatEnvironmentProps>, never>;

describe("an environment in a stack of somebody else", () => {
  it.each(["dev", "prod"] as const)("has what the stacks of %s have", (protection) => {
    const { template } = environment({ protection });
    const { "AWS::IAM::ManagedPolicy": _, ...expected } = counted(
      ...Object.values(templates[protection]),
    );
    expect(counted(template())).toEqual(expected);
  });

  it("keeps the table unless it is for development", () => {
    const table = { DeletionPolicy: "Retain" };
    bare.hasResource("AWS::DynamoDB::GlobalTable", table);
    environment({ protection: "dev" })
      .template()
      .hasResource("AWS::DynamoDB::GlobalTable", { DeletionPolicy: "Delete" });
  });

  it("has a mark of its table with a name and a life of its own, so that no other id makes a second table", () => {
    const marks = (["Ipam", "Other"] as const).map((id) => {
      const stack = newStack();
      new PlatEnvironment(stack, id);
      return Object.values(Template.fromStack(stack).findResources("AWS::SSM::Parameter"));
    });
    for (const mark of marks)
      expect(mark).toEqual([
        expect.objectContaining({
          Properties: expect.objectContaining({ Name: "shop-ipam-table-mark", Value: "0" }),
          // A first deployment that fails takes it away again.
          DeletionPolicy: "RetainExceptOnCreate",
        }),
      ]);
    environment({ protection: "dev" })
      .template()
      .hasResource("AWS::SSM::Parameter", { DeletionPolicy: "Delete" });
  });

  it("lets each function that may write the first item of a table read the mark, and one write it", () => {
    const { Resources } = environment().template().toJSON();
    const told = Object.entries<{ Type: string; Properties: Record<string, never> }>(Resources)
      .filter(([, { Type }]) => Type === "AWS::Lambda::Function")
      .filter(([, { Properties }]) => JSON.stringify(Properties).includes("MARKER_PARAMETER"))
      .map(([id]) => /Service(\w+)Function/.exec(id)?.[1])
      .sort();
    const opening = Object.entries(ACCESS).filter(([, access]) => access?.put?.includes("TABLE"));
    const chosen = ["netbox", "probe"];
    expect(told).toEqual(
      opening
        .map(([name]) => name)
        .filter((name) => !chosen.includes(name))
        .sort(),
    );
    expect(JSON.stringify(Resources).match(/ssm:GetParameter/g)).toHaveLength(told.length);
    expect(JSON.stringify(Resources).match(/ssm:PutParameter/g)).toHaveLength(1);
  });

  it("has the same resources whatever flags an app begins with; only statements of policies are merged", () => {
    const without = ({ Resources }: Record<string, object>) =>
      Object.entries(Resources ?? {}).filter(([, { Type }]) => !MERGED.has(Type));
    const flagged = environment({}, INIT).template().toJSON();
    expect(without(flagged)).toEqual(without(bare.toJSON()));
    expect(Object.keys(flagged.Resources)).toEqual(Object.keys(bare.toJSON().Resources));
  });

  it("has one dashboard if it is asked for, and no output", () => {
    bare.resourceCountIs("AWS::CloudWatch::Dashboard", 0);
    expect(bare.toJSON().Outputs).toBeUndefined();
  });

  it("is the only one of its stack", () => {
    const { stack } = environment();
    expect(() => new PlatEnvironment(stack, "Other")).toThrow(
      "The stack shop-ipam has an environment of Plat already, shop-ipam/Ipam. Give shop-ipam/Other a stack of its own",
    );
  });

  it.each<[object, string]>([
    [{ protection: "test" }, 'shop-ipam/Ipam: protection is "test"; it must be "dev" or "prod"'],
    [
      { access: { type: "basic" } },
      '{"access":{"type":"basic"}} is wrong: access.type must be "iam", "jwt" or "token"',
    ],
    [{ lambdaConcurrency: 0 }, "lambdaConcurrency"],
    [{ rollout: "slow" }, "rollout must be at-once or canary"],
    [{ spread: 1 }, "spread"],
    [{ api: { type: "http" } }, "api is no property of an environment in one stack"],
  ])("names the property that is wrong: %j", (props, sentence) => {
    expect(() => environment(props as PlatEnvironmentProps)).toThrow(sentence);
  });
});

describe("a grant", () => {
  const granted = (give: (plat: PlatEnvironment, role: Role) => unknown) => {
    const { stack, plat, template } = environment();
    const role = new Role(stack, "Caller", {
      assumedBy: new ServicePrincipal("ec2.amazonaws.com"),
    });
    give(plat, role);
    const policies = Object.entries(template().findResources("AWS::IAM::Policy"));
    return JSON.stringify(policies.filter(([id]) => id.startsWith("Caller")));
  };

  it("of reads in a space names its paths, and no other", () => {
    const policy = granted((plat, role) => plat.grantRead(role, { space: "blue" }));
    expect(policy).toContain("/$default/GET/v1/spaces/blue/*");
    expect(policy).not.toContain("POST");
    expect(policy).not.toMatch(/GET\/\*/);
  });

  it("of assigns lets the caller assign in every space", () => {
    expect(granted((plat, role) => plat.grantAssign(role))).toContain("POST/v1*/assign");
  });

  it("of a cluster lets it tell of its nodes and register namespaces, and change no pool", () => {
    const policy = granted((plat, role) => plat.grantCluster(role, { space: "blue" }));
    expect(policy).toContain("POST/v1/spaces/blue/nodes/complete");
    expect(policy).toContain("PUT/v1/spaces/blue/namespaces/*");
    expect(policy).not.toContain("pools");
  });

  it("names a space as the API does", () => {
    expect(() => granted((plat, role) => plat.grantOperate(role, { space: "a b" }))).toThrow(
      'the space "a b" is wrong: space must be a DNS label',
    );
  });

  it("is refused where callers bring tokens", () => {
    const { stack, plat } = environment({ access: { type: "token", secret: "plat/tokens" } });
    const role = new Role(stack, "Caller", {
      assumedBy: new ServicePrincipal("ec2.amazonaws.com"),
    });
    expect(() => plat.grantRead(role)).toThrow('access is "token"');
  });
});

it("an environment gives its API to pools of the same stack", () => {
  const { stack, plat, template } = environment();
  new PlatPool(stack, "Lan", { api: plat.api("blue"), cidr: "10.1.0.0/24" });
  expect(plat.api("blue")).toBe(plat.api("blue"));
  template().hasResourceProperties("Custom::PlatPool", { Space: "blue", ApiId: Match.absent() });
});

describe("logical ids of what keeps data, and of the API", () => {
  // CloudFormation replaces a resource whose id changes: an empty table, or another URL. A change here is a major version.
  const FROZEN = [
    "AWS::DynamoDB::GlobalTable",
    "AWS::S3::Bucket",
    "AWS::KMS::Key",
    "AWS::ApiGatewayV2::Api",
    "AWS::SSM::Parameter",
  ];
  const idsIn = (template: Template) =>
    FROZEN.flatMap((type) => Object.keys(template.findResources(type)));

  it("of an environment in one stack are those of its id and of the first release", () => {
    expect(idsIn(environment().template())).toEqual([
      "IpamTable63C37713",
      "IpamKeptHistory0078C22B",
      "IpamKeptTrailBucket87972D7B",
      "IpamServiceApiHttpApiDFFFF1B1",
      "IpamServiceMarkerParameterF43F126D",
    ]);
  });

  it("of the stacks are those of the first release", () => {
    const settings = { customerManagedKey: true };
    const stage = stageOf({ name: "with a key", environment: "prod", settings });
    const stacks = stage.node.children.filter((one) => one instanceof Stack);
    expect(stacks.flatMap((stack) => idsIn(Template.fromStack(stack)))).toEqual([
      "Table710B521B",
      "HistoryC127576E",
      "TrailBucket6C1E344E",
      "ApiHttpApi2997B86B",
      "MarkerParameter3B04128F",
      "Key961B73FD",
    ]);
  });
});
