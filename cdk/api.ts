import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { type FunctionName, methodsOf, ROUTES } from "../src/contract/routes/routes.ts";
import type { Environment } from "./environments.ts";
import type { TableFunction } from "./function.ts";

/** A loop in one caller must not take the Lambda concurrency of the whole account, 1000 unless raised. */
const THROTTLE = { rateLimit: 1000, burstLimit: 500 };

/**
 * One line per request, with the caller, the request, the result and the duration. Of the path it has only the route:
 * no log has handles, hosts or addresses.
 */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    caller: "$context.identity.userArn",
    routeKey: "$context.routeKey",
    status: "$context.status",
    latencyMs: "$context.responseLatency",
    error: "$context.error.message",
    integrationError: "$context.integrationErrorMessage",
  }),
);

export interface ApiProps {
  readonly environment: Environment;
  readonly functions: Readonly<Record<FunctionName, TableFunction>>;
}

/** The HTTP API. Every request is signed with SigV4, also for /healthz and /readyz: no route is open to the world. */
export class Api extends Construct {
  readonly apiId: string;
  /** The URL of the API, without a slash at its end. */
  readonly endpoint: string;
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, { environment, functions }: ApiProps) {
    super(scope, id);
    const api = new HttpApi(this, "HttpApi", {
      defaultAuthorizer: new HttpIamAuthorizer(),
      // The function without access to the table rejects unknown routes in the words of the API. Scoped to its route:
      // the ARN of `$default` has a segment less than those that the permission for all routes names.
      defaultIntegration: new HttpLambdaIntegration("default", functions.openapi.live),
      // The default stage of the API would have neither throttling nor an access log.
      createDefaultStage: false,
    });
    this.apiId = api.apiId;
    this.endpoint = api.apiEndpoint;

    const integrations = new Map<FunctionName, HttpLambdaIntegration>();
    for (const route of ROUTES) {
      const integration =
        integrations.get(route.function) ??
        // One permission for all routes: a function's policy has 20 KB, and one for each route takes 400 bytes.
        new HttpLambdaIntegration(route.function, functions[route.function].live, {
          scopePermissionToRoute: false,
        });
      integrations.set(route.function, integration);
      const methods = methodsOf(route).map((method) => HttpMethod[method]);
      api.addRoutes({ path: route.path, methods, integration });
    }

    const logGroup = new LogGroup(this, "AccessLogs", {
      retention: environment.logRetention,
      removalPolicy: environment.removalPolicy,
    });
    this.stage = new HttpStage(this, "Stage", {
      httpApi: api,
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        format: ACCESS_LOG,
      },
    });
  }
}
