import { Stack } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { CfnApi, HttpApi, HttpStage, LogGroupLogDestination } from "aws-cdk-lib/aws-apigatewayv2";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { FunctionName } from "../src/contract/routes.ts";
import { LIVE_ALIAS } from "../src/rollback/target.ts";
import type { AccessChoice } from "./access-choice.ts";
import { tell, wayOf } from "./authorizer.ts";
import { DEFAULT, servedRoutes } from "./definition.ts";
import { Domain } from "./domain.ts";
import type { DomainChoice } from "./domain-choice.ts";
import type { Environment } from "./environments.ts";
import type { TableFunction } from "./function.ts";
import { httpBody } from "./http-body.ts";
import { invocationUri, permit } from "./invocation.ts";
import { limitOpenRoutes, openRoutes } from "./open-routes.ts";

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
  readonly access: AccessChoice;
  /** Makes the function that finds the holders of tokens. */
  readonly authorize: () => TableFunction;
  readonly domain: DomainChoice | undefined;
  readonly functions: Readonly<Record<FunctionName, TableFunction>>;
  /** True if everybody may ask for /healthz. */
  readonly publicHealth: boolean;
  /** The function that serves the console to everybody. */
  readonly console?: TableFunction;
  /** The function that serves NetBox's dialect. */
  readonly netbox?: TableFunction;
}

const STAGE = "$default";

/**
 * The HTTP API. It authorizes every request in one way, also for /readyz. An environment can open /healthz. Its definition
 * is one resource, because one for each route would be half of what a stack can have.
 */
export class Api extends Construct {
  readonly apiId: string;
  /** The URL of the API, without a slash at the end. */
  readonly endpoint: string;
  readonly stage: HttpStage;
  readonly stageName = STAGE;
  /** The log with a line for each request. */
  readonly accessLog: LogGroup;

  constructor(
    scope: Construct,
    id: string,
    { environment, access, authorize, domain, functions, publicHealth, ...beside }: ApiProps,
  ) {
    super(scope, id);
    const { console, netbox } = beside;
    // The alias has its name as a text: the aliases of a canary wait for their alarms, and the alarms for the API.
    const uriOf = ({ function: { functionArn } }: TableFunction) =>
      invocationUri(this, `${functionArn}:${LIVE_ALIAS}`);
    const way = wayOf(access, authorize, uriOf);
    tell({ ...functions, ...(netbox && { netbox }) }, way);
    const served = { ...functions, ...(netbox && { netbox }), ...(console && { console }) };
    const opened = openRoutes({ publicHealth, console: console !== undefined });
    const api = new CfnApi(this, "HttpApi", {
      body: httpBody({
        title: Stack.of(this).stackName,
        routes: servedRoutes({ netbox: netbox !== undefined, console: console !== undefined }),
        uris: Object.fromEntries(
          Object.entries(served).map(([name, invoked]) => [name, uriOf(invoked)]),
        ),
        scheme: way.scheme,
        isOpen: (routeKey) => opened.has(routeKey),
        // Callers must not depend on a name that ends with the stack.
        ...(domain && { domainName: domain.name }),
      }),
      failOnWarnings: true,
    });
    this.apiId = api.ref;
    this.endpoint = domain === undefined ? api.attrApiEndpoint : `https://${domain.name}`;
    // The ARN of the default route has one segment less than those of the others.
    for (const [name, each] of Object.entries(served))
      permit(each, this.apiId, name === DEFAULT ? `${STAGE}/*` : `${STAGE}/*/*`);
    if (way.authorize) permit(way.authorize, this.apiId, "authorizers/*");

    this.accessLog = new LogGroup(this, "AccessLogs", {
      retention: environment.logRetention,
      removalPolicy: environment.removalPolicy,
    });
    this.stage = new HttpStage(this, "Stage", {
      httpApi: HttpApi.fromHttpApiAttributes(this, "Defined", { httpApiId: this.apiId }),
      stageName: STAGE,
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: accessLog(way.principal),
      },
    });
    limitOpenRoutes(this.stage, opened);
    if (domain) new Domain(this, "Domain", { domain, apiId: this.apiId, stage: this.stage });
  }
}
