import { Duration, Stack } from "aws-cdk-lib";
import { Alarm, type IAlarm, Stats, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { LIVE_ALIAS } from "../src/rollback/target.ts";
import type { TableFunction } from "./function.ts";
import type { StageMetrics } from "./metrics.ts";

export interface CanaryProps {
  /** The functions of requests. */
  readonly functions: readonly TableFunction[];
  readonly stage: StageMetrics;
  /** The alarm of operators about requests that fail for minutes. */
  readonly serverErrors: IAlarm;
}

/**
 * Requests with a 5xx in a minute that end a rollout. The canary has a tenth of the requests for five minutes, and the
 * alarm of operators needs ten minutes.
 */
const SERVER_ERRORS_MAX = 3;

/**
 * Moves the requests of each function to its new version in two steps: 10 % of them, and after five minutes the others.
 * CodeDeploy moves the alias back, and CloudFormation then rolls the deployment back, if an alarm is raised meanwhile
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuring-alias-routing.html).
 */
export class Canary extends Construct {
  constructor(scope: Construct, id: string, { functions, stage, serverErrors }: CanaryProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const quick = { evaluationPeriods: 1, treatMissingData: TreatMissingData.NOT_BREACHING };
    const ofAMinute = { statistic: Stats.SUM, period: Duration.minutes(1) };
    const failing = new Alarm(this, "ServerErrors", {
      alarmName: `${stackName}-RolloutServerErrors`,
      alarmDescription:
        "Ends a rollout: requests get a 5xx. Look at the deployment in CodeDeploy, and find the requests in the access log.",
      metric: stage.metricServerError(ofAMinute),
      threshold: SERVER_ERRORS_MAX,
      ...quick,
    });

    const application = new LambdaApplication(this, "Application");
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("codedeploy.amazonaws.com"),
    });
    for (const { node, alias } of functions) {
      // Counts stopped and crashed invocations of both versions. A request that fails in an orderly way is a 5xx.
      const crashing = new Alarm(this, `${node.id}Errors`, {
        alarmName: `${stackName}-RolloutErrors-${node.id}`,
        alarmDescription: `Ends a rollout of ${node.id}: Lambda stopped an invocation, or it crashed. Look at the log of the function.`,
        metric: alias.metricErrors(ofAMinute),
        threshold: 1,
        ...quick,
      });
      const alarms = [serverErrors, failing, crashing];
      const group = new LambdaDeploymentGroup(this, node.id, {
        application,
        alias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms,
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
        // The CDK would add a policy of AWS that covers every function of the account.
        role: role.withoutPolicyUpdates(),
      });
      // The ARN of the alias itself would make the alias wait for itself.
      const { functionArn } = alias.lambda;
      role.addToPolicy(
        new PolicyStatement({
          actions: ["lambda:GetAlias", "lambda:UpdateAlias"],
          resources: [functionArn, `${functionArn}:${LIVE_ALIAS}`],
        }),
      );
      role.addToPolicy(
        new PolicyStatement({
          actions: ["cloudwatch:DescribeAlarms"],
          resources: alarms.map(({ alarmArn }) => alarmArn),
        }),
      );
      group.node.addDependency(role);
    }
  }
}
