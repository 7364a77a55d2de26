import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { stageOfContext } from "../../cdk/stage.ts";
import { FUNCTIONS, templates } from "./templates.ts";

const context = { "aws:cdk:bundling-stacks": [], "plat:dev": { tracing: "xray" } };
const traced = Template.fromStack(stageOfContext(new App({ context }), "dev").stateless);

it("with tracing by X-Ray every function writes traces, and may", () => {
  const functions = Object.values(traced.findResources("AWS::Lambda::Function"));
  expect(functions).toHaveLength(FUNCTIONS.length);
  for (const { Properties } of functions)
    expect(Properties.TracingConfig).toEqual({ Mode: "Active" });
  const policies = Object.values(traced.findResources("AWS::IAM::Policy")).filter((policy) =>
    JSON.stringify(policy).includes("xray:PutTraceSegments"),
  );
  expect(policies).toHaveLength(FUNCTIONS.length);
});

it("without the choice no function is traced", () => {
  for (const { Properties } of Object.values(
    templates.dev.stateless.findResources("AWS::Lambda::Function"),
  ))
    expect(Properties.TracingConfig).toBeUndefined();
});
