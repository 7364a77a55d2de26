import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { readDeployment, SPACES_MAX } from "../../cdk/deployment.ts";
import { type PlatStage, stageOfContext } from "../../cdk/stage.ts";
import {
  ACCESS_BY_JWT,
  CONSOLE_AT_ISSUER,
  DOMAIN,
  PRIVATE_API,
  PRIVATE_API_ONLY,
} from "./choices.ts";

const TEN = { rateLimit: 10, burstLimit: 10 };

/** Returns a private API with a usage plan for each argument. */
const withPlan = (...plans: readonly object[]) => ({
  ...PRIVATE_API_ONLY,
  usagePlans: plans.map((plan) => ({ name: "a", keys: ["ci"], throttle: TEN, ...plan })),
});

describe("the context of an environment", () => {
  it("may be absent: then it is bound to no account", () => {
    expect(readDeployment("dev", undefined)).toEqual({
      spaces: [],
      lambdaConcurrency: 1_000,
      dashboard: false,
      alarms: "essential",
    });
    const { account, region } = stageWith(undefined);
    expect({ account, region }).toEqual({ account: undefined, region: undefined });
  });

  it("names the account and the Region that its stacks are bound to", () => {
    const stage = stageWith({ account: "123456789012", region: "eu-central-1" });
    for (const { account, region } of [stage, stage.stateful, stage.stateless].map(environmentOf))
      expect({ account, region }).toEqual({ account: "123456789012", region: "eu-central-1" });
  });

  it("without an account makes stacks that CloudFormation creates nowhere, and that say what is to be named", () => {
    const rulesOf = (context: unknown) => {
      const { stateful, stateless } = stageWith(context);
      return [stateful, stateless].map(
        (stack) => stack && Template.fromStack(stack).toJSON().Rules.AccountIsNamed,
      );
    };
    const refused = {
      Assertions: [
        {
          Assert: { "Fn::Contains": [["an account"], "no account"] },
          AssertDescription: "name account and region of plat-dev",
        },
      ],
    };
    expect(rulesOf(undefined)).toEqual([refused, refused]);
    expect(rulesOf({ tableName: "restored" })).toEqual([undefined, refused]);
    expect(rulesOf({ account: "123456789012", region: "eu-central-1" })).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("is read as JSON from the command line", () => {
    expect(
      readDeployment("prod", '{"account": "123456789012", "region": "eu-central-1"}'),
    ).toMatchObject({ account: "123456789012", region: "eu-central-1" });
  });

  it.each([
    [{ account: 123456789012, region: "eu-central-1" }, /account must be an account as text/],
    [{ account: "12", region: "eu-central-1" }, /account must be an account as text/],
    [{ account: "123456789012", region: "Frankfurt" }, /region must be a Region/],
    [{ account: "123456789012" }, /region is required/],
    [{ region: "eu-central-1" }, /account is required/],
    [{ tableName: "a table" }, /tableName must be the name of a DynamoDB table/],
    [{ spaces: ["default/", "b"] }, /spaces\[0\] must be/],
    [{ spaces: ["blue", "red", "blue"] }, /spaces must name each space once/],
    [{ customerManagedKey: "yes" }, /customerManagedKey must be true or false/],
    [{ rollout: "linear" }, /rollout must be at-once or canary/],
    [{ probe: 1 }, /probe must be true or false/],
    [{ publicHealth: "yes" }, /publicHealth must be true or false/],
    [{ tracing: "otel" }, /tracing must be none or xray/],
    [{ lambdaConcurrency: 0 }, /lambdaConcurrency must be a whole number from 1/],
    [{ access: "jwt" }, /access must be an object with a type/],
    [{ access: { type: "basic" } }, /access.type must be "iam", "jwt" or "token"/],
    [{ access: { type: "jwt" } }, /access.issuer is required; access.audience is required/],
    [{ access: { ...ACCESS_BY_JWT, issuer: "http://a" } }, /access.issuer must be the URL of an/],
    [{ access: { ...ACCESS_BY_JWT, audience: [] } }, /access.audience must name an audience/],
    [{ access: { type: "token" } }, /access.secret is required/],
    [{ access: { type: "token", secret: "a b" } }, /access.secret must be the name of a secret/],
    [{ access: { ...ACCESS_BY_JWT, tenant: "a" } }, /access.tenant is not a field here/],
    [{ console: true }, /console must be an object/],
    [{ console: CONSOLE_AT_ISSUER }, /console has clientId, scope and origins with access of type/],
    [{ console: { scope: "openid" } }, /console has clientId, scope and origins with access of/],
    [{ console: {}, access: ACCESS_BY_JWT }, /console must have the clientId/],
    [{ console: { scope: " a" } }, /console.scope must be scopes/],
    [
      { console: { ...CONSOLE_AT_ISSUER, origins: ["http://a"] }, access: ACCESS_BY_JWT },
      /console.origins\[0\] must be an origin/,
    ],
    [{ console: {}, api: PRIVATE_API }, /console must be absent beside a private API/],
    [{ domain: "plat.example.com" }, /domain must be an object/],
    [{ api: "private" }, /api must be an object with a type/],
    [{ api: { type: "rest" } }, /api.type must be "http" or "private"/],
    [{ api: { type: "private" } }, /api.vpcEndpointIds is required/],
    [{ api: { type: "private", vpcEndpointIds: [] } }, /vpcEndpointIds must name a VPC endpoint/],
    [{ api: { ...PRIVATE_API, vpcEndpointIds: ["vpc-1"] } }, /must be the id of a VPC endpoint/],
    [{ api: { ...PRIVATE_API, webAcl: true } }, /api.webAcl must be count or block/],
    [{ api: withPlan({ routes: { "POST /v1/pools": TEN } }) }, /must be the key of a route/],
    [{ api: withPlan({ keys: [] }) }, /usagePlans\[0\].keys must name a key/],
    [{ api: withPlan({ throttle: { rateLimit: 0, burstLimit: 1 } }) }, /rateLimit must be/],
    [{ api: withPlan({}, {}) }, /usagePlans must have each name once; a is there twice/],
    [{ api: withPlan({}, { name: "b" }) }, /must have each key once; ci is there twice/],
    [
      { api: PRIVATE_API, access: ACCESS_BY_JWT },
      /access must be "iam" or "token" beside a private API/,
    ],
    [{ api: PRIVATE_API, domain: DOMAIN }, /domain must be absent beside a private API/],
    [
      {
        account: "123456789012",
        region: "eu-central-1",
        api: PRIVATE_API,
        regions: { replicas: ["eu-west-1"], witness: "eu-west-3", active: "eu-west-1" },
      },
      /api must be "http" beside regions/,
    ],
    [{ domain: { name: "plat.example.com" } }, /domain.certificateArn is required/],
    [{ domain: { ...DOMAIN, name: "https://plat.example.com" } }, /domain.name must be a domain/],
    [{ domain: { ...DOMAIN, certificateArn: "arn:aws:acm" } }, /domain.certificateArn must be/],
    [{ domain: { ...DOMAIN, hostedZoneId: "plat" } }, /domain.hostedZoneId must be the id/],
    [
      { account: "123456789012", region: "us-east-1", domain: DOMAIN },
      /domain must have a certificate in us-east-1, not in eu-central-1/,
    ],
    [
      { access: ACCESS_BY_JWT, spaces: ["blue"] },
      /spaces must be absent beside access of the type "jwt": its callers have roles in spaces/,
    ],
    [{ accountId: "123456789012" }, /accountId is not a field here/],
    ["123456789012", /must be an object/],
  ])("%j is rejected by the name of its setting", (context, message) => {
    expect(() => readDeployment("dev", context)).toThrow(message);
    expect(() => readDeployment("dev", context)).toThrow(/^plat:dev is /);
  });
});

it("an environment may name 20 spaces, and one more is rejected by the name of the setting", () => {
  const names = Array.from({ length: SPACES_MAX + 1 }, (_, i) => `space-${i}`);
  expect(readDeployment("dev", { spaces: names.slice(1) }).spaces).toHaveLength(SPACES_MAX);
  expect(() => readDeployment("dev", { spaces: names })).toThrow(
    /spaces must be at most 20 spaces/,
  );
});

describe("an environment with a table that there is", () => {
  const stage = stageWith({ tableName: "restored" });
  const template = JSON.stringify(Template.fromStack(stage.stateless).toJSON());

  it("creates none, and leaves what it deployed of one as it is", () => {
    expect(stage.stateful).toBeUndefined();
    expect(template).not.toContain("plat-dev-stateful");
    expect(template).not.toContain("AWS::DynamoDB");
  });

  it("publishes its changes, from a stream that a parameter without a default names", () => {
    const stateless = Template.fromStack(stage.stateless);
    stateless.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: { Ref: "TableStream" },
    });
    const { Default, AllowedPattern } = stateless.findParameters("TableStream").TableStream ?? {};
    expect(Default).toBeUndefined();
    const streamOf = (table: string) =>
      `arn:aws:dynamodb:eu-central-1:123456789012:table/${table}/stream/2026-11-24T00:00:00.000`;
    expect(streamOf("restored")).toMatch(new RegExp(AllowedPattern));
    expect(streamOf("restored-earlier")).not.toMatch(new RegExp(AllowedPattern));
  });

  it("gives it to every function, and every right is one to it", () => {
    const functions = Template.fromStack(stage.stateless).findResources("AWS::Lambda::Function");
    for (const { Properties } of Object.values(functions))
      expect(Properties.Environment.Variables.TABLE_NAME).toBe("restored");
    const tables = [...template.matchAll(/:table\/[^"]+/g)].map(([arn]) => arn);
    expect(new Set(tables)).toEqual(
      new Set([
        ":table/restored",
        ":table/restored/index/due",
        // The pattern of the parameter.
        ":table/restored/stream/.+$",
      ]),
    );
  });
});

function stageWith(context: unknown): PlatStage {
  return stageOfContext(
    new App({ context: { "aws:cdk:bundling-stacks": [], "plat:dev": context } }),
    "dev",
  );
}

function environmentOf(construct: PlatStage | PlatStage["stateful"] | PlatStage["stateless"]) {
  return { account: construct?.account, region: construct?.region };
}
