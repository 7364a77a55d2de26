import type * as v from "valibot";
import { accessLogOf } from "./access-log.ts";
import type * as properties from "./api-properties.ts";
import { limitsOf, routeKeyOf } from "./definition.ts";
import type { DeployedApi, DeployedAuthorizer } from "./deployment.ts";
import type { Stack } from "./names.ts";

interface HttpApiProps {
  readonly api: { readonly name: string; readonly read: v.InferOutput<typeof properties.httpApi> };
  readonly stage: v.InferOutput<typeof properties.stage>;
  /** The name of the API, if it has one of its own. */
  readonly domainName: string | undefined;
}

/**
 * Returns the HTTP API of a template.
 *
 * @throws if a route leads to no integration, or if the stage has settings of a route that does not exist
 */
export function httpApiOf(
  { region }: Pick<Stack, "region">,
  { api, stage, domainName }: HttpApiProps,
): DeployedApi {
  const { paths, components } = api.read.Body;
  const { "x-amazon-apigateway-integrations": integrations, securitySchemes } = components;
  const caller = authorizerOf(securitySchemes.caller);
  const routes = Object.entries(paths).flatMap(([path, { parameters: _, ...methods }]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          isDefaultRoute,
          security,
          "x-amazon-apigateway-integration": { $ref },
        },
      ]) => {
        const key = isDefaultRoute ? "$default" : routeKeyOf(method, path);
        const functionArn = integrations[$ref]?.uri;
        if (functionArn === undefined) throw new Error(`${key} has no integration`);
        const authorizer = security.some((one) => "caller" in one) ? caller : NOBODY;
        return { key, authorizer, functionArn };
      },
    ),
  );
  const lost = Object.keys(stage.RouteSettings).find((key) =>
    routes.every((route) => route.key !== key),
  );
  if (lost !== undefined) throw new Error(`the stage has settings of ${lost}, which is no route`);
  return {
    id: api.name,
    domainName: domainName ?? `${api.name}.execute-api.${region}.amazonaws.com`,
    stage: stage.StageName,
    ...limitsOf(stage.DefaultRouteSettings),
    ...accessLogOf(stage.AccessLogSettings),
    routes,
    throttles: new Map(
      Object.entries(stage.RouteSettings).map(([key, limits]) => [key, limitsOf(limits)]),
    ),
  };
}

const NOBODY: DeployedAuthorizer = { type: "none" };

function authorizerOf(
  scheme: v.InferOutput<
    typeof properties.httpApi
  >["Body"]["components"]["securitySchemes"]["caller"],
): DeployedAuthorizer {
  if ("x-amazon-apigateway-authtype" in scheme) return { type: "iam" };
  const authorizer = scheme["x-amazon-apigateway-authorizer"];
  if (authorizer.type === "jwt") return { type: "jwt", ...authorizer.jwtConfiguration };
  return {
    type: "lambda",
    id: "caller",
    functionArn: authorizer.authorizerUri,
    ttlSeconds: authorizer.authorizerResultTtlInSeconds,
  };
}
