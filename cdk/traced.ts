import type { IAspect } from "aws-cdk-lib";
import { CfnStage } from "aws-cdk-lib/aws-apigateway";
import { Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { CfnFunction } from "aws-cdk-lib/aws-lambda";
import type { IConstruct } from "constructs";
import { TableFunction } from "./function.ts";

/**
 * Lets Lambda write a trace of each function within a scope to X-Ray: when the function was called, and how long it took
 * to start and to answer (https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html).
 */
export class Traced implements IAspect {
  visit(node: IConstruct): void {
    // An HTTP API has no traces, and a REST API begins them.
    if (node instanceof CfnStage) node.tracingEnabled = true;
    if (!(node instanceof TableFunction)) return;
    const { function: traced } = node;
    const resource = traced.node.defaultChild;
    if (resource instanceof CfnFunction) resource.tracingConfig = { mode: "Active" };
    traced.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
        // X-Ray has no resources for these
        // (https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html).
        resources: ["*"],
      }),
    );
  }
}
