import { Stack } from "aws-cdk-lib";
import {
  AccessLogFormat,
  ApiDefinition,
  Deployment,
  EndpointType,
  type IRestApi,
  LogGroupLogDestination,
  SpecRestApi,
  Stage,
} from "aws-cdk-lib/aws-apigateway";
import { Metric, type MetricOptions, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { InterfaceVpcEndpoint } from "aws-cdk-lib/aws-ec2";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { FunctionName } from "../src/contract/routes.ts";
import type { AccessChoice } from "./access-choice.ts";
import { THROTTLE } from "./api.ts";
import type { PrivateApiChoice } from "./api-choice.ts";
import { tell } from "./authorizer.ts";
import { servedRoutes } from "./definition.ts";
import type { Environment } from "./environments.ts";
import type { TableFunction } from "./function.ts";
import { invocationUri, permit } from "./invocation.ts";
import type { StageMetrics } from "./metrics.ts";
import { HEALTH_METHODS, HEALTH_PATH, HEALTH_THROTTLE } from "./open-routes.ts";
import { resourcePolicy } from "./resource-policy.ts";
import { restBody } from "./rest-body.ts";
import { restWayOf } from "./rest-way.ts";
import { UsagePlans } from "./usage-plans.ts";
import { WebAcl } from "./web-acl.ts";

export interface PrivateApiProps {
  readonly environment: Environment;
  readonly choice: PrivateApiChoice;
  readonly access: AccessChoice;
  /** Makes the function that finds the holders of tokens. */
  readonly authorize: () => TableFunction;
  readonly functions: Readonly<Record<FunctionName, TableFunction>>;
  /** True if everybody may ask for /healthz. */
  readonly publicHealth: boolean;
  /** The function that serves NetBox's dialect. */
  readonly netbox?: TableFunction;
}

/** The stage of a REST API has a name, with which every path begins. */
const STAGE = "live";

/** The port on which VPC endpoints for `execute-api` listen. */
const HTTPS = 443;

/**
 * Returns the format of the access log, with the fields of an HTTP API's. A REST API has no variable for the route, so its
 * method and the pattern of its path make it
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html).
 */
const accessLog = (principal: string, hasKeys: boolean) =>
  AccessLogFormat.custom(
    JSON.stringify({
      requestId: "$context.requestId",
      caller: principal,
      ...(hasKeys && { apiKeyId: "$context.identity.apiKeyId" }),
      sourceIp: "$context.identity.sourceIp",
      routeKey: "$context.httpMethod $context.resourcePath",
      status: "$context.status",
      latencyMs: "$context.responseLatency",
      error: "$context.error.message",
      integrationError: "$context.integrationErrorMessage",
      authorizerError: "$context.authorizer.error",
    }),
  );

/**
 * The private REST API, which callers reach through endpoints of their VPCs only. Its definition is one resource,
 * because one for each method and part of a path would, with a canary, exceed what a stack can have.
 */
export class PrivateApi extends Construct {
  readonly apiId: string;
  readonly stageName = STAGE;
  /** The URL of the stage, without a slash at the end. It works in a VPC whose endpoint has private DNS. */
  readonly endpoint: string;
  readonly stage: StageMetrics;
  /** The log with a line for each request. */
  readonly accessLog: LogGroup;

  constructor(
    scope: Construct,
    id: string,
    { environment, choice, access, authorize, functions, publicHealth, netbox }: PrivateApiProps,
  ) {
    super(scope, id);
    const { vpcEndpointIds, webAcl, usagePlans } = choice;
    const { stackName } = Stack.of(this);
    const hasKeys = usagePlans.length > 0;
    const uriOf = ({ alias }: TableFunction) => invocationUri(this, alias.functionArn);
    const way = restWayOf(access, authorize, uriOf);
    const served = { ...functions, ...(netbox && { netbox }) };
    tell(served, way);
    const api = new SpecRestApi(this, "RestApi", {
      restApiName: stackName,
      apiDefinition: ApiDefinition.fromInline(
        restBody({
          title: stackName,
          routes: servedRoutes({ netbox: netbox !== undefined, console: false }),
          uris: Object.fromEntries(
            Object.entries(served).map(([name, invoked]) => [name, uriOf(invoked)]),
          ),
          scheme: way.scheme,
          hasKeys,
          ...(publicHealth && { openPath: HEALTH_PATH }),
        }),
      ),
      policy: resourcePolicy({
        vpcEndpointIds,
        openCalls: publicHealth
          ? HEALTH_METHODS.map((method) => `${STAGE}/${method}${HEALTH_PATH}`)
          : [],
      }),
      endpointConfiguration: {
        types: [EndpointType.PRIVATE],
        vpcEndpoints: vpcEndpointIds.map((vpcEndpointId) =>
          InterfaceVpcEndpoint.fromInterfaceVpcEndpointAttributes(this, vpcEndpointId, {
            vpcEndpointId,
            port: HTTPS,
          }),
        ),
      },
      // Otherwise API Gateway would replace bytes that are no text, and a function could not reject them.
      binaryMediaTypes: ["*/*"],
      // The stage below has more than the CDK's own can have.
      deploy: false,
      // API Gateway writes logs of REST APIs under a role that a Region of an account has once. It stays if the stack
      // goes, because other APIs may use it.
      cloudWatchRole: true,
    });
    this.apiId = api.restApiId;
    for (const each of Object.values(served)) permit(each, this.apiId, `${STAGE}/*/*`);
    if (way.authorize) permit(way.authorize, this.apiId, "authorizers/*");

    this.accessLog = new LogGroup(this, "AccessLogs", {
      retention: environment.logRetention,
      removalPolicy: environment.removalPolicy,
    });
    const stage = new Stage(this, "Stage", {
      stageName: STAGE,
      // The CDK's own classes do not pass exactOptionalPropertyTypes.
      deployment: new Deployment(this, "Deployment", { api: api as IRestApi }),
      throttlingRateLimit: THROTTLE.rateLimit,
      throttlingBurstLimit: THROTTLE.burstLimit,
      ...(publicHealth && {
        methodOptions: Object.fromEntries(
          HEALTH_METHODS.map((method) => [`${HEALTH_PATH}/${method}`, HEALTH_THROTTLE]),
        ),
      }),
      accessLogDestination: new LogGroupLogDestination(this.accessLog),
      accessLogFormat: accessLog(way.principal, hasKeys),
    });
    this.stage = metricsOf(stackName);
    this.endpoint = stage.urlForPath().replace(/\/$/, "");
    if (webAcl) new WebAcl(this, "WebAcl", { stage, commonRules: webAcl });
    if (hasKeys) new UsagePlans(this, "UsagePlans", { apiId: this.apiId, stage, usagePlans });
  }
}

/**
 * Returns the metrics of the stage
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html). They name the
 * stage by a text: the functions of a canary wait for their alarms, and the API for the functions.
 */
function metricsOf(apiName: string): StageMetrics {
  const metric = (metricName: string, statistic: string) => (props?: MetricOptions) =>
    new Metric({
      namespace: "AWS/ApiGateway",
      metricName,
      dimensionsMap: { ApiName: apiName, Stage: STAGE },
      statistic,
      ...props,
    });
  return {
    metricCount: metric("Count", Stats.SAMPLE_COUNT),
    metricClientError: metric("4XXError", Stats.SUM),
    metricServerError: metric("5XXError", Stats.SUM),
    metricLatency: metric("Latency", Stats.AVERAGE),
  };
}
