import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { readDeployment } from "../../cdk/deployment.ts";
import { ENVIRONMENT_NAMES, type EnvironmentName } from "../../cdk/environments.ts";
import { type PlatStage, stageOfContext } from "../../cdk/stage.ts";
import { oneIn } from "../simulation/sampled-calls.ts";
import { FUNCTIONS, functionsOf } from "./templates.ts";

const TABLE = "AWS::DynamoDB::GlobalTable";
const HOME = { account: "123456789012", region: "eu-central-1" };
const THREE = { replicas: ["eu-west-1", "eu-west-3"], active: "eu-central-1" };
const WITNESSED = { replicas: ["eu-west-1"], witness: "eu-west-3", active: "eu-central-1" };

/** Ids that a deployed active Region has: under another one, CloudFormation would replace the bus and the queue. */
const BUS = "PublishingBusF593E1F3";
const DEAD_CHANGES = "PublishingDeadLetterQueue41E9D769";

const stages = new Map<string, PlatStage>();

/** Returns the stage of these settings, which is made once: no test changes it. */
function stageOf(name: EnvironmentName, settings: object) {
  const context = { "aws:cdk:bundling-stacks": [], [`plat:${name}`]: { ...HOME, ...settings } };
  const key = JSON.stringify(context);
  const stage = stages.get(key) ?? stageOfContext(new App({ context }), name);
  stages.set(key, stage);
  return stage;
}

function tableOf({ stateful }: PlatStage) {
  if (!stateful) throw new Error("the stage has no table");
  const [table] = Object.values(Template.fromStack(stateful).findResources(TABLE));
  return table?.Properties;
}

const regionsOf = (table: { Replicas: { Region: string }[] }) =>
  table.Replicas.map(({ Region }) => Region).sort();

const schedulesOf = (stage: PlatStage["stateless"]) =>
  Object.values(Template.fromStack(stage).findResources("AWS::Scheduler::Schedule")).map(
    ({ Properties }) => Properties.State,
  );

/** Returns what a function may do to parameters, and to which. */
const parameterRightsOf = (template: Template, id: string) =>
  Object.entries(template.findResources("AWS::IAM::Policy"))
    .filter(([policy]) => policy.startsWith(`${id}RoleDefaultPolicy`))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .filter(({ Action }) => JSON.stringify(Action).includes("ssm:"))
    .map(({ Action, Resource }) => ({ may: Action, on: JSON.stringify(Resource) }));

// In a sample prod alone.
describe.each(ENVIRONMENT_NAMES.slice(oneIn(ENVIRONMENT_NAMES.length) - 1))(
  "several Regions in %s",
  (name) => {
    it("have one table with multi-Region strong consistency: three replicas", () => {
      const table = tableOf(stageOf(name, { regions: THREE }));
      expect(table).toMatchObject({ TableName: `plat-${name}`, MultiRegionConsistency: "STRONG" });
      expect(regionsOf(table)).toEqual(["eu-central-1", "eu-west-1", "eu-west-3"]);
      expect(table).not.toHaveProperty("GlobalTableWitnesses");
    });

    it("have two replicas and a witness, which serves no requests", () => {
      const stage = stageOf(name, { regions: WITNESSED });
      const table = tableOf(stage);
      expect(regionsOf(table)).toEqual(["eu-central-1", "eu-west-1"]);
      expect(table.GlobalTableWitnesses).toEqual([{ Region: "eu-west-3" }]);
      expect([...stage.replicas.keys()]).toEqual(["eu-west-1"]);
    });

    it("have a stack each, whose functions use the replica of their Region", () => {
      const { replicas, stateful } = stageOf(name, { regions: THREE });
      expect(
        [...replicas].map(([region, stack]) => [region, stack.region, stack.stackName]),
      ).toEqual(
        ["eu-west-1", "eu-west-3"].map((region) => [
          region,
          region,
          `plat-${name}-stateless-${region}`,
        ]),
      );
      for (const [region, stack] of replicas) {
        const template = Template.fromStack(stack);
        const functions = functionsOf(template);
        expect(Object.keys(functions).sort()).toEqual(
          FUNCTIONS.filter((each) => each !== "publish").sort(),
        );
        for (const { Environment } of Object.values(functions))
          expect(Environment.Variables.TABLE_NAME).toBe(`plat-${name}`);
        const policies = JSON.stringify(template.findResources("AWS::IAM::Policy"));
        expect(policies).toContain(`:dynamodb:${region}:123456789012:table/plat-${name}`);
        expect(stack.dependencies).toContain(stateful);
      }
    });

    it("run the schedules in the active one only, which one setting changes", () => {
      for (const active of ["eu-central-1", "eu-west-1"]) {
        const { stateless, replicas } = stageOf(name, { regions: { ...THREE, active } });
        for (const [region, stack] of [["eu-central-1", stateless] as const, ...replicas])
          expect(new Set(schedulesOf(stack))).toEqual(
            new Set([region === active ? "ENABLED" : "DISABLED"]),
          );
      }
    });

    it("publish in the active one only, which one setting changes", () => {
      for (const active of ["eu-central-1", "eu-west-1"]) {
        const { stateless, replicas } = stageOf(name, { regions: { ...THREE, active } });
        for (const [region, stack] of [["eu-central-1", stateless] as const, ...replicas]) {
          const template = Template.fromStack(stack);
          const publishes = region === active;
          expect("publish" in functionsOf(template)).toBe(publishes);
          for (const alarm of ["-StreamLag", "-NoHeartbeatOfRepair", "-PoolAbove80"])
            expect(JSON.stringify(template.toJSON()).includes(alarm)).toBe(publishes);
          expect(Object.keys(template.findParameters("TableStream"))).toHaveLength(
            publishes && region !== "eu-central-1" ? 1 : 0,
          );
        }
      }
    });

    it("have a bus and a queue of dead changes each, which stay whichever one is active", () => {
      const kept = (active: string) => {
        const { stateless, replicas } = stageOf(name, { regions: { ...THREE, active } });
        return [stateless, ...replicas.values()].map((stack) => {
          const template = Template.fromStack(stack);
          const { Value } = template.findOutputs("EventBus").EventBus ?? expect.fail();
          const { [BUS]: bus, [DEAD_CHANGES]: queue } = template.toJSON().Resources;
          expect(Value).toEqual({ Ref: BUS });
          expect([bus?.Type, queue?.Type]).toEqual(["AWS::Events::EventBus", "AWS::SQS::Queue"]);
          return { bus, queue };
        });
      };
      expect(kept("eu-west-1")).toEqual(kept("eu-central-1"));
    });

    it("keep the stacks of table and trails whichever one is active, so that a failover deploys one stack alone", () => {
      const kept = (active: string) => {
        const { stateful, trail, trails } = stageOf(name, { regions: { ...THREE, active } });
        const stacks = [stateful ?? expect.fail(), trail, ...trails.values()];
        return stacks.map((stack) => [stack.stackName, Template.fromStack(stack).toJSON()]);
      };
      const [first, ...others] = ["eu-central-1", "eu-west-1", "eu-west-3"].map(kept);
      for (const other of others) expect(other).toEqual(first);
    });

    it("take the stream of another active one as a parameter, which accepts those of its replica only", () => {
      const { replicas } = stageOf(name, { regions: { ...THREE, active: "eu-west-1" } });
      const template = Template.fromStack(replicas.get("eu-west-1") ?? expect.fail());
      const { AllowedPattern } = template.findParameters("TableStream").TableStream ?? {};
      const streamIn = (region: string) =>
        `arn:aws:dynamodb:${region}:123456789012:table/plat-${name}/stream/2026-11-24T00:00:00.000`;
      expect(streamIn("eu-west-1")).toMatch(new RegExp(AllowedPattern));
      expect(streamIn("eu-central-1")).not.toMatch(new RegExp(AllowedPattern));
      template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
        EventSourceArn: { Ref: "TableStream" },
      });
    });

    it("have one history, with a replica in each, and a trail each", () => {
      const { trail, trails } = stageOf(name, { regions: THREE });
      const [history] = Object.values(
        Template.fromStack(trail).findResources("AWS::DynamoDB::GlobalTable"),
      );
      expect(history?.Properties).toMatchObject({
        TableName: `plat-${name}-history`,
        Replicas: [{ Region: "eu-west-1" }, { Region: "eu-west-3" }, { Region: "eu-central-1" }],
      });
      expect([...trails.keys()]).toEqual(["eu-west-1", "eu-west-3"]);
      for (const stack of trails.values()) {
        const template = Template.fromStack(stack);
        template.resourceCountIs("AWS::S3::Bucket", 1);
        template.resourceCountIs("AWS::DynamoDB::GlobalTable", 0);
      }
    });

    it("have replicas that the repair run of each may describe, to name them in the register", () => {
      const { stateless, replicas } = stageOf(name, { regions: THREE });
      for (const [region, stack] of [["eu-central-1", stateless] as const, ...replicas]) {
        const others = ["eu-central-1", "eu-west-1", "eu-west-3"].filter((one) => one !== region);
        const policies = Template.fromStack(stack).findResources("AWS::IAM::Policy");
        const described = Object.entries(policies)
          .filter(([id]) => id.startsWith("repairRoleDefaultPolicy"))
          .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
          .filter(({ Action }) => Action === "dynamodb:DescribeTable")
          .map(({ Resource }) => JSON.stringify(Resource));
        expect(described).toHaveLength(3);
        for (const other of others)
          expect(described.filter((one) => one.includes(`:dynamodb:${other}:`))).toHaveLength(1);
      }
    });

    it("read the marker of the home Region before the first item of a table, and mark their own", () => {
      const { stateless, replicas } = stageOf(name, { regions: THREE });
      const homeName = `plat-${name}-stateless-table-mark`;
      for (const [region, stack] of replicas) {
        const template = Template.fromStack(stack);
        const told = Object.entries(functionsOf(template)).filter(
          ([, { Environment }]) => Environment.Variables.MARKER_PARAMETER,
        );
        expect(told.map(([id]) => id)).toEqual(expect.arrayContaining(["configure", "repair"]));
        for (const [id, { Environment }] of told) {
          const { MARKER_PARAMETER, MARKER_REGION, OWN_MARKER_PARAMETER } = Environment.Variables;
          expect([id, MARKER_PARAMETER, MARKER_REGION]).toEqual([id, homeName, "eu-central-1"]);
          expect(OWN_MARKER_PARAMETER !== undefined).toBe(id === "repair");
          const rights = parameterRightsOf(template, id);
          const atHome = rights.filter(({ on }) => on.includes(`:ssm:eu-central-1:`));
          expect(atHome).toEqual([
            { may: "ssm:GetParameter", on: expect.stringContaining(`:parameter/${homeName}"`) },
          ]);
          expect(rights.flatMap(({ may }) => may)).toEqual(
            id === "repair"
              ? ["ssm:GetParameter", "ssm:GetParameter", "ssm:PutParameter"]
              : ["ssm:GetParameter"],
          );
        }
        template.hasResourceProperties("AWS::SSM::Parameter", {
          Name: `plat-${name}-stateless-${region}-table-mark`,
        });
      }
      const home = Template.fromStack(stateless);
      home.hasResourceProperties("AWS::SSM::Parameter", { Name: homeName });
      expect(JSON.stringify(home.toJSON())).not.toMatch(/MARKER_REGION|OWN_MARKER_PARAMETER/);
    });

    it("change nothing else in the stack of the home Region", () => {
      const single = Template.fromStack(stageOf(name, {}).stateless).toJSON();
      const home = Template.fromStack(stageOf(name, { regions: THREE }).stateless).toJSON();
      expect(Object.keys(home.Resources)).toEqual(Object.keys(single.Resources));
    });

    it("have no TTL and no local secondary index, which multi-Region strong consistency does not have", () => {
      const text = JSON.stringify(tableOf(stageOf(name, { regions: THREE })));
      expect(text).not.toMatch(/TimeToLive|LocalSecondaryIndex/);
    });

    it("have a customer managed key each, which the table names by their alias", () => {
      const stage = stageOf(name, { regions: THREE, customerManagedKey: true });
      for (const { SSESpecification } of tableOf(stage).Replicas)
        expect(SSESpecification).toEqual({ KMSMasterKeyId: `alias/plat-${name}` });
      const keys = stage.node.children.filter(({ node }) => node.id.startsWith("key"));
      expect(keys.map(({ node }) => node.id)).toEqual(["key", "key-eu-west-1", "key-eu-west-3"]);
      for (const [region, stack] of stage.replicas)
        expect(JSON.stringify(Template.fromStack(stack).toJSON())).toContain(
          `plat-${name}-key-${region}:`,
        );
    });
  },
);

describe("the setting regions", () => {
  const rejected = (settings: object) => () => readDeployment("dev", { ...HOME, ...settings });

  it.each([
    [
      { regions: { ...THREE, replicas: ["us-east-1", "eu-west-1"] } },
      /of the Region set of eu-central-1/,
    ],
    [{ regions: { ...THREE, replicas: ["eu-west-1"] } }, /three different Regions/],
    [{ regions: { ...THREE, witness: "eu-west-2" } }, /three different Regions/],
    [{ regions: { ...THREE, replicas: ["eu-west-1", "eu-west-1"] } }, /three different Regions/],
    [{ regions: { ...THREE, replicas: ["eu-west-1", "eu-central-1"] } }, /three different Regions/],
    [{ regions: { ...THREE, replicas: [] } }, /must be one Region, or two/],
    [
      { regions: { ...THREE, active: "eu-west-2" } },
      /regions.active must be one of eu-central-1, eu-west-1, eu-west-3/,
    ],
    [
      { regions: { ...WITNESSED, active: "eu-west-3" } },
      /regions.active must be one of eu-central-1, eu-west-1/,
    ],
    [{ regions: { ...THREE, replicas: ["sa-east-1", "eu-west-1"] } }, /must be one of us-east-1/],
    [{ regions: THREE, region: "sa-east-1" }, /region must be one of us-east-1/],
    [
      { regions: THREE, tableName: "restored" },
      /tableName must be absent beside regions: only an empty table gets several, and docs.restore.md/,
    ],
    [{ regions: { replicas: ["eu-west-1", "eu-west-3"] } }, /active/],
  ])("%j is rejected by its name", (settings, message) => {
    expect(rejected(settings)).toThrow(message);
  });

  it("needs an account and a Region", () => {
    expect(() => readDeployment("dev", { regions: THREE })).toThrow(
      /region is required beside regions/,
    );
  });
});
