import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { NETBOX_METHODS, NETBOX_PATH } from "../src/contract/netbox/path.ts";
import { type FunctionName, methodsOf, ROUTES } from "../src/contract/routes/routes.ts";
import { tell, type Way } from "./authorizer.ts";
import { CONSOLE_PATHS, CONSOLE_THROTTLE } from "./console.ts";
import { Domain } from "./domain.ts";
import type { DomainChoice } from "./domain-choice.ts";
import type { Environment } from "./environments.ts";
import type { TableFunction } from "./function.ts";
import {
  HEALTH_PATH,
  HEALTH_THROTTLE,
  limitPublicRoutes,
  type PublicRoute,
} from "./public-health.ts";

/**
 * The limits prevent a loop in one caller from taking the Lambda concurrency of the whole account, which is 1000 unless
 * raised.
 */
export const THROTTLE = { rateLimit: 1000, burstLimit: 500 };

/**
 * Returns the format of the access log: one line per request, with the caller, the request, the result and the duration.
 * Instead of the path it has the route, because no log contains handles, hosts or addresses.
 */
const accessLog = (principal: string) =>
  AccessLogFormat.custom(
    JSON.stringify({
      requestId: "$context.requestId",
      caller: principal,
      sourceIp: "$context.identity.sourceIp",
      routeKey: "$context.routeKey",
      status: "$context.status",
      latencyMs: "$context.responseLatency",
      error: "$context.error.message",
      integrationError: "$context.integrationErrorMessage",
      authorizerError: "$context.authorizer.error",
    }),
  );

export interface ApiProps {
  readonly environment: Environment;
  /** The way in which it authorizes callers. */
  readonly way: Way;
  readonly domain: DomainChoice | undefined;
  readonly functions: Readonly<Record<FunctionName, TableFunction>>;
  /** True if everybody may ask for /healthz. */
  readonly publicHealth: boolean;
  /** The function that serves the console to everybody. */
  readonly console?: TableFunction;
  /** The function that serves NetBox's dialect. */
  readonly netbox?: TableFunction;
}

/** The HTTP API. It authorizes every request in one way, also for /readyz. An environment can open /healthz. */
export class Api extends Construct {
  readonly apiId: string;
  /** The URL of the API, without a slash at the end. */
  readonly endpoint: string;
  readonly stage: HttpStage;
  readonly stageName = "$default";
  /** The log with a line for each request. */
  readonly accessLog: LogGroup;

  constructor(
    scope: Construct,
    id: string,
    { environment, way, domain, functions, publicHealth, console, netbox }: ApiProps,
  ) {
    super(scope, id);
    const { authorizer, principal } = way;
    const api = new HttpApi(this, "HttpApi", {
      defaultAuthorizer: authorizer,
      // The function without access to the table rejects unknown routes with a problem of the API. The permission is
      // scoped to its route, because the ARN of `$default` has one segment less than those in the permission for all
      // routes.
      defaultIntegration: new HttpLambdaIntegration("default", functions.openapi.live),
      // The default stage of the API would have neither throttling nor an access log.
      createDefaultStage: false,
      // Callers must not depend on a name that ends with the stack.
      ...(domain && { disableExecuteApiEndpoint: true }),
    });
    this.apiId = api.apiId;
    this.endpoint = domain === undefined ? api.apiEndpoint : `https://${domain.name}`;

    tell({ ...functions, ...(netbox && { netbox }) }, way);
    const opened = new Map<string, PublicRoute>();
    const integrations = new Map<FunctionName, HttpLambdaIntegration>();
    for (const route of ROUTES) {
      const integration =
        integrations.get(route.function) ??
        // One permission for all routes: a function's policy may have 20 KB, and a permission for one route takes 400
        // bytes.
        new HttpLambdaIntegration(route.function, functions[route.function].live, {
          scopePermissionToRoute: false,
        });
      integrations.set(route.function, integration);
      const isPublic = publicHealth && route.path === HEALTH_PATH;
      for (const method of methodsOf(route)) {
        const methods = [HttpMethod[method]];
        const authorizer = isPublic ? { authorizer: new HttpNoneAuthorizer() } : {};
        const [added] = api.addRoutes({ path: route.path, methods, integration, ...authorizer });
        if (isPublic && added)
          opened.set(`${method} ${route.path}`, { route: added, throttle: HEALTH_THROTTLE });
      }
    }
    if (netbox)
      api.addRoutes({
        path: NETBOX_PATH,
        methods: NETBOX_METHODS.map((method) => HttpMethod[method]),
        integration: new HttpLambdaIntegration("netbox", netbox.live, {
          scopePermissionToRoute: false,
        }),
      });
    const files =
      console &&
      new HttpLambdaIntegration("console", console.live, { scopePermissionToRoute: false });
    if (files)
      for (const path of CONSOLE_PATHS) {
        const [added] = api.addRoutes({
          path,
          methods: [HttpMethod.GET],
          integration: files,
          authorizer: new HttpNoneAuthorizer(),
        });
        if (added) opened.set(`GET ${path}`, { route: added, throttle: CONSOLE_THROTTLE });
      }

    this.accessLog = new LogGroup(this, "AccessLogs", {
      retention: environment.logRetention,
      removalPolicy: environment.removalPolicy,
    });
    this.stage = new HttpStage(this, "Stage", {
      httpApi: api,
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: accessLog(principal),
      },
    });
    limitPublicRoutes(this.stage, opened);
    if (domain) new Domain(this, "Domain", { domain, apiId: this.apiId, stage: this.stage });
  }
}
