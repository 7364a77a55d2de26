import { readFileSync } from "node:fs";
import { App, NestedStack, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { UserPool } from "aws-cdk-lib/aws-cognito";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { HostedZone } from "aws-cdk-lib/aws-route53";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
// The flags with which `cdk init` begins an app.
import INIT from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import type * as v from "valibot";
import { describe, expect, it } from "vitest";
import { ACCESS } from "../../cdk/access.ts";
import type { deployment } from "../../cdk/deployment.ts";
import {
  PlatData,
  type PlatDataAttributes,
  PlatEnvironment,
  type PlatEnvironmentProps,
  PlatPool,
  PlatStage,
  type PlatStageProps,
} from "../../cdk/index.ts";
import { stageOf } from "./choices.ts";
import { templates } from "./templates.ts";

/** The types whose policies the CDK may write with fewer statements. */
const MERGED = new Set([
  "AWS::IAM::Policy",
  "AWS::SQS::QueuePolicy",
  "AWS::SNS::TopicPolicy",
  "AWS::S3::BucketPolicy",
  "AWS::KMS::Key",
]);

const newApp = (flags: object = {}) =>
  new App({ context: { "aws:cdk:bundling-stacks": [], ...flags } });
const newStack = (flags: object = {}) => new Stack(newApp(flags), "shop-ipam");

const CERTIFICATE_ARN =
  "arn:aws:acm:eu-central-1:123456789012:certificate/12345678-1234-1234-1234-123456789012";
const STREAM_ARN =
  "arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/2026-11-24T00:00:00.000";

/** Returns data that there is, with other attributes than the usual ones. */
const attributesWith = (stack: Stack, others: Partial<PlatDataAttributes>) =>
  PlatData.fromAttributes(stack, "Data", {
    tableName: "restored",
    tableStreamArn: STREAM_ARN,
    historyName: "the-past",
    trailBucketName: "the-trail",
    ...others,
  });

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

/** The settings of a deployment are those of the stage, and but for those of stages those of the environment. */
type Settings = v.InferInput<typeof deployment>;
type OfStages =
  | "account"
  | "region"
  | "regions"
  | "tableName"
  | "customerManagedKey"
  | "spaces"
  | "api";
type Of<Props> = Pick<Required<Props>, keyof Props & keyof Settings>;
type Names<Some> = Record<keyof Some, never>;
({}) as Of<PlatEnvironmentProps> satisfies Partial<Settings>;
({}) as Names<Omit<Settings, OfStages>> satisfies Names<Of<PlatEnvironmentProps>>;
({}) as Of<PlatStageProps> satisfies Partial<Settings>;
({}) as Names<Settings> satisfies Names<Of<PlatStageProps>>;

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
    [
      { spread: 1 },
      "shop-ipam/Ipam: spread is no property; known are protection, data, encryptionKey, trailLock, ",
    ],
    [{ data: {} }, "shop-ipam/Ipam: data must be a PlatData, or PlatData.fromAttributes(…)"],
    [
      { encryptionKey: "arn:aws:kms:eu-central-1:123456789012:key/1" },
      "shop-ipam/Ipam: encryptionKey must be a key of KMS, such as new Key(…)",
    ],
    [
      { api: { type: "http" } },
      "api is no property of an environment in one stack: PlatStage has it",
    ],
  ])("names the property that is wrong: %j", (props, sentence) => {
    expect(() => environment(props as PlatEnvironmentProps)).toThrow(sentence);
  });

  it("has no fewer executions of Lambda than prod reserves and Lambda keeps", () => {
    const few = { lambdaConcurrency: 108 };
    expect(() => environment(few)).toThrow(
      "shop-ipam/Ipam/Service: lambdaConcurrency is 108; it must be at least 109: the schedules reserve 9 executions",
    );
    expect(() => environment({ lambdaConcurrency: 109, shardsPerSchedule: 1 })).toThrow(
      "it must be at least 133",
    );
    environment({ lambdaConcurrency: 109 });
    environment({ lambdaConcurrency: 10, protection: "dev" });
  });

  it("has names that AWS takes, from that of its stack", () => {
    const inStack = (name: string) => {
      const stack = new Stack(newApp(), name);
      new PlatEnvironment(stack, "Ipam");
      return Template.fromStack(stack);
    };
    for (const name of ["aws-ipam", "SSM-ipam"])
      expect(() => inStack(name)).toThrow(
        `the stack ${name} needs a name that begins neither with aws nor with ssm`,
      );
    inStack("Shop-Ipam").hasResourceProperties("AWS::Glue::Database", {
      DatabaseInput: { Name: "shop_ipam" },
    });
  });

  it.each([
    ["PlatData", (nested: Stack) => new PlatData(nested, "Plat")],
    ["PlatEnvironment", (nested: Stack) => new PlatEnvironment(nested, "Plat")],
    [
      "PlatEnvironment with data",
      (nested: Stack) => new PlatEnvironment(nested, "Plat", { data: attributesWith(nested, {}) }),
    ],
  ])("needs a stack that is not nested, whose name is known: %s", (_, make) => {
    expect(() => make(new NestedStack(newStack(), "Nested"))).toThrow(
      /^shop-ipam\/Nested\/Plat\/.*: needs a stack that is not nested: names in AWS begin with that of the stack$/,
    );
  });

  it("takes no certificate of another Region than that of its stack", () => {
    const certificateArn = CERTIFICATE_ARN.replace("eu-central-1", "us-east-1");
    const domain = { name: "plat.example.com", certificateArn };
    const env = { account: "123456789012", region: "eu-central-1" };
    const stack = new Stack(newApp(), "shop-ipam", { env });
    expect(() => new PlatEnvironment(stack, "Ipam", { domain })).toThrow(
      "shop-ipam/Ipam: domain must have a certificate in eu-central-1, not in us-east-1",
    );
    new PlatEnvironment(newStack(), "Ipam", { domain });
  });
});

describe("properties that only CloudFormation knows", () => {
  it("can be those of a certificate and a hosted zone of the same stack", () => {
    const stack = newStack();
    const zone = new HostedZone(stack, "Zone", { zoneName: "example.com" });
    const { certificateArn } = new Certificate(stack, "Certificate", {
      domainName: "plat.example.com",
    });
    const { hostedZoneId } = zone;
    const domain = { name: "plat.example.com", certificateArn, hostedZoneId };
    new PlatEnvironment(stack, "Ipam", { domain });
    const template = Template.fromStack(stack);
    template.hasResourceProperties("AWS::ApiGatewayV2::DomainName", {
      DomainNameConfigurations: [{ CertificateArn: { Ref: Match.stringLikeRegexp("^Certific") } }],
    });
    template.hasResourceProperties("AWS::Route53::RecordSet", {
      HostedZoneId: { Ref: Match.stringLikeRegexp("^Zone") },
    });
  });

  it("can be those of a user pool, whose origin the console may call", () => {
    const stack = newStack();
    const users = new UserPool(stack, "Users");
    const { userPoolClientId: clientId } = users.addClient("Console");
    const issuer = users.userPoolProviderUrl;
    const access = { issuer, audience: [clientId], rolesClaim: "cognito:groups" };
    new PlatEnvironment(stack, "Ipam", {
      access: { type: "jwt", ...access },
      console: { clientId, origins: [`https://login.auth.${stack.region}.amazoncognito.com`] },
    });
    const { Resources } = Template.fromStack(stack).toJSON();
    const [pool = ""] = Object.keys(Resources).filter((id) => /^Users.{8}$/.test(id));
    const url = { "Fn::GetAtt": [pool, "ProviderURL"] };
    const { Body } = Object.values<{ Type: string; Properties: { Body: unknown } }>(Resources).find(
      ({ Type }) => Type === "AWS::ApiGatewayV2::Api",
    )?.Properties ?? { Body: undefined };
    expect(JSON.stringify(Body)).toContain(`"issuer":${JSON.stringify(url)}`);
    const origin = JSON.stringify({ "Fn::Select": [2, { "Fn::Split": ["/", url] }] });
    expect(JSON.stringify(Resources)).toContain(`https://",${origin}`);
  });

  it("can be that of a secret of the same stack", () => {
    const stack = newStack();
    const { secretName: secret } = new Secret(stack, "Tokens");
    new PlatEnvironment(stack, "Ipam", { access: { type: "token", secret } });
    Template.fromStack(stack).hasResourceProperties("AWS::Lambda::Function", {
      Environment: { Variables: { TOKENS_SECRET: { "Fn::Join": Match.anyValue() } } },
    });
  });

  it("can be looked up: a first synthesis ends without them", () => {
    const env = { account: "123456789012", region: "eu-central-1" };
    const stack = new Stack(newApp(), "shop-ipam", { env });
    const { hostedZoneId } = HostedZone.fromLookup(stack, "Zone", { domainName: "example.com" });
    const certificateArn = StringParameter.valueFromLookup(stack, "/plat/certificate");
    const issuer = StringParameter.valueFromLookup(stack, "/plat/issuer");
    new PlatEnvironment(stack, "Ipam", {
      domain: { name: "plat.example.com", certificateArn, hostedZoneId },
      access: { type: "jwt", issuer, audience: ["plat"], rolesClaim: "roles" },
      console: { clientId: "console" },
    });
    expect(Template.fromStack(stack).toJSON().Resources).toBeDefined();
  });
});

describe("a key for an environment", () => {
  const HERE = { env: { account: "123456789012", region: "eu-central-1" } };
  const policyOf = (template: Template) =>
    Object.values(template.findResources("AWS::KMS::Key"))[0]?.Properties.KeyPolicy.Statement;

  it("lets the services use it, and the account through them, once each for data and code", () => {
    const app = newApp();
    const stacks = ["key", "data", "code"].map((name) => new Stack(app, name, HERE));
    const [keys = expect.fail(), data = expect.fail(), code = expect.fail()] = stacks;
    const encryptionKey = new Key(keys, "Key");
    const own = new PlatData(data, "Data", { encryptionKey });
    new PlatEnvironment(code, "Ipam", { data: own, encryptionKey });
    const template = Template.fromStack(keys);
    const [root, ...others] = policyOf(template);
    expect(JSON.stringify(root.Principal)).toContain(":root");
    expect(others.map(known)).toEqual(documented());
  });

  it("of the stages lets them use it too", () => {
    const settings = { ...HERE.env, customerManagedKey: true };
    const { key } = new PlatStage(newApp(), "shop", settings);
    const [, ...others] = policyOf(Template.fromStack(key ?? expect.fail()));
    expect(others.map(known)).toEqual(documented());
  });

  it("that there is already keeps its policy", () => {
    const stack = newStack();
    const arn = "arn:aws:kms:eu-central-1:123456789012:key/12345678-1234-1234-1234-123456789012";
    new PlatData(stack, "Data", { encryptionKey: Key.fromKeyArn(stack, "Key", arn) });
    Template.fromStack(stack).resourceCountIs("AWS::KMS::Key", 0);
  });

  /** The statements that the page lists for the owner of a key. */
  function documented(): unknown {
    const [, json] =
      /```json\n(\{\s*"Statement"[^`]*)```/.exec(readFileSync("docs/cdk.md", "utf8")) ?? [];
    return JSON.parse(json ?? expect.fail("docs/cdk.md has no statements")).Statement;
  }

  /** Returns a part of a template with the values that CloudFormation has outside of China. */
  function known(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(known);
    if (typeof part !== "object" || part === null) return part;
    const { Ref, "Fn::Join": join } = part as { Ref?: string; "Fn::Join"?: [string, unknown[]] };
    if (Ref !== undefined)
      return { "AWS::URLSuffix": "amazonaws.com", "AWS::Partition": "aws" }[Ref];
    if (join) return join[1].map(known).join(join[0]);
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, known(value)]));
  }
});

describe("the data of an environment", () => {
  const TABLES = ["AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket"];
  const kept = (template: Template) =>
    TABLES.flatMap((type) => Object.keys(template.findResources(type)));

  it("can be in another stack of the app, which stays when that with the code goes", () => {
    const app = newApp();
    const stacks = ["data", "code"].map((name) => new Stack(app, name));
    const [data = expect.fail(), code = expect.fail()] = stacks;
    const own = new PlatData(data, "Data");
    const plat = new PlatEnvironment(code, "Ipam", { data: own });
    expect(plat.table).toBe(own.table);
    expect(plat.history).toBe(own.history);
    expect(plat.trailBucket).toBe(own.trailBucket);
    expect(kept(Template.fromStack(data))).toEqual([
      "DataTable363E8CF6",
      "DataKeptHistory133BD3C5",
      "DataKeptTrailBucket80F1880C",
    ]);
    expect(kept(Template.fromStack(code))).toEqual([]);
    expect(counted(Template.fromStack(data), Template.fromStack(code))).toEqual(counted(bare));
  });

  it("can be there already, under its names", () => {
    const stack = newStack();
    const data = attributesWith(stack, {});
    new PlatEnvironment(stack, "Ipam", { data });
    const template = Template.fromStack(stack);
    expect(kept(template)).toEqual([]);
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: STREAM_ARN,
    });
    for (const { Properties } of Object.values(template.findResources("AWS::Lambda::Function")))
      expect(Properties.Environment.Variables.TABLE_NAME).toBe("restored");
    const text = JSON.stringify(template.toJSON());
    expect(text).toContain(":table/the-past");
    expect(text).toContain(":s3:::the-trail/changes/*");
  });

  it.each<[string, (stack: Stack) => unknown, string]>([
    [
      "protection",
      (stack) => new PlatData(stack, "Data", { protection: "test" as "dev" }),
      'shop-ipam/Data: protection is "test"; it must be "dev" or "prod"',
    ],
    [
      "trailLock",
      (stack) => new PlatData(stack, "Data", { trailLock: { mode: "governance", days: 0 } }),
      "trailLock.days must be",
    ],
    [
      "a lock beside data",
      (stack) =>
        new PlatEnvironment(stack, "Ipam", {
          data: new PlatData(stack, "Data"),
          trailLock: { mode: "governance", days: 1 },
        }),
      "shop-ipam/Ipam: trailLock must be absent beside data: it is a property of PlatData",
    ],
    [
      "an attribute",
      (stack) => PlatData.fromAttributes(stack, "Data", { tableName: "restored" } as never),
      'shop-ipam/Data: {"tableName":"restored"} is wrong: tableStreamArn is required',
    ],
    [
      "the ARN of a table in place of its stream",
      (stack) => attributesWith(stack, { tableStreamArn: STREAM_ARN.replace(/\/stream.*/, "") }),
      "tableStreamArn must be the ARN of the stream of the table, which DynamoDB tells as",
    ],
    [
      "the stream of another table",
      (stack) => attributesWith(stack, { tableName: "lost" }),
      "is wrong: tableStreamArn must be that of the table lost",
    ],
    [
      "the stream of another Region",
      ({ node }) => {
        const env = { account: "123456789012", region: "eu-west-1" };
        return attributesWith(new Stack(node.root, "abroad", { env }), {});
      },
      "abroad/Data: tableStreamArn must be of eu-west-1 and of the account 123456789012, those of the stack",
    ],
    [
      "an empty name",
      (stack) => attributesWith(stack, { historyName: "", trailBucketName: "" }),
      "historyName must be the name of a DynamoDB table; trailBucketName must be the name of a",
    ],
    [
      "a key",
      (stack) => new PlatData(stack, "Data", { encryptionKey: "alias/plat" as never }),
      "shop-ipam/Data: encryptionKey must be a key of KMS",
    ],
  ])("names what is wrong: %s", (_, make, sentence) => {
    expect(() => make(newStack())).toThrow(sentence);
  });
});

describe("a stage of an app of somebody else", () => {
  const HOME = { account: "123456789012", region: "eu-central-1" };
  const REGIONS = { replicas: ["eu-west-1"], witness: "eu-west-3", active: "eu-central-1" };
  const stage = (props: PlatStageProps, flags: object = {}) =>
    new PlatStage(new App({ context: { "aws:cdk:bundling-stacks": [], ...flags } }), "shop", props);

  it("has stacks in each of its Regions, with names that begin with its own", () => {
    const { stateful, trail, stateless, replicas, trails } = stage({ ...HOME, regions: REGIONS });
    const stacks = [stateful, trail, stateless, ...replicas.values(), ...trails.values()];
    expect(stacks.map((stack) => [stack?.stackName, stack?.region])).toEqual([
      ["shop-stateful", "eu-central-1"],
      ["shop-trail", "eu-central-1"],
      ["shop-stateless", "eu-central-1"],
      ["shop-stateless-eu-west-1", "eu-west-1"],
      ["shop-trail-eu-west-1", "eu-west-1"],
    ]);
    const table = { TableName: "shop", MultiRegionConsistency: "STRONG" };
    Template.fromStack(stateful ?? expect.fail()).hasResourceProperties(
      "AWS::DynamoDB::GlobalTable",
      table,
    );
  });

  it("has the resources of npm run deploy, and the same templates whatever flags the app begins with", () => {
    const templatesOf = (flags: object) => {
      const { stateful, trail, stateless } = stage({ protection: "dev" }, flags);
      return Object.entries({ stateful, trail, stateless }).map(
        ([name, stack]) => [name, Template.fromStack(stack ?? expect.fail())] as const,
      );
    };
    const flagged = templatesOf(INIT);
    for (const [name, made] of flagged)
      expect(counted(made)).toEqual(counted(templates.dev[name as keyof typeof templates.dev]));
    const json = (all: ReturnType<typeof templatesOf>) =>
      all.map(([name, made]) => [name, made.toJSON()]);
    expect(json(flagged)).toEqual(json(templatesOf({})));
  });

  it.each<[object, string]>([
    [{ protection: "test" }, 'shop: protection is "test"; it must be "dev" or "prod"'],
    [{ account: "1" }, "account must be an account as text"],
    [{ ...HOME, regions: { ...REGIONS, active: "eu-west-2" } }, "regions.active must be one of"],
    [{ regions: REGIONS }, "region is required beside regions"],
    [{ ...HOME, regions: REGIONS, tableName: "old" }, "tableName must be absent beside regions"],
    [{ api: { type: "private" } }, "api.vpcEndpointIds"],
    [{ spaces: ["a b"] }, "spaces"],
    [{ spread: 1 }, "spread"],
  ])("names the property that is wrong: %j", (props, sentence) => {
    expect(() => stage(props as PlatStageProps)).toThrow(sentence);
  });
});

it.each([
  ["Data in a stack of its own", ["ipam-data", "ipam"]],
  ["More than one Region", ["shop-ipam"]],
])("docs/cdk.md makes what it says under: %s", (heading, made) => {
  const [, section = ""] = readFileSync("docs/cdk.md", "utf8").split(`### ${heading}\n`);
  const [, code = ""] = /```js\n(.*?)```/s.exec(section) ?? [];
  const app = new App({ context: { "aws:cdk:bundling-stacks": [] } });
  new Function("app", "Stack", "PlatData", "PlatEnvironment", "PlatStage", code)(
    app,
    Stack,
    PlatData,
    PlatEnvironment,
    PlatStage,
  );
  expect(app.node.children.map(({ node }) => node.id)).toEqual(made);
});

it("the metrics of an environment are those that its alarms watch", () => {
  const { stack, plat } = environment({ alarms: "all" });
  const own = {
    requests: plat.metricRequests(),
    errors: plat.metricServerErrors(),
    latency: plat.metricLatency(),
    use: plat.metricPoolUse(),
    hours: plat.metricHoursUntilExhausted(),
    heartbeat: plat.metric("Heartbeat", { dimensionsMap: { run: "work" } }),
    pool: plat.metricPoolUse({ dimensionsMap: { space: "blue", pool: "lan", family: "ipv4" } }),
  };
  for (const [id, metric] of Object.entries(own))
    metric.createAlarm(stack, id, { threshold: 1, evaluationPeriods: 1 });
  const alarms = Object.entries(Template.fromStack(stack).findResources("AWS::CloudWatch::Alarm"));
  const watched = (isIt: (id: string) => boolean) =>
    alarms
      .filter(([id]) => isIt(id))
      .map(
        ([
          ,
          {
            Properties: { Namespace, MetricName, Dimensions },
          },
        ]) => ({
          Namespace,
          MetricName,
          Dimensions,
        }),
      );
  const ofPlat = watched((id) => id.startsWith("Ipam"));
  const of = (id: string) => watched((each) => each.startsWith(id))[0];
  for (const id of ["errors", "use", "hours", "heartbeat"]) expect(ofPlat).toContainEqual(of(id));
  const { Namespace, Dimensions } = of("errors") ?? {};
  expect(of("requests")).toEqual({ Namespace, Dimensions, MetricName: "Count" });
  expect(of("latency")).toEqual({ Namespace, Dimensions, MetricName: "Latency" });
  expect(of("pool")?.Dimensions).toEqual([
    { Name: "family", Value: "ipv4" },
    { Name: "pool", Value: "lan" },
    { Name: "service", Value: "plat" },
    { Name: "space", Value: "blue" },
  ]);
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
      'shop-ipam/Ipam: {"space":"a b"} is wrong: space must be a DNS label',
    );
  });

  it.each<[string, unknown]>([
    ["spaces", { spaces: ["blue"] }],
    ["no object", "blue"],
    ["no space", { space: null }],
    ["a space that is not set", { space: undefined }],
  ])("of what is no option is an error, and no grant in every space: %s", (_, options) => {
    const { stack, plat } = environment();
    const role = new Role(stack, "Caller", {
      assumedBy: new ServicePrincipal("ec2.amazonaws.com"),
    });
    expect(() => plat.grantAssign(role, options as { space: string })).toThrow(
      /^shop-ipam\/Ipam: .* is wrong: (spaces is not a field here; known are space|body must be an object|space (must be|is required))/,
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

it("an environment gives its API to no pool where callers bring tokens, which its function has none of", () => {
  const { plat } = environment({ access: { type: "token", secret: "plat/tokens" } });
  expect(() => plat.api()).toThrow(
    'shop-ipam/Ipam: access is "token", whose callers have their roles in their tokens; pools, addresses and prefixes of CloudFormation are for access of the type "iam"',
  );
});

it("a pool in the stack of its environment comes after all that serves it, and goes before that", () => {
  const hostedZoneId = "Z0123456789ABCDEFGHIJ";
  const domain = { name: "plat.example.com", certificateArn: CERTIFICATE_ARN, hostedZoneId };
  const { stack, plat, template } = environment({ domain });
  new PlatPool(stack, "Lan", { api: plat.api(), cidr: "10.1.0.0/24" });
  const { Resources } = template().toJSON();
  const pools = Object.keys(Resources).filter((id) => Resources[id].Type === "Custom::PlatPool");
  const waited = new Set(pools);
  // A set goes on through what is added to it meanwhile.
  for (const id of waited) for (const other of namedIn(Resources[id])) waited.add(other);
  const serving = Object.entries<{ Type: string }>(Resources)
    .filter(([, { Type }]) => /^AWS::(ApiGatewayV2|Lambda|Scheduler|Route53)::/.test(Type))
    .map(([id]) => id);
  expect(serving.length).toBeGreaterThan(60);
  expect(serving.filter((id) => !waited.has(id))).toEqual([]);
});

/** Returns the logical ids that a part of a template names: those that CloudFormation makes before it. */
function namedIn(part: unknown): readonly string[] {
  if (typeof part !== "object" || part === null) return [];
  const { Ref, DependsOn, "Fn::GetAtt": attribute } = part as Record<string, string | string[]>;
  const ids = [Ref, DependsOn, attribute?.slice(0, 1)].flat().filter((id) => id !== undefined);
  return [...ids, ...Object.values(part).flatMap(namedIn)];
}

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
