import { App } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { ENVIRONMENT_NAMES, type EnvironmentName } from "../../cdk/environments.ts";
import { type PlatStage, stageOfContext } from "../../cdk/stage.ts";
import { templates } from "./templates.ts";

const REGION = { Ref: "AWS::Region" };
const ACCOUNT = { Ref: "AWS::AccountId" };
/** The ARN of the key in another stack. */
const ARN = Match.objectLike({ "Fn::ImportValue": Match.stringLikeRegexp("^plat-\\w+-key:") });

/** The property of each type of resource that names its key. */
const KEY_PROPERTIES: Readonly<Record<string, string>> = {
  "AWS::Events::EventBus": "KmsKeyIdentifier",
  "AWS::Logs::LogGroup": "KmsKeyId",
  "AWS::SNS::Topic": "KmsMasterKeyId",
  "AWS::SQS::Queue": "KmsMasterKeyId",
};

function stageOf(name: EnvironmentName, settings: object = {}) {
  const context = {
    "aws:cdk:bundling-stacks": [],
    [`plat:${name}`]: { customerManagedKey: true, ...settings },
  };
  return stageOfContext(new App({ context }), name);
}

function templateOf(stack: PlatStage["key" | "stateful" | "trail" | "stateless"]) {
  if (!stack) throw new Error("the stage has no such stack");
  return Template.fromStack(stack);
}

describe.each(ENVIRONMENT_NAMES)("a customer managed key in %s", (name) => {
  const { key, stateful, trail, stateless } = stageOf(name);
  const keys = Object.values(templateOf(key).findResources("AWS::KMS::Key"));
  const arn = {
    "Fn::ImportValue": expect.stringMatching(/^plat-\w+-key:ExportsOutputFnGetAttKey/),
  };

  it("is one, rotates, and stays in prod when its stack is deleted", () => {
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({
      DeletionPolicy: name === "prod" ? "Retain" : "Delete",
      Properties: { EnableKeyRotation: true, PendingWindowInDays: 30 },
    });
  });

  it.each(Object.entries(KEY_PROPERTIES))("encrypts every %s", (type, property) => {
    const resources = Object.values(templateOf(stateless).findResources(type));
    expect(resources.length).toBeGreaterThan(0);
    for (const { Properties } of resources) expect(Properties[property]).toEqual(arn);
  });

  it("encrypts queues with nothing else", () => {
    for (const { Properties } of Object.values(
      templateOf(stateless).findResources("AWS::SQS::Queue"),
    ))
      expect(Properties).not.toHaveProperty("SqsManagedSseEnabled");
  });

  it("encrypts the history and the trail", () => {
    const kept = templateOf(trail);
    kept.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      Replicas: [{ SSESpecification: { KMSMasterKeyId: ARN } }],
    });
    kept.hasResourceProperties("AWS::S3::Bucket", {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: "aws:kms", KMSMasterKeyID: ARN },
          },
        ],
      },
    });
  });

  it("encrypts the table", () => {
    const [table] = Object.values(templateOf(stateful).findResources("AWS::DynamoDB::GlobalTable"));
    expect(table?.Properties).toMatchObject({
      SSESpecification: { SSEEnabled: true, SSEType: "KMS" },
      Replicas: [{ SSESpecification: { KMSMasterKeyId: arn } }],
    });
  });

  it("gives no function a right of its own: a right to the table or to a queue is enough", () => {
    const policies = Object.values(templateOf(stateless).findResources("AWS::IAM::Policy"));
    expect(JSON.stringify(policies)).not.toContain("kms:");
  });

  const statements: { Sid?: string; Principal: unknown; Condition: unknown; Action: unknown }[] =
    keys[0]?.Properties.KeyPolicy.Statement;
  const statement = (sid: string) => statements.find(({ Sid }) => Sid === sid);

  it.each([
    ["ThroughDynamodb", "dynamodb"],
    ["ThroughSqs", "sqs"],
    ["ThroughS3", "s3"],
  ])("is open to principals of this account through one service: %s", (sid, service) => {
    expect(statement(sid)).toMatchObject({
      Principal: { AWS: "*" },
      Condition: {
        StringEquals: {
          "kms:CallerAccount": ACCOUNT,
          "kms:ViaService": {
            "Fn::Join": ["", [`${service}.`, REGION, ".", { Ref: "AWS::URLSuffix" }]],
          },
        },
      },
    });
  });

  it("is open to CloudWatch's alarms, and EventBridge's rules and buses, of this account", () => {
    expect(statement("EventsAndAlarms")).toMatchObject({
      Principal: { Service: ["events.amazonaws.com", "cloudwatch.amazonaws.com"] },
      Action: ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"],
      Condition: { StringEquals: { "aws:SourceAccount": ACCOUNT } },
    });
  });

  it("is open to CloudWatch Logs for the log groups of this account", () => {
    expect(JSON.stringify(statement("Logs")?.Condition)).toContain(
      "kms:EncryptionContext:aws:logs:arn",
    );
  });

  it("is open to nobody else but the account's own policies", () => {
    const [root, ...others] = statements;
    expect(JSON.stringify(root?.Principal)).toContain(":root");
    expect(others.map(({ Sid }) => Sid)).toEqual([
      "ThroughDynamodb",
      "ThroughSqs",
      "ThroughS3",
      "EventsAndAlarms",
      "Logs",
    ]);
  });
});

it("an environment without the setting has no key, and its resources have keys of AWS", () => {
  for (const name of ENVIRONMENT_NAMES) {
    const text = JSON.stringify(
      Object.values(templates[name]).map((template) => template.toJSON()),
    );
    expect(text).not.toMatch(/KmsKeyId|KmsMasterKeyId|KMSMasterKeyId/);
  }
});

it("an environment with a restored table has the key, which its queues and logs use", () => {
  const { key, stateful, stateless } = stageOf("prod", { tableName: "restored" });
  expect(stateful).toBeUndefined();
  expect(Object.keys(templateOf(key).findResources("AWS::KMS::Key"))).toHaveLength(1);
  expect(JSON.stringify(templateOf(stateless).toJSON())).toContain("plat-prod-key:");
});
