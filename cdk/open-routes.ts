import { CfnStage, type HttpStage } from "aws-cdk-lib/aws-apigatewayv2";
import { CONSOLE_PATHS, CONSOLE_THROTTLE } from "./console.ts";

/** The path that an environment can open to everybody. Its answer says that Plat serves, and nothing else. */
export const HEALTH_PATH = "/healthz";

export const HEALTH_METHODS = ["GET", "HEAD"] as const;

/** The rate of a health checker that asks every second from some places. */
export const HEALTH_THROTTLE = { throttlingRateLimit: 10, throttlingBurstLimit: 20 };

/** The rates of routes that everybody may call, by the keys of the routes, such as `GET /healthz`. */
export type OpenRoutes = ReadonlyMap<string, typeof HEALTH_THROTTLE>;

/** Returns the routes of an HTTP API that everybody may call. */
export const openRoutes = (has: {
  readonly publicHealth: boolean;
  readonly console: boolean;
}): OpenRoutes =>
  new Map([
    ...(has.publicHealth
      ? HEALTH_METHODS.map((method) => [`${method} ${HEALTH_PATH}`, HEALTH_THROTTLE] as const)
      : []),
    ...(has.console ? CONSOLE_PATHS.map((path) => [`GET ${path}`, CONSOLE_THROTTLE] as const) : []),
  ]);

/**
 * Limits the rate of the open routes of a stage, so that nobody outside takes executions of the account
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html).
 */
export function limitOpenRoutes(stage: HttpStage, routes: OpenRoutes): void {
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof CfnStage) || routes.size === 0) return;
  defaultChild.routeSettings = Object.fromEntries(
    [...routes].map(([key, { throttlingRateLimit, throttlingBurstLimit }]) => [
      key,
      // CloudFormation takes the names as they are.
      { ThrottlingRateLimit: throttlingRateLimit, ThrottlingBurstLimit: throttlingBurstLimit },
    ]),
  );
}
