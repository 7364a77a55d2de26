import * as v from "valibot";
import type { Pattern } from "./stream-filter.ts";

/**
 * The properties of resources that the twin reads, by the names and with the defaults of CloudFormation
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/). The twin ignores all others.
 */

const several = v.union([v.string(), v.array(v.string())]);

export const statement = v.object({
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
