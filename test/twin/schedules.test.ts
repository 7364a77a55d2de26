import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import type { Twin } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";
import { arnOf, startAccount } from "./account.ts";

const schedule = (name: string, role: string, properties = {}) => ({
  Type: "AWS::Scheduler::Schedule",
  Properties: {
    Name: name,
    ScheduleExpression: "rate(1 minute)",
    Target: {
      Arn: arnOf("counting"),
      RoleArn: arnOf(role),
      DeadLetterConfig: { Arn: arnOf("Failed") },
    },
    ...properties,
  },
});
const role = (...statements: unknown[]) => ({
  Type: "AWS::IAM::Role",
  Properties: { Policies: [{ PolicyDocument: { Statement: statements } }] },
});
const INVOKE = { Effect: "Allow", Action: "lambda:InvokeFunction", Resource: arnOf("counting") };
const SEND = { Effect: "Allow", Action: "sqs:SendMessage", Resource: arnOf("Failed") };

/** Code that puts an item for every event, over HTTP, because the sandbox has no SDK. */
const COUNTING = `
  export const handler = async (event) => {
    const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ACCESS_KEY_ID } = process.env;
    const response = await fetch(AWS_ENDPOINT_URL_DYNAMODB, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": "DynamoDB_20120810.PutItem",
        "x-amz-date": "20260101T000000Z",
        authorization: "AWS4-HMAC-SHA256 Credential=" + AWS_ACCESS_KEY_ID + "/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
      },
      body: JSON.stringify({ TableName: "things", Item: { pk: { S: event.source ?? event.mine } } }),
    });
    if (!response.ok) throw new Error(await response.text());
  };`;

describe.runIf(emulatorBinary())("a schedule of the twin", () => {
  let twin: Twin;

  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    twin = await startAccount(
      {
        functions: {
          counting: {
            code: COUNTING,
            statements: [{ Effect: "Allow", Action: "dynamodb:PutItem", Resource: arnOf("Table") }],
          },
        },
        resources: {
          Failed: { Type: "AWS::SQS::Queue" },
          Clock: role(INVOKE, SEND),
          Powerless: role(SEND),
          ScheduledRun: schedule("tick", "Clock"),
          Mine: schedule("mine", "Clock", {
            Target: { Arn: arnOf("counting"), RoleArn: arnOf("Clock"), Input: '{"mine":"input"}' },
          }),
          Off: schedule("off", "Clock", { State: "DISABLED" }),
          Denied: schedule("denied", "Powerless"),
        },
      },
      { scheduleSeconds: 1 },
    );
  });
  afterAll(() => twin.stop());

  it("hands its event to its function", async () => {
    const { Items } = await import("@aws-sdk/client-dynamodb").then(({ ScanCommand }) =>
      eventually(async () => {
        const found = await twin.database.send(new ScanCommand({ TableName: "things" }));
        expect(found.Items).toHaveLength(2);
        return found;
      }),
    );
    expect(Items?.map(({ pk }) => pk?.S).sort()).toEqual(["aws.scheduler", "input"]);
  });

  it("whose role may not invoke the function leaves its event in its dead-letter queue", async () => {
    await eventually(() => expect(twin.queues.messages.length).toBeGreaterThan(0));
    expect(twin.queues.messages[0]?.body).toMatchObject({
      errorCode: "AccessDenied",
      errorMessage: expect.stringMatching(/may not invoke .*:function:counting$/),
    });
  });

  it("takes turns with others of its function, where they come faster than the template says", () => {
    const serving = twin.lambda.environments.filter((one) => one.function === "counting");
    expect(serving).toHaveLength(1);
  });

  it("that is disabled does nothing, and rates are those of the template", () => {
    const { schedules } = twin.deployment;
    expect(schedules.map(({ name, rateSeconds }) => [name, rateSeconds])).toEqual([
      ["tick", 60],
      ["mine", 60],
      ["denied", 60],
    ]);
  });
});
