import type { Deployment } from "./deployment.ts";
import { decide } from "./iam.ts";

/**
 * Returns true if a permission of a function allows the API to invoke it.
 *
 * @param source the route or the authorizer, as the end of an ARN of the API: `$default/GET/v1/pools`
 */
export function apiMayInvoke(
  { account, region, api, permissions }: Deployment,
  functionArn: string,
  source: string,
): boolean {
  const resource = `arn:aws:execute-api:${region}:${account}:${api.id}/${source}`;
  return permissions.some(
    (permission) =>
      permission.principal === "apigateway.amazonaws.com" &&
      permission.functionArn === functionArn &&
      decide([{ Effect: "Allow", Action: "*", Resource: permission.sourceArn }], {
        action: "lambda:InvokeFunction",
        resource,
      }) === "allowed",
  );
}
