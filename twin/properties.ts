import * as v from "valibot";
import type { Pattern } from "./stream-filter.ts";

/**
 * The properties of resources that the twin reads, by the names and with the defaults of CloudFormation
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/). The twin ignores all others.
 */

const several = v.union([v.string(), v.array(v.string())]);

const statement = v.object({
  Effect: v.picklist(["Allow", "Deny"]),
  Action: v.exactOptional(several),
  NotAction: v.exactOptional(several),
  Resource: v.exactOptional(several),
  NotResource: v.exactOptional(several),
  Condition: v.exactOptional(v.record(v.string(), v.record(v.string(), several))),
});

const document = v.object({
  Statement: v.union([
    v.array(statement),
    v.pipe(
      statement,
      v.transform((only) => [only]),
    ),
  ]),
});

export const role = v.object({
  Policies: v.optional(v.array(v.object({ PolicyDocument: document })), []),
  /** The policies of AWS' own, which the twin does not know. */
  ManagedPolicyArns: v.optional(v.array(v.string()), []),
});

export const policy = v.object({
  PolicyDocument: document,
  Roles: v.optional(v.array(v.string()), []),
});

export const lambda = v.object({
  Code: v.object({ S3Key: v.string() }),
  Environment: v.optional(
    v.object({ Variables: v.optional(v.record(v.string(), v.string()), {}) }),
    {},
  ),
  Handler: v.string(),
  LoggingConfig: v.optional(v.object({ LogGroup: v.optional(v.string()) })),
  MemorySize: v.optional(v.number(), 128),
  ReservedConcurrentExecutions: v.optional(v.number()),
  Role: v.string(),
  Runtime: v.literal("nodejs24.x"),
  Timeout: v.optional(v.number(), 3),
});

export const version = v.object({ FunctionName: v.string() });

const SIX_HOURS_SECONDS = 21_600;

export const asyncInvoke = v.object({
  DestinationConfig: v.optional(
    v.object({ OnFailure: v.optional(v.object({ Destination: v.string() })) }),
  ),
  FunctionName: v.string(),
  MaximumEventAgeInSeconds: v.optional(v.number(), SIX_HOURS_SECONDS),
  MaximumRetryAttempts: v.optional(v.number(), 2),
  Qualifier: v.string(),
});

export const permission = v.object({
  Action: v.literal("lambda:InvokeFunction"),
  FunctionName: v.string(),
  Principal: v.string(),
  SourceArn: v.optional(v.string()),
});

export const domainName = v.object({ DomainName: v.string() });

export const integration = v.object({
  IntegrationType: v.literal("AWS_PROXY"),
  IntegrationUri: v.string(),
  PayloadFormatVersion: v.literal("2.0"),
});

export const route = v.object({
  AuthorizationType: v.optional(v.picklist(["NONE", "AWS_IAM", "JWT", "CUSTOM"]), "NONE"),
  AuthorizerId: v.optional(v.string()),
  RouteKey: v.string(),
  Target: v.string(),
});

const identitySource = v.tuple([v.literal("$request.header.Authorization")]);

const functionUri = v.pipe(
  v.string(),
  v.regex(/\/functions\/arn:[^/]*\/invocations$/),
  v.transform((uri) => uri.replace(/^.*\/functions\/|\/invocations$/g, "")),
);

export const authorizer = v.variant("AuthorizerType", [
  v.object({
    AuthorizerType: v.literal("JWT"),
    IdentitySource: identitySource,
    JwtConfiguration: v.object({ Audience: v.array(v.string()), Issuer: v.string() }),
  }),
  v.object({
    AuthorizerType: v.literal("REQUEST"),
    AuthorizerPayloadFormatVersion: v.literal("2.0"),
    AuthorizerResultTtlInSeconds: v.number(),
    AuthorizerUri: functionUri,
    EnableSimpleResponses: v.literal(true),
    IdentitySource: identitySource,
  }),
]);

const accessLog = v.optional(v.object({ DestinationArn: v.string(), Format: v.string() }));

/** A stage; without own limits it has those of an account. */
export const stage = v.object({
  AccessLogSettings: accessLog,
  StageName: v.literal("$default"),
  DefaultRouteSettings: v.optional(
    v.object({
      ThrottlingBurstLimit: v.optional(v.number(), 5_000),
      ThrottlingRateLimit: v.optional(v.number(), 10_000),
    }),
    {},
  ),
});

const limits = { ThrottlingBurstLimit: v.number(), ThrottlingRateLimit: v.number() };

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
          security: v.array(v.record(v.string(), v.array(v.string()))),
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
          v.object({ "x-amazon-apigateway-authtype": v.literal("awsSigv4") }),
          v.object({
            "x-amazon-apigateway-authtype": v.literal("custom"),
            "x-amazon-apigateway-authorizer": v.object({
              type: v.literal("request"),
              authorizerResultTtlInSeconds: v.number(),
              authorizerUri: functionUri,
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

const UNIT_SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: 3_600, day: 86_400 };

const rate = v.pipe(
  v.string(),
  v.regex(/^rate\(\d+ (minute|hour|day)s?\)$/, "only schedules at a rate are known"),
  v.transform((expression) => {
    const [, count, unit = ""] = /(\d+) ([a-z]+?)s?\)/.exec(expression) ?? [];
    return Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
  }),
);

const DAY_SECONDS = 86_400;

export const schedule = v.object({
  ScheduleExpression: rate,
  State: v.optional(v.picklist(["ENABLED", "DISABLED"]), "ENABLED"),
  Target: v.object({
    Arn: v.string(),
    DeadLetterConfig: v.optional(v.object({ Arn: v.string() })),
    Input: v.optional(v.string()),
    RetryPolicy: v.optional(
      v.object({
        MaximumEventAgeInSeconds: v.optional(v.number(), DAY_SECONDS),
        MaximumRetryAttempts: v.optional(v.number(), 185),
      }),
      {},
    ),
    RoleArn: v.string(),
  }),
});

export const queue = v.object({
  RedrivePolicy: v.optional(
    v.object({ deadLetterTargetArn: v.string(), maxReceiveCount: v.number() }),
  ),
});

export const parameter = v.object({ Value: v.string() });

export const eventSource = v.object({
  BatchSize: v.number(),
  BisectBatchOnFunctionError: v.optional(v.boolean(), false),
  DestinationConfig: v.optional(
    v.object({ OnFailure: v.optional(v.object({ Destination: v.string() })) }),
  ),
  EventSourceArn: v.string(),
  FilterCriteria: v.optional(
    v.object({
      Filters: v.array(
        v.object({
          Pattern: v.pipe(
            v.string(),
            v.transform((json): Pattern => JSON.parse(json)),
          ),
        }),
      ),
    }),
    { Filters: [] },
  ),
  FunctionName: v.string(),
  FunctionResponseTypes: v.tuple(
    [v.literal("ReportBatchItemFailures")],
    "only functions that name the failed messages are known",
  ),
  MaximumRecordAgeInSeconds: v.optional(v.number(), DAY_SECONDS),
  StartingPosition: v.optional(v.literal("TRIM_HORIZON")),
});

const keySchema = v.array(
  v.object({ AttributeName: v.string(), KeyType: v.picklist(["HASH", "RANGE"]) }),
);

export const table = v.object({
  AttributeDefinitions: v.array(
    v.object({ AttributeName: v.string(), AttributeType: v.picklist(["S", "N", "B"]) }),
  ),
  KeySchema: keySchema,
  StreamSpecification: v.exactOptional(
    v.pipe(
      v.object({
        StreamViewType: v.picklist(["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]),
      }),
      v.transform((specification) => ({ StreamEnabled: true, ...specification })),
    ),
  ),
  TimeToLiveSpecification: v.exactOptional(v.object({ AttributeName: v.string() })),
  GlobalSecondaryIndexes: v.optional(
    v.array(
      v.object({
        IndexName: v.string(),
        KeySchema: keySchema,
        Projection: v.object({
          ProjectionType: v.picklist(["ALL", "KEYS_ONLY", "INCLUDE"]),
          NonKeyAttributes: v.exactOptional(v.array(v.string())),
        }),
      }),
    ),
    [],
  ),
});
