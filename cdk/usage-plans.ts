import { Stack } from "aws-cdk-lib";
import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey, type Stage } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import type { UsagePlanChoice } from "./api-choice.ts";

export interface UsagePlansProps {
  readonly apiId: string;
  readonly stage: Stage;
  readonly usagePlans: readonly UsagePlanChoice[];
}

/**
 * The usage plans of a stage, each with its keys. A key says whose requests count, and authorizes nobody
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-usage-plans.html).
 */
export class UsagePlans extends Construct {
  constructor(scope: Construct, id: string, { apiId, stage, usagePlans }: UsagePlansProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    for (const { name, keys, throttle, routes, quota } of usagePlans) {
      const plan = new CfnUsagePlan(this, `Plan-${name}`, {
        usagePlanName: `${stackName}-${name}`,
        throttle,
        ...(quota && { quota }),
        apiStages: [
          {
            apiId,
            stage: stage.stageName,
            throttle: Object.fromEntries(
              Object.entries(routes).map(([key, limits]) => [methodPath(key), limits]),
            ),
          },
        ],
      });
      // Any change of a plan's key is a replacement, which API Gateway refuses while the key is in a plan of the stage.
      for (const key of keys)
        new CfnUsagePlanKey(this, `PlanKey-${key}`, {
          usagePlanId: plan.ref,
          keyType: "API_KEY",
          keyId: new CfnApiKey(this, `Key-${key}`, {
            name: `${stackName}-${key}`,
            enabled: true,
          }).ref,
        });
    }
  }
}

/** Returns a route as a usage plan names it: `/v1/assign/POST`. */
function methodPath(routeKey: string): string {
  const [method, path] = routeKey.split(" ");
  return `${path}/${method}`;
}
