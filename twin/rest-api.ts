import { createHash } from "node:crypto";
import type * as v from "valibot";
import { accessLogOf } from "./access-log.ts";
import type * as properties from "./api-properties.ts";
import { limitsOf, routeKeyOf } from "./definition.ts";
import type { DeployedApi, DeployedAuthorizer, Limits } from "./deployment.ts";
import type { Statement } from "./iam.ts";
import type { Stack } from "./names.ts";

/** The parts of a private REST API that an HTTP API does not have. */
export interface DeployedRest {
  readonly vpcEndpointIds: readonly string[];
  /** The resource policy, with complete ARNs. */
  readonly policy: readonly Statement[];
  /** The keys of routes that ask for the key of a usage plan. */
  readonly keyed: ReadonlySet<string>;
  readonly apiKeys: readonly DeployedKey[];
}

/** A key with the limits of its plan. */
export interface DeployedKey extends Limits {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** The limits of single methods, by the keys of their routes. */
  readonly routes: ReadonlyMap<string, Limits>;
  /** The requests of a period; the twin has one period. */
  readonly quota: number | undefined;
}

interface Named<Read> {
  readonly name: string;
  readonly read: Read;
}

interface RestApiProps {
  readonly api: Named<v.InferOutput<typeof properties.restApi>>;
  readonly stage: v.InferOutput<typeof properties.restStage>;
  readonly plans: readonly Named<v.InferOutput<typeof properties.usagePlan>>[];
  readonly planKeys: readonly v.InferOutput<typeof properties.usagePlanKey>[];
  readonly keys: readonly Named<v.InferOutput<typeof properties.apiKey>>[];
}

const KEY_CHARACTERS = 40;

/** Returns the private REST API of a template. */
export function restApiOf(
  { account, region }: Pick<Stack, "account" | "region">,
  { api, stage, plans, planKeys, keys }: RestApiProps,
): DeployedApi {
  const { Body, EndpointConfiguration, Policy } = api.read;
  const [all, ...single] = stage.MethodSettings;
  if (all?.ResourcePath !== "/*") throw new Error("the stage has no limits for all methods");
  const caller = authorizerOf(Body.components.securitySchemes.caller);
  const methods = Object.entries(Body.paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([method, made]) => ({
      ...made,
      key: routeKeyOf(method, path),
    })),
  );
  const arnOf = (resource: string) =>
    resource.replace(/^execute-api:\//, `arn:aws:execute-api:${region}:${account}:${api.name}/`);
  return {
    id: api.name,
    domainName: `${api.name}.execute-api.${region}.amazonaws.com`,
    stage: stage.StageName,
    ...limitsOf(all),
    ...accessLogOf(stage.AccessLogSetting),
    routes: methods.map(({ key, security, "x-amazon-apigateway-integration": { uri } }) => ({
      key,
      authorizer: security.some((one) => "caller" in one) ? caller : { type: "none" },
      functionArn: uri,
    })),
    throttles: new Map(
      single.map((method) => [
        `${method.HttpMethod} ${method.ResourcePath.slice(1).replaceAll("~1", "/")}`,
        limitsOf(method),
      ]),
    ),
    rest: {
      vpcEndpointIds: EndpointConfiguration.VpcEndpointIds,
      policy: Policy.Statement.map(({ Principal: _, ...statement }) => ({
        ...statement,
        Resource: [statement.Resource ?? []].flat().map(arnOf),
      })),
      keyed: new Set(
        methods
          .filter(({ security }) => security.some((one) => "api_key" in one))
          .map(({ key }) => key),
      ),
      apiKeys: keys.map(({ name: id, read: { Name } }) => {
        const { UsagePlanId } = planKeys.find(({ KeyId }) => KeyId === id) ?? {};
        const plan = plans.find(({ name }) => name === UsagePlanId)?.read;
        if (!plan) throw new Error(`the key ${Name} is in no usage plan`);
        return {
          id,
          name: Name,
          value: createHash("sha256").update(Name).digest("hex").slice(0, KEY_CHARACTERS),
          ratePerSecond: plan.Throttle.RateLimit,
          burst: plan.Throttle.BurstLimit,
          routes: new Map(
            Object.entries(plan.ApiStages[0].Throttle).map(([path, limits]) => [
              path.replace(/^(.*)\/([A-Z]+)$/, "$2 $1"),
              { ratePerSecond: limits.RateLimit, burst: limits.BurstLimit },
            ]),
          ),
          quota: plan.Quota?.Limit,
        };
      }),
    },
  };
}

function authorizerOf(
  scheme: v.InferOutput<
    typeof properties.restApi
  >["Body"]["components"]["securitySchemes"]["caller"],
): DeployedAuthorizer {
  if (scheme["x-amazon-apigateway-authtype"] === "awsSigv4") return { type: "iam" };
  const { authorizerUri, authorizerResultTtlInSeconds } = scheme["x-amazon-apigateway-authorizer"];
  return {
    type: "lambda",
    id: "caller",
    functionArn: authorizerUri,
    ttlSeconds: authorizerResultTtlInSeconds,
  };
}
