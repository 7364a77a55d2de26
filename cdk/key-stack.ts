import { Duration, Stack, type StackProps } from "aws-cdk-lib";
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Environment } from "./environments.ts";

export interface KeyStackProps {
  readonly environment: Environment;
  /** The name of an alias. A table of several Regions names the keys of its replicas by it. */
  readonly alias?: string;
  readonly env?: StackProps["env"];
}

/** The time after a deletion of the key in which an operator can still cancel it. 30 days is the maximum of KMS. */
const PENDING = Duration.days(30);

/**
 * The stack with the customer managed key. It is a stack of its own, because an environment that uses a restored table
 * has no stateful stack.
 */
export class KeyStack extends Stack {
  readonly key: Key;

  constructor(scope: Construct, id: string, { environment, alias, env }: KeyStackProps) {
    super(scope, id, { ...(env && { env }) });
    this.key = new Key(this, "Key", {
      description: "Encrypts the tables, the trail, the queues, the topics and the logs of Plat.",
      enableKeyRotation: true,
      pendingWindow: PENDING,
      ...(alias !== undefined && { alias }),
      removalPolicy: environment.removalPolicy,
    });
    for (const statement of statementsIn(this)) this.key.addToResourcePolicy(statement);
  }
}

/**
 * Returns the statements that the policy of a key needs for the resources of a stack. They name the services that use the
 * key, and let the principals of the account use it through DynamoDB, SQS and S3 only. A right to the table, to a queue or
 * to the bucket is then enough, as with the keys that AWS manages
 * (https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service).
 */
export function statementsIn({ account, partition, region, urlSuffix }: Stack): PolicyStatement[] {
  const ofThisAccount = { StringEquals: { "aws:SourceAccount": account } };
  const through = (service: string, actions: readonly string[]) =>
    new PolicyStatement({
      sid: `Through${service.charAt(0).toUpperCase()}${service.slice(1)}`,
      principals: [new AnyPrincipal()],
      actions: actions.map((action) => `kms:${action}`),
      resources: ["*"],
      conditions: {
        StringEquals: {
          "kms:CallerAccount": account,
          "kms:ViaService": `${service}.${region}.${urlSuffix}`,
        },
      },
    });
  return [
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
    through("dynamodb", [
      "Encrypt",
      "Decrypt",
      "ReEncryptFrom",
      "ReEncryptTo",
      "GenerateDataKey",
      "GenerateDataKeyWithoutPlaintext",
      "DescribeKey",
      "CreateGrant",
    ]),
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
    through("sqs", ["Decrypt", "GenerateDataKey"]),
    // https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
    through("s3", ["Decrypt", "GenerateDataKey"]),
    // The rules of EventBridge send the ends of machines to a queue, its bus keeps events until they are delivered, and
    // the alarms of CloudWatch go to a topic
    // (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-key-policy.html).
    new PolicyStatement({
      sid: "EventsAndAlarms",
      principals: ["events", "cloudwatch"].map(
        (service) => new ServicePrincipal(`${service}.amazonaws.com`),
      ),
      actions: ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"],
      resources: ["*"],
      conditions: ofThisAccount,
    }),
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
    new PolicyStatement({
      sid: "Logs",
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      actions: [
        "Encrypt",
        "Decrypt",
        "ReEncryptFrom",
        "ReEncryptTo",
        "GenerateDataKey",
        "DescribeKey",
      ].map((action) => `kms:${action}`),
      resources: ["*"],
      conditions: {
        ArnLike: {
          "kms:EncryptionContext:aws:logs:arn": `arn:${partition}:logs:${region}:${account}:*`,
        },
      },
    }),
  ];
}
