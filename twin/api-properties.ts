import * as v from "valibot";
import { statement } from "./properties.ts";

/** The properties of both kinds of API and of what belongs to them, as `properties.ts` has those of other resources. */

export const domainName = v.object({ DomainName: v.string() });

const functionUri = v.pipe(
  v.string(),
  v.regex(/\/functions\/arn:[^/]*\/invocations$/),
  v.transform((uri) => uri.replace(/^.*\/functions\/|\/invocations$/g, "")),
);

const operation = {
  security: v.optional(v.array(v.record(v.string(), v.array(v.string()))), []),
};

/** The Lambda authorizer of both kinds of API, with what each of them adds. */
const lambdaAuthorizer = {
  type: v.literal("request"),
  authorizerResultTtlInSeconds: v.number(),
  authorizerUri: functionUri,
};

const byIam = v.object({ "x-amazon-apigateway-authtype": v.literal("awsSigv4") });

const identitySource = v.literal("$request.header.Authorization");

const INTEGRATIONS = "x-amazon-apigateway-integrations";

/**
 * An HTTP API whose definition is OpenAPI with API Gateway's extensions. A path can have the parameters of its variables
 * beside its methods.
 */
export const httpApi = v.object({
  Body: v.object({
    paths: v.record(
      v.string(),
      v.objectWithRest(
        { parameters: v.exactOptional(v.array(v.object({ name: v.string() }))) },
        v.object({
          ...operation,
          isDefaultRoute: v.optional(v.literal(true)),
          "x-amazon-apigateway-integration": v.object({
            $ref: v.pipe(
              v.string(),
              v.startsWith(`#/components/${INTEGRATIONS}/`),
              v.transform((reference) => reference.split("/").at(-1) ?? ""),
            ),
          }),
        }),
      ),
    ),
    components: v.object({
      securitySchemes: v.object({
        caller: v.union([
          byIam,
          v.object({
            "x-amazon-apigateway-authorizer": v.variant("type", [
              v.object({
                type: v.literal("jwt"),
                identitySource,
                jwtConfiguration: v.object({ audience: v.array(v.string()), issuer: v.string() }),
              }),
              v.object({
                ...lambdaAuthorizer,
                authorizerPayloadFormatVersion: v.literal("2.0"),
                enableSimpleResponses: v.literal(true),
                identitySource,
              }),
            ]),
          }),
        ]),
      }),
      [INTEGRATIONS]: v.record(
        v.string(),
        v.object({
          type: v.literal("aws_proxy"),
          payloadFormatVersion: v.literal("2.0"),
          uri: functionUri,
        }),
      ),
    }),
  }),
  FailOnWarnings: v.literal(true),
});

const accessLog = v.optional(v.object({ DestinationArn: v.string(), Format: v.string() }));

const limits = { ThrottlingBurstLimit: v.number(), ThrottlingRateLimit: v.number() };

/** A stage; without own limits it has those of an account. */
export const stage = v.object({
  AccessLogSettings: accessLog,
  StageName: v.literal("$default"),
  RouteSettings: v.optional(v.record(v.string(), v.object(limits)), {}),
  DefaultRouteSettings: v.optional(
    v.object({
      ThrottlingBurstLimit: v.optional(v.number(), 5_000),
      ThrottlingRateLimit: v.optional(v.number(), 10_000),
    }),
    {},
  ),
});

/** A resource policy for everybody; the twin knows no other principal. */
const resourcePolicy = v.object({
  Statement: v.array(
    v.object({ ...statement.entries, Principal: v.object({ AWS: v.literal("*") }) }),
  ),
});

/** A private REST API whose definition is OpenAPI with API Gateway's extensions. */
export const restApi = v.object({
  BinaryMediaTypes: v.tuple([v.literal("*/*")]),
  Body: v.object({
    paths: v.record(
      v.string(),
      v.record(
        v.string(),
        v.object({
          ...operation,
          "x-amazon-apigateway-integration": v.object({
            type: v.literal("aws_proxy"),
            uri: functionUri,
          }),
        }),
      ),
    ),
    components: v.object({
      securitySchemes: v.object({
        caller: v.variant("x-amazon-apigateway-authtype", [
          byIam,
          v.object({
            "x-amazon-apigateway-authtype": v.literal("custom"),
            "x-amazon-apigateway-authorizer": v.object({
              ...lambdaAuthorizer,
              identitySource: v.literal("method.request.header.Authorization"),
            }),
          }),
        ]),
        api_key: v.optional(v.object({ name: v.literal("x-api-key") })),
      }),
    }),
  }),
  EndpointConfiguration: v.object({
    Types: v.tuple([v.literal("PRIVATE")]),
    VpcEndpointIds: v.array(v.string()),
  }),
  Policy: resourcePolicy,
});

/** The stage of a REST API; the settings of all methods come first. */
export const restStage = v.object({
  AccessLogSetting: accessLog,
  MethodSettings: v.array(
    v.object({ HttpMethod: v.string(), ResourcePath: v.string(), ...limits }),
  ),
  StageName: v.string(),
});

const planLimits = v.object({ BurstLimit: v.number(), RateLimit: v.number() });

export const usagePlan = v.object({
  ApiStages: v.tuple([v.object({ Throttle: v.optional(v.record(v.string(), planLimits), {}) })]),
  Quota: v.optional(v.object({ Limit: v.number() })),
  Throttle: planLimits,
});

export const usagePlanKey = v.object({ KeyId: v.string(), UsagePlanId: v.string() });

export const apiKey = v.object({ Name: v.string() });
