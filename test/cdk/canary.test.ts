import { App } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { ENVIRONMENT_NAMES, type EnvironmentName } from "../../cdk/environments.ts";
import { stageOfContext } from "../../cdk/stage.ts";
import { ACCESS_BY_TOKEN, stageOf } from "./choices.ts";
import { HTTP_FUNCTIONS, SCHEDULED_FUNCTIONS, templates } from "./templates.ts";

const GROUP = "AWS::CodeDeploy::DeploymentGroup";

function templateOf(name: EnvironmentName, rollout: string): Template {
  const context = { "aws:cdk:bundling-stacks": [], [`plat:${name}`]: { rollout } };
  return Template.fromStack(stageOfContext(new App({ context }), name).stateless);
}

describe.each(ENVIRONMENT_NAMES)("a canary in %s", (name) => {
  const template = templateOf(name, "canary");
  const groups = template.findResources(GROUP);
  const aliases = Object.entries(template.findResources("AWS::Lambda::Alias"));
  const aliasOf = (served: string) =>
    aliases.find(([id]) => id.startsWith(`${served}FunctionAliaslive`))?.[1];

  it.each(HTTP_FUNCTIONS)(
    "moves a tenth of the requests of %s for five minutes, then all",
    (served) => {
      const { ApplicationName, DeploymentGroupName } =
        aliasOf(served)?.UpdatePolicy.CodeDeployLambdaAliasUpdate ?? {};
      expect(ApplicationName).toEqual({ Ref: expect.stringMatching(/^CanaryApplication/) });
      expect(groups[DeploymentGroupName.Ref]?.Properties).toMatchObject({
        DeploymentConfigName: "CodeDeployDefault.LambdaCanary10Percent5Minutes",
        DeploymentStyle: { DeploymentType: "BLUE_GREEN", DeploymentOption: "WITH_TRAFFIC_CONTROL" },
      });
    },
  );

  it.each([...SCHEDULED_FUNCTIONS, "intake"])(
    "moves %s at once, because no request waits for it",
    (run) => {
      expect(aliasOf(run)).not.toHaveProperty("UpdatePolicy");
    },
  );

  it.each(HTTP_FUNCTIONS)("goes back if requests fail, or if %s crashes", (served) => {
    const [group] = Object.entries(groups).filter(([id]) => id.startsWith(`Canary${served}`));
    const { AlarmConfiguration, AutoRollbackConfiguration } = group?.[1].Properties ?? {};
    expect(AlarmConfiguration.Enabled).toBe(true);
    expect(
      AlarmConfiguration.Alarms.map(({ Name }: { Name: { Ref: string } }) => Name.Ref),
    ).toEqual([
      expect.stringMatching(/^AlarmsServerErrors/),
      expect.stringMatching(/^CanaryServerErrors/),
      expect.stringMatching(new RegExp(`^Canary${served}Errors`)),
    ]);
    expect(AutoRollbackConfiguration).toEqual({
      Enabled: true,
      Events: expect.arrayContaining(["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM"]),
    });
  });

  it("sees failing requests and crashes within a minute, well before its five minutes end", () => {
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      AlarmName: `plat-${name}-stateless-RolloutServerErrors`,
      MetricName: "5xx",
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 3,
    });
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      AlarmName: `plat-${name}-stateless-RolloutErrors-assign`,
      Namespace: "AWS/Lambda",
      MetricName: "Errors",
      Dimensions: Match.arrayWith([Match.objectLike({ Name: "Resource" })]),
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
    });
  });

  it("may move the aliases of these functions, and read these alarms, and nothing else", () => {
    const [policy] = Object.entries(template.findResources("AWS::IAM::Policy"))
      .filter(([id]) => id.startsWith("CanaryRole"))
      .map(([, { Properties }]) => Properties.PolicyDocument.Statement);
    const actions = policy.flatMap(({ Action }: { Action: string | string[] }) => Action);
    expect([...new Set(actions)].sort()).toEqual([
      "cloudwatch:DescribeAlarms",
      "lambda:GetAlias",
      "lambda:UpdateAlias",
    ]);
    expect(JSON.stringify(policy)).not.toContain('"*"');
    const [role] = Object.entries(template.findResources("AWS::IAM::Role")).filter(([id]) =>
      id.startsWith("CanaryRole"),
    );
    expect(role?.[1].Properties).not.toHaveProperty("ManagedPolicyArns");
  });

  it("has its rights before it can begin", () => {
    const [policy] = Object.keys(template.findResources("AWS::IAM::Policy")).filter((id) =>
      id.startsWith("CanaryRole"),
    );
    for (const { DependsOn } of Object.values(groups)) expect(DependsOn).toContain(policy);
  });
});

it("a canary moves authorize, console, publish and the probe at once, as docs/deploy.md says", () => {
  const settings = { rollout: "canary", access: ACCESS_BY_TOKEN, console: {}, probe: true };
  const stage = stageOf({ name: "canary", environment: "dev", settings });
  const aliases = Object.entries(
    Template.fromStack(stage.stateless).findResources("AWS::Lambda::Alias"),
  );
  const atOnce = aliases
    .filter(([, { UpdatePolicy }]) => UpdatePolicy === undefined)
    .map(([id]) => id.replace(/FunctionAliaslive.*$/, ""));
  expect(atOnce.sort()).toEqual([
    ...["Probeprobe", "authorize", "console", "intake", "publish"],
    ...SCHEDULED_FUNCTIONS,
  ]);
});

it("without the setting, and at once, CodeDeploy has no part", () => {
  for (const name of ENVIRONMENT_NAMES)
    for (const template of [templates[name].stateless, templateOf(name, "at-once")])
      expect(template.findResources(GROUP)).toEqual({});
});
