import { Aspects, type IAspect, Stack } from "aws-cdk-lib";
import { CfnGlobalTable } from "aws-cdk-lib/aws-dynamodb";
import { CfnEventBus } from "aws-cdk-lib/aws-events";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnLogGroup } from "aws-cdk-lib/aws-logs";
import { CfnBucket } from "aws-cdk-lib/aws-s3";
import { CfnTopic } from "aws-cdk-lib/aws-sns";
import { CfnQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct, IConstruct } from "constructs";
import { wrong } from "../src/constructs/props.ts";
import { statementsIn } from "./key-stack.ts";

/**
 * Encrypts every table, bucket, queue, topic, event bus and log group within a scope with a customer managed key. It reaches resources
 * that a later change adds, too.
 */
export class EncryptedWith implements IAspect {
  readonly #key: IKey;
  readonly #replicaKeyId: string;
  readonly #replicas: number;

  /**
   * @param key the key of the Region of the scope
   * @param table the number of replicas of the table, and the alias that the keys of their Regions share
   */
  constructor(key: IKey, table?: { readonly replicas: number; readonly alias: string }) {
    this.#key = key;
    this.#replicaKeyId = table ? `alias/${table.alias}` : key.keyArn;
    this.#replicas = table?.replicas ?? 1;
  }

  visit(node: IConstruct): void {
    const { keyArn } = this.#key;
    if (node instanceof CfnLogGroup) node.kmsKeyId = keyArn;
    else if (node instanceof CfnTopic) node.kmsMasterKeyId = keyArn;
    else if (node instanceof CfnEventBus) node.kmsKeyIdentifier = keyArn;
    else if (node instanceof CfnBucket)
      node.bucketEncryption = {
        serverSideEncryptionConfiguration: [
          {
            // One data key for many objects, because each call of KMS costs as much as storing an object.
            bucketKeyEnabled: true,
            serverSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId: keyArn },
          },
        ],
      };
    else if (node instanceof CfnQueue) {
      node.kmsMasterKeyId = keyArn;
      node.addPropertyDeletionOverride("SqsManagedSseEnabled");
    } else if (node instanceof CfnGlobalTable) {
      node.sseSpecification = { sseEnabled: true, sseType: "KMS" };
      // The replicas are a list that the CDK computes later.
      for (let n = 0; n < this.#replicas; n++)
        node.addPropertyOverride(
          `Replicas.${n}.SSESpecification.KMSMasterKeyId`,
          this.#replicaKeyId,
        );
    }
  }
}

/**
 * Encrypts what is within a construct, if there is a key, and lets the services and the account of its stack use the key. The policy of
 * an imported key stays as it is: its owner adds the statements (`docs/cdk.md`).
 *
 * @throws {Error} if the key is none; without its ARN nothing would be encrypted
 */
export function encryptWith(key: IKey | undefined, scope: Construct): void {
  if (!key) return;
  if (typeof key.keyArn !== "string")
    throw wrong(
      scope,
      "encryptionKey must be a key of KMS, such as new Key(…) or Key.fromKeyArn(…), not its name or ARN",
    );
  // The CDK keeps one of equal statements, such as those of the data and of the code.
  for (const statement of statementsIn(Stack.of(scope))) key.addToResourcePolicy(statement);
  Aspects.of(scope).add(new EncryptedWith(key));
}
