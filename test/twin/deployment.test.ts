import { describe, expect, it } from "vitest";
import { deploymentOf } from "../../twin/deployment.ts";
import { Intrinsics } from "../../twin/intrinsics.ts";
import type { Stack } from "../../twin/names.ts";
import { apiOf, arnOf, stackOf } from "./account.ts";

const below: Stack = {
  name: "below",
  account: "123456789012",
  region: "eu-central-1",
  resources: { Items: { Type: "AWS::DynamoDB::GlobalTable" } },
  outputs: { TableArn: { Value: arnOf("Items"), Export: { Name: "below:items" } } },
};
const above = stackOf({
  functions: { f: { code: "" } },
  resources: {
    Queue: { Type: "AWS::SQS::Queue", Properties: { QueueName: "failed" } },
    Topic: { Type: "AWS::SNS::Topic" },
    Live: { Type: "AWS::Lambda::Alias", Properties: { FunctionName: { Ref: "f" }, Name: "live" } },
    V: { Type: "AWS::Lambda::Version", Properties: { FunctionName: { Ref: "f" } } },
  },
});

const FUNCTION = "arn:aws:lambda:eu-central-1:123456789012:function:f";

describe("an intrinsic of a template", () => {
  const resolve = (value: unknown) => new Intrinsics([below, above]).resolve(above, value);

  it.each([
    [{ Ref: "f" }, "f"],
    [arnOf("f"), FUNCTION],
    [{ Ref: "Live" }, `${FUNCTION}:live`],
    [{ Ref: "V" }, `${FUNCTION}:1`],
    [{ "Fn::GetAtt": "V.Version" }, "1"],
    [{ Ref: "Queue" }, "https://sqs.eu-central-1.amazonaws.com/123456789012/failed"],
    [arnOf("Queue"), "arn:aws:sqs:eu-central-1:123456789012:failed"],
    [
      { "Fn::ImportValue": "below:items" },
      expect.stringMatching(
        /^arn:aws:dynamodb:eu-central-1:123456789012:table\/below-Items-[0-9A-Z]{12}$/,
      ),
    ],
    [{ Ref: "Topic" }, expect.stringMatching(/^arn:aws:sns:eu-central-1:123456789012:test-Topic-/)],
    [{ "Fn::Join": ["/", ["a", { Ref: "AWS::AccountId" }]] }, "a/123456789012"],
    [{ "Fn::Sub": `\${AWS::Region}/\${f.Arn}/\${!f}` }, `eu-central-1/${FUNCTION}/\${f}`],
    [{ "Fn::Sub": [`\${x}-\${f}`, { x: { Ref: "AWS::Partition" } }] }, "aws-f"],
    [{ "Fn::Select": [1, { "Fn::Split": [":", arnOf("f")] }] }, "aws"],
    [
      { a: [{ Ref: "AWS::StackName" }], b: 1 },
      { a: ["test"], b: 1 },
    ],
  ])("%j is %j", (value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each([
    [{ "Fn::Cidr": [] }, "the intrinsic Fn::Cidr is not known"],
    [{ Ref: "nothing" }, "the stack test has no resource nothing"],
    [{ "Fn::ImportValue": "nothing" }, "no stack exports nothing"],
    [
      { "Fn::GetAtt": ["f", "SnapStart"] },
      "the attribute SnapStart of f, a AWS::Lambda::Function, is not known",
    ],
  ])("%j is rejected: %s", (value, problem) => {
    expect(() => resolve(value)).toThrow(problem);
  });
});

it("a route that calls an alias reaches its function, whose version the alias leads to", () => {
  const { functions, api } = deploymentOf([
    {
      ...above,
      resources: {
        ...above.resources,
        Api: apiOf({ "POST /f": { servedBy: "f" } }, { f: { Ref: "Live" } }),
      },
    },
  ]);
  expect(api.routes).toMatchObject([{ key: "POST /f", functionArn: `${FUNCTION}:live` }]);
  expect(functions).toMatchObject([{ name: "f", arn: FUNCTION, version: "1" }]);
});

it("what the twin cannot play is rejected by name, not left out", () => {
  const old = stackOf({ functions: { f: { code: "", properties: { Runtime: "python3.13" } } } });
  expect(() => deploymentOf([old])).toThrow(/f, a AWS::Lambda::Function: .*nodejs24\.x/s);
  const cron = {
    Type: "AWS::Scheduler::Schedule",
    Properties: { ScheduleExpression: "cron(0 * * * ? *)", Target: { Arn: "a", RoleArn: "r" } },
  };
  const scheduled = stackOf({ functions: {}, resources: { cron } });
  expect(() => deploymentOf([scheduled])).toThrow(/only schedules at a rate are known/);
  const Api = apiOf({ "POST /f": { servedBy: "g" } }, { f: arnOf("f") });
  expect(() => deploymentOf([{ ...above, resources: { ...above.resources, Api } }])).toThrow(
    "POST /f has no integration",
  );
  const limits = { ThrottlingBurstLimit: 1, ThrottlingRateLimit: 1 };
  const Stage = {
    Type: "AWS::ApiGatewayV2::Stage",
    Properties: { StageName: "$default", RouteSettings: { "GET /gone": limits } },
  };
  expect(() => deploymentOf([{ ...above, resources: { ...above.resources, Stage } }])).toThrow(
    "the stage has settings of GET /gone, which is no route",
  );
});
