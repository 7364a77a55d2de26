import { CfnStage, type HttpRoute, type HttpStage } from "aws-cdk-lib/aws-apigatewayv2";

/** The path that an environment can open to everybody. Its answer says that Plat serves, and nothing else. */
export const HEALTH_PATH = "/healthz";

/** The rate of a health checker that asks every second from some places. */
export const HEALTH_THROTTLE = { throttlingRateLimit: 10, throttlingBurstLimit: 20 };

/** A route that everybody may call, and its rate. */
export interface PublicRoute {
  readonly route: HttpRoute;
  readonly throttle: typeof HEALTH_THROTTLE;
}

/**
 * Limits the rate of the public routes of a stage, so that nobody outside takes executions of the account
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html).
 *
 * @param routes by their keys, such as `GET /healthz`
 */
export function limitPublicRoutes(
  stage: HttpStage,
  routes: ReadonlyMap<string, PublicRoute>,
): void {
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof CfnStage) || routes.size === 0) return;
  defaultChild.routeSettings = Object.fromEntries(
    [...routes].map(([key, { throttle }]) => [
      key,
      // CloudFormation takes the names as they are.
      {
        ThrottlingRateLimit: throttle.throttlingRateLimit,
        ThrottlingBurstLimit: throttle.throttlingBurstLimit,
      },
    ]),
  );
  // A stage cannot have settings of a route that does not exist yet.
  for (const { route } of routes.values()) defaultChild.node.addDependency(route);
}
