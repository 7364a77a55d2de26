import * as v from "valibot";
import type { DeployedAccessLog } from "./access-log.ts";
import * as apiProperties from "./api-properties.ts";
import { httpApiOf } from "./http-api.ts";
import type { Statement } from "./iam.ts";
import { Intrinsics } from "./intrinsics.ts";
import { FIRST_VERSION, type Stack } from "./names.ts";
import * as properties from "./properties.ts";
import { type DeployedRest, restApiOf } from "./rest-api.ts";
import { rolesOf } from "./roles.ts";
import type { Pattern } from "./stream-filter.ts";

/** All resources of an environment's templates that the twin plays. */
export interface Deployment {
  readonly account: string;
  readonly region: string;
  readonly functions: readonly DeployedFunction[];
  /** Settings of asynchronous invocations. */
  readonly asyncInvokes: readonly AsyncInvoke[];
  readonly permissions: readonly Permission[];
  readonly api: DeployedApi;
  readonly schedules: readonly DeployedSchedule[];
  readonly eventSources: readonly DeployedEventSource[];
  readonly streams: readonly DeployedStream[];
  readonly parameters: readonly DeployedParameter[];
  readonly table: DeployedTable;
  /** The tables beside it, such as that of the history. */
  readonly otherTables: readonly DeployedTable[];
  /** The managed policies for callers: statements by name. */
  readonly policies: ReadonlyMap<string, readonly Statement[]>;
}

export interface DeployedFunction {
  readonly name: string;
  readonly arn: string;
  /** The version that aliases point to; `$LATEST` if the template creates none. */
  readonly version: string;
  /** The hash of the asset that contains its code. */
  readonly asset: string;
  /** `index.handler` */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly logGroup: string;
  readonly reservedConcurrency: number | undefined;
  readonly role: Role;
}

/** A role: its name and its policies. */
export interface Role {
  readonly name: string;
  readonly arn: string;
  readonly statements: readonly Statement[];
}

/** A resource-based permission to invoke a function. */
interface Permission {
  readonly functionArn: string;
  readonly principal: string;
  readonly sourceArn: string;
}

interface AsyncInvoke {
  readonly functionName: string;
  readonly qualifier: string;
  readonly retriesMax: number;
  readonly ageSecondsMax: number;
  readonly onFailureArn: string | undefined;
}

/** The limits of a token bucket. */
export interface Limits {
  readonly ratePerSecond: number;
  readonly burst: number;
}

export interface DeployedApi extends Limits {
  readonly id: string;
  readonly routes: readonly DeployedRoute[];
  readonly stage: string;
  /** The name under which callers reach it. */
  readonly domainName: string;
  /** The limits of single routes, by their keys; the others have those of the stage. */
  readonly throttles: ReadonlyMap<string, Limits>;
  /** Absent if the stage writes none. */
  readonly accessLog?: DeployedAccessLog;
  /** Present if it is a private REST API. */
  readonly rest?: DeployedRest;
}

export interface DeployedRoute {
  /** `GET /v1/pools/{name}`, or `$default`. */
  readonly key: string;
  readonly authorizer: DeployedAuthorizer;
  readonly functionArn: string;
}

/** The way in which API Gateway authorizes the requests of a route. */
export type DeployedAuthorizer =
  | { readonly type: "none" | "iam" }
  | { readonly type: "jwt"; readonly issuer: string; readonly audience: readonly string[] }
  | {
      readonly type: "lambda";
      readonly id: string;
      readonly functionArn: string;
      readonly ttlSeconds: number;
    };

export interface DeployedSchedule {
  readonly name: string;
  readonly rateSeconds: number;
  readonly functionArn: string;
  readonly input: string | undefined;
  readonly role: Role;
  readonly retriesMax: number;
  readonly ageSecondsMax: number;
  readonly deadLetterArn: string | undefined;
}

/** A queue whose messages a function receives. */
export interface DeployedEventSource {
  readonly queueArn: string;
  readonly functionArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  /** The deliveries of a message before it is a dead letter. */
  readonly receivesMax: number;
  readonly deadLetterArn: string | undefined;
}

/** The stream of a table that a function receives. */
export interface DeployedStream {
  readonly streamArn: string;
  readonly tableName: string;
  readonly functionArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  /** True if both halves of a batch come again by themselves after an error of the function. */
  readonly bisect: boolean;
  readonly filters: readonly Pattern[];
  /** The age at which a record is given up. */
  readonly ageSecondsMax: number;
  readonly onFailureArn: string | undefined;
}

export type DeployedTable = v.InferOutput<typeof properties.table> & {
  readonly name: string;
  readonly arn: string;
};

/** A parameter of Systems Manager, with its first value. */
export interface DeployedParameter {
  readonly name: string;
  readonly arn: string;
  readonly value: string;
}

/** Reads the resources of stacks, in the order of their deployment. */
export function deploymentOf(stacks: readonly Stack[]): Deployment {
  const intrinsics = new Intrinsics(stacks);
  const [first] = stacks;
  if (!first) throw new Error("there is no stack");

  /** Reads every resource of a type by its schema, with its own name and, if it has one, its ARN. */
  const all = <Schema extends v.GenericSchema>(schema: Schema, ...types: readonly string[]) =>
    stacks.flatMap((stack) =>
      Object.entries(stack.resources)
        .filter(([, { Type }]) => types.includes(Type))
        .map(([id, { Type, Properties = {} }]) => {
          const parsed = v.safeParse(schema, intrinsics.resolve(stack, Properties));
          if (!parsed.success) throw new Error(`${id}, a ${Type}: ${v.summarize(parsed.issues)}`);
          const attribute = (name: string) =>
            String(intrinsics.resolve(stack, { "Fn::GetAtt": [id, name] }));
          return { name: intrinsics.nameOf(stack, id), attribute, read: parsed.output };
        }),
    );
  const one = <Item>(what: string, items: readonly Item[]): Item => {
    const [only] = items;
    if (only === undefined || items.length > 1)
      throw new Error(`the templates have ${items.length} ${what}, not one`);
    return only;
  };

  const { roleOf, policies } = rolesOf(
    all(properties.role, "AWS::IAM::Role").map((role) => ({ ...role, arn: role.attribute("Arn") })),
    all(properties.policy, "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"),
  );
  const versioned = new Set(
    all(properties.version, "AWS::Lambda::Version").map(({ read }) => read.FunctionName),
  );
  const queues = new Map(
    all(properties.queue, "AWS::SQS::Queue").map(({ attribute, read }) => [attribute("Arn"), read]),
  );
  const tables = all(properties.table, "AWS::DynamoDB::GlobalTable", "AWS::DynamoDB::Table").map(
    ({ name, attribute, read }) => ({ ...read, name, arn: attribute("Arn") }),
  );
  // No address expires by itself, so the table of the addresses is the one without a time to live.
  const isMain = (table: DeployedTable) => table.TimeToLiveSpecification === undefined;
  const sources = all(properties.eventSource, "AWS::Lambda::EventSourceMapping").map(
    ({ read }) => ({ ...read, functionArn: arnOfFunction(first, read.FunctionName) }),
  );
  const isStream = ({ EventSourceArn }: { readonly EventSourceArn: string }) =>
    EventSourceArn.includes(":dynamodb:");
  const httpApi = () =>
    httpApiOf(first, {
      api: one("APIs", all(apiProperties.httpApi, "AWS::ApiGatewayV2::Api")),
      stage: one("stages", all(apiProperties.stage, "AWS::ApiGatewayV2::Stage")).read,
      domainName: all(apiProperties.domainName, "AWS::ApiGatewayV2::DomainName")[0]?.read
        .DomainName,
    });
  const restApi = () =>
    restApiOf(first, {
      api: one("REST APIs", all(apiProperties.restApi, "AWS::ApiGateway::RestApi")),
      stage: one("stages", all(apiProperties.restStage, "AWS::ApiGateway::Stage")).read,
      plans: all(apiProperties.usagePlan, "AWS::ApiGateway::UsagePlan"),
      planKeys: all(apiProperties.usagePlanKey, "AWS::ApiGateway::UsagePlanKey").map(
        ({ read }) => read,
      ),
      keys: all(apiProperties.apiKey, "AWS::ApiGateway::ApiKey"),
    });
  const hasRestApi = stacks.some(({ resources }) =>
    Object.values(resources).some(({ Type }) => Type === "AWS::ApiGateway::RestApi"),
  );
  return {
    account: first.account,
    region: first.region,
    functions: all(properties.lambda, "AWS::Lambda::Function").map(({ name, attribute, read }) => ({
      name,
      arn: attribute("Arn"),
      version: versioned.has(name) ? FIRST_VERSION : "$LATEST",
      asset: read.Code.S3Key.replace(/\.zip$/, ""),
      handler: read.Handler,
      timeoutSeconds: read.Timeout,
      memoryMb: read.MemorySize,
      variables: read.Environment.Variables,
      logGroup: read.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`,
      reservedConcurrency: read.ReservedConcurrentExecutions,
      role: roleOf(read.Role),
    })),
    asyncInvokes: all(properties.asyncInvoke, "AWS::Lambda::EventInvokeConfig").map(({ read }) => ({
      functionName: read.FunctionName,
      qualifier: read.Qualifier,
      retriesMax: read.MaximumRetryAttempts,
      ageSecondsMax: read.MaximumEventAgeInSeconds,
      onFailureArn: read.DestinationConfig?.OnFailure?.Destination,
    })),
    permissions: all(properties.permission, "AWS::Lambda::Permission").map(({ read }) => ({
      functionArn: read.FunctionName,
      principal: read.Principal,
      sourceArn: read.SourceArn ?? "*",
    })),
    api: hasRestApi ? restApi() : httpApi(),
    schedules: all(properties.schedule, "AWS::Scheduler::Schedule")
      .filter(({ read }) => read.State === "ENABLED")
      .map(({ name, read: { ScheduleExpression, Target } }) => ({
        name,
        rateSeconds: ScheduleExpression,
        functionArn: Target.Arn,
        input: Target.Input,
        role: roleOf(Target.RoleArn),
        retriesMax: Target.RetryPolicy.MaximumRetryAttempts,
        ageSecondsMax: Target.RetryPolicy.MaximumEventAgeInSeconds,
        deadLetterArn: Target.DeadLetterConfig?.Arn,
      })),
    eventSources: sources
      .filter((source) => !isStream(source))
      .map(({ functionArn, ...read }) => {
        const redrive = queues.get(read.EventSourceArn)?.RedrivePolicy;
        return {
          queueArn: read.EventSourceArn,
          functionArn,
          functionName: parseFunctionArn(functionArn).name,
          batchSize: read.BatchSize,
          receivesMax: redrive?.maxReceiveCount ?? Number.POSITIVE_INFINITY,
          deadLetterArn: redrive?.deadLetterTargetArn,
        };
      }),
    streams: sources.filter(isStream).map(({ functionArn, ...read }) => ({
      streamArn: read.EventSourceArn,
      tableName: /:table\/([^/]+)\//.exec(read.EventSourceArn)?.[1] ?? "",
      functionArn,
      functionName: parseFunctionArn(functionArn).name,
      batchSize: read.BatchSize,
      bisect: read.BisectBatchOnFunctionError,
      filters: read.FilterCriteria.Filters.map(({ Pattern }) => Pattern),
      ageSecondsMax: read.MaximumRecordAgeInSeconds,
      onFailureArn: read.DestinationConfig?.OnFailure?.Destination,
    })),
    parameters: all(properties.parameter, "AWS::SSM::Parameter").map(
      ({ name, attribute, read }) => ({ name, arn: attribute("Arn"), value: read.Value }),
    ),
    table: one("tables without a time to live", tables.filter(isMain)),
    otherTables: tables.filter((table) => !isMain(table)),
    policies,
  };
}

/** Returns the ARN of a function that a template names by its name, or by its ARN. */
const arnOfFunction = ({ account, region }: Stack, named: string): string =>
  named.startsWith("arn:") ? named : `arn:aws:lambda:${region}:${account}:function:${named}`;

/** Splits the ARN of a function, which may end with the name of an alias or a version. */
export function parseFunctionArn(arn: string): {
  readonly name: string;
  readonly qualifier: string;
} {
  const [, name, qualifier = "$LATEST"] =
    /^arn:aws:lambda:[^:]*:\d+:function:([^:]+)(?::(.+))?$/.exec(arn) ?? [];
  if (name === undefined) throw new Error(`${arn} is no function`);
  return { name, qualifier };
}
