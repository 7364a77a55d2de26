import { App } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { stageOfContext } from "../../cdk/stage.ts";
import { templates } from "./templates.ts";

const context = { "aws:cdk:bundling-stacks": [], "plat:dev": { probe: true } };
const probed = Template.fromStack(stageOfContext(new App({ context }), "dev").stateless);
const alarm = (template: Template) =>
  Object.values(template.findResources("AWS::CloudWatch::Alarm")).find(({ Properties }) =>
    Properties.AlarmName.endsWith("NoHeartbeatOfProbe"),
  );

describe("a probe", () => {
  it("runs once a minute, and the next run is its retry", () => {
    const [[id = ""] = []] = Object.entries(probed.findResources("AWS::Lambda::Function")).filter(
      ([name]) => name.startsWith("Probe"),
    );
    expect(id).not.toBe("");
    probed.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      FunctionName: { Ref: id },
      MaximumRetryAttempts: 0,
    });
    const alias = Object.keys(probed.findResources("AWS::Lambda::Alias")).find((name) =>
      name.startsWith("Probe"),
    );
    probed.hasResourceProperties("AWS::Scheduler::Schedule", {
      ScheduleExpression: "rate(1 minute)",
      Target: Match.objectLike({ Arn: { Ref: alias } }),
    });
  });

  it("without a heartbeat raises an alarm", () => {
    expect(alarm(probed)?.Properties).toMatchObject({
      TreatMissingData: "breaching",
      EvaluationPeriods: 5,
      DatapointsToAlarm: 4,
    });
  });

  it("is a choice: without it there is neither function nor alarm", () => {
    expect(alarm(templates.dev.stateless)).toBeUndefined();
    const functions = Object.keys(templates.dev.stateless.findResources("AWS::Lambda::Function"));
    expect(functions.filter((name) => name.startsWith("Probe"))).toEqual([]);
  });
});
