import { createHash } from "node:crypto";

/** A stack as it would be deployed: its template, account and Region. */
export interface Stack {
  readonly name: string;
  readonly account: string;
  readonly region: string;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, Output>>;
  /** The parameters of the template that the deployment names, with their values. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A resource of a template, with its intrinsics not yet resolved. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

interface Output {
  readonly Value: unknown;
  readonly Export?: { readonly Name: unknown };
}

const NAME_CHARACTERS_MAX = 64;
const SUFFIX_CHARACTERS = 12;
const API_ID_CHARACTERS = 10;
/** The version that the first deployment creates, because AWS numbers the versions of a function. */
export const FIRST_VERSION = "1";

/** The property in which a template can name a resource. */
const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  "AWS::ApiGateway::Stage": "StageName",
  "AWS::ApiGatewayV2::Stage": "StageName",
  "AWS::CloudWatch::Alarm": "AlarmName",
  "AWS::DynamoDB::GlobalTable": "TableName",
  "AWS::DynamoDB::Table": "TableName",
  "AWS::Events::EventBus": "Name",
  "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
  "AWS::IAM::Role": "RoleName",
  "AWS::Lambda::Alias": "Name",
  "AWS::Lambda::Function": "FunctionName",
  "AWS::Logs::LogGroup": "LogGroupName",
  "AWS::S3::Bucket": "BucketName",
  "AWS::SNS::Topic": "TopicName",
  "AWS::SQS::Queue": "QueueName",
  "AWS::SSM::Parameter": "Name",
  "AWS::Scheduler::Schedule": "Name",
};

/** The part of an ARN after `arn:aws:SERVICE:REGION:ACCOUNT:`; IAM has no Region. */
const ARNS: Readonly<Record<string, (name: string) => readonly [service: string, path: string]>> = {
  "AWS::CloudWatch::Alarm": (name) => ["cloudwatch", `alarm:${name}`],
  "AWS::DynamoDB::GlobalTable": (name) => ["dynamodb", `table/${name}`],
  "AWS::DynamoDB::Table": (name) => ["dynamodb", `table/${name}`],
  "AWS::Events::EventBus": (name) => ["events", `event-bus/${name}`],
  "AWS::IAM::ManagedPolicy": (name) => ["iam", `policy/${name}`],
  "AWS::IAM::Role": (name) => ["iam", `role/${name}`],
  "AWS::KMS::Key": (name) => ["kms", `key/${name}`],
  "AWS::Lambda::Function": (name) => ["lambda", `function:${name}`],
  "AWS::Logs::LogGroup": (name) => ["logs", `log-group:${name}:*`],
  "AWS::S3::Bucket": (name) => ["s3", name],
  "AWS::SNS::Topic": (name) => ["sns", name],
  "AWS::SQS::Queue": (name) => ["sqs", name],
  "AWS::SSM::Parameter": (name) => ["ssm", `parameter/${name}`],
  "AWS::Scheduler::Schedule": (name) => ["scheduler", `schedule/default/${name}`],
};

/** Reads a property of the resource, with its intrinsics resolved. */
type Property = (name: string) => unknown;

/** Returns the name of a resource: the one in its template, or one as AWS would make it. It is always the same. */
export function nameOf(stack: Stack, id: string, type: string, property: Property): string {
  const named = property(NAME_PROPERTIES[type] ?? "");
  if (typeof named === "string") return named;
  const digest = createHash("sha256").update(`${stack.name}/${id}`).digest("hex");
  const suffix = BigInt(`0x${digest}`).toString(36);
  if (type === "AWS::S3::Bucket") return `${stack.name}-${suffix.slice(0, SUFFIX_CHARACTERS)}`;
  if (type.startsWith("AWS::ApiGateway")) return suffix.slice(0, API_ID_CHARACTERS);
  const idMax = NAME_CHARACTERS_MAX - SUFFIX_CHARACTERS - stack.name.length - 2;
  return `${stack.name}-${id.slice(0, idMax)}-${suffix.slice(0, SUFFIX_CHARACTERS).toUpperCase()}`;
}

/** Returns the value of `Ref` for a resource. */
export function refOf(stack: Stack, id: string, type: string, property: Property): string {
  const name = nameOf(stack, id, type, property);
  if (type === "AWS::Lambda::Alias") return `${functionArn(stack, property)}:${name}`;
  if (type === "AWS::Lambda::Version") return `${functionArn(stack, property)}:${FIRST_VERSION}`;
  if (type === "AWS::SQS::Queue")
    return `https://sqs.${stack.region}.amazonaws.com/${stack.account}/${name}`;
  if (type === "AWS::SNS::Topic" || type === "AWS::IAM::ManagedPolicy")
    return arnOf(stack, type, name);
  return name;
}

/**
 * Returns the value of `Fn::GetAtt` for a resource.
 *
 * @throws if it does not know the attribute
 */
export function attributeOf(
  stack: Stack,
  id: string,
  type: string,
  attribute: string,
  property: Property,
): string {
  const name = nameOf(stack, id, type, property);
  if (attribute === "Arn" && ARNS[type]) return arnOf(stack, type, name);
  if (type === "AWS::Lambda::Version" && attribute === "Version") return FIRST_VERSION;
  if (type === "AWS::Lambda::Version" && attribute === "FunctionArn")
    return refOf(stack, id, type, property);
  if (type === "AWS::SQS::Queue" && attribute === "QueueName") return name;
  if (type === "AWS::SNS::Topic" && attribute === "TopicName") return name;
  if (type === "AWS::ApiGatewayV2::Api" && attribute === "ApiEndpoint")
    return `https://${name}.execute-api.${stack.region}.amazonaws.com`;
  if (attribute === "StreamArn")
    return `${arnOf(stack, type, name)}/stream/1970-01-01T00:00:00.000`;
  throw new Error(`the attribute ${attribute} of ${id}, a ${type}, is not known`);
}

function arnOf({ account, region }: Stack, type: string, name: string): string {
  const [service, path] = ARNS[type]?.(name) ?? [];
  if (service === undefined) throw new Error(`the ARN of a ${type} is not known`);
  if (service === "s3") return `arn:aws:s3:::${path}`;
  return `arn:aws:${service}:${service === "iam" ? "" : region}:${account}:${path}`;
}

/** Returns the ARN of a function, from its name or its ARN. */
function functionArn(stack: Stack, property: Property): string {
  const named = String(property("FunctionName"));
  return named.startsWith("arn:") ? named : arnOf(stack, "AWS::Lambda::Function", named);
}
