import { Stack } from "aws-cdk-lib";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { TableFunction } from "./function.ts";

/** Returns the URI by which API Gateway invokes a function, from its ARN. */
export const invocationUri = (scope: Construct, functionArn: string): string =>
  Stack.of(scope).formatArn({
    service: "apigateway",
    account: "lambda",
    resource: "path",
    resourceName: `2015-03-31/functions/${functionArn}/invocations`,
  });

/**
 * Lets an API invoke the live version of a function from some of its calls, or from its authorizers. One permission covers
 * all its routes, because a function's policy may have 20 KB and one for each route takes 400 bytes
 * (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
 */
export function permit({ alias }: TableFunction, apiId: string, calls: string): void {
  alias.addPermission("Api", {
    principal: new ServicePrincipal("apigateway.amazonaws.com"),
    sourceArn: Stack.of(alias).formatArn({
      service: "execute-api",
      resource: apiId,
      resourceName: calls,
    }),
  });
}
