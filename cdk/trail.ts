import { Duration, Stack } from "aws-cdk-lib";
import { CfnWorkGroup } from "aws-cdk-lib/aws-athena";
import { CfnDatabase, CfnTable } from "aws-cdk-lib/aws-glue";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  ObjectLockRetention,
} from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import * as v from "valibot";
import { whole } from "../src/api/schema/field.ts";
import { fields } from "../src/api/schema/schema.ts";
import { type Environment, stackNameOf } from "./environments.ts";

const LOCK_MODES = ["governance", "compliance"] as const;
/** S3 takes a hundred years (https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html). */
const LOCK_DAYS_MAX = 36_500;

/** The setting `trailLock` of an environment. */
export const trailLock = fields({
  /** Nobody ends a lock of the mode `compliance`; an operator with the right to it ends one of `governance`. */
  mode: v.picklist(LOCK_MODES, `must be ${LOCK_MODES.join(" or ")}`),
  days: whole(1, LOCK_DAYS_MAX),
});
export type TrailLock = v.InferOutput<typeof trailLock>;

export interface TrailProps {
  readonly environment: Environment;
  readonly lock: TrailLock | undefined;
}

/** The time that a version is kept after it was deleted or written over. */
const OLD_VERSIONS_KEPT = Duration.days(30);
/** The first hour of which a query finds objects. */
const FIRST_HOUR = "2026/11/01/00";

/**
 * The audit trail: a bucket with a line for each change of an item, and a table over it for Athena. The table finds the
 * objects of an hour by their names, so nobody adds partitions
 * (https://docs.aws.amazon.com/athena/latest/ug/partition-projection.html).
 */
export class Trail extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { environment, lock }: TrailProps) {
    super(scope, id);
    const kept = Math.max(environment.trailRetention.toDays(), lock?.days ?? 0);
    this.bucket = new Bucket(this, "Bucket", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // A lock holds versions.
      versioned: environment.trailVersions || lock !== undefined,
      ...(lock && { objectLockDefaultRetention: retentionOf(lock) }),
      lifecycleRules: [
        {
          id: "Expired",
          expiration: Duration.days(kept),
          noncurrentVersionExpiration: OLD_VERSIONS_KEPT,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy: environment.removalPolicy,
    });
    const stackName = stackNameOf(this);
    const { account } = Stack.of(this);
    // Glue keeps the names of databases in lower case.
    const database = stackName.replaceAll("-", "_").toLowerCase();
    const changes = new CfnTable(this, "Changes", {
      catalogId: account,
      databaseName: database,
      tableInput: tableOver(`s3://${this.bucket.bucketName}/changes`),
    });
    changes.node.addDependency(
      new CfnDatabase(this, "Database", { catalogId: account, databaseInput: { name: database } }),
    );
    new CfnWorkGroup(this, "WorkGroup", {
      name: stackName,
      description: "Queries of the audit trail. Athena keeps a result for 24 hours.",
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        managedQueryResultsConfiguration: { enabled: true },
      },
    });
  }
}

const retentionOf = ({ mode, days }: TrailLock): ObjectLockRetention =>
  mode === "compliance"
    ? ObjectLockRetention.compliance(Duration.days(days))
    : ObjectLockRetention.governance(Duration.days(days));

/** The columns of a line (`docs/audit.md`). Values are attributes of DynamoDB as JSON, in a text. */
const COLUMNS = [
  ["id", "string"],
  ["at", "string"],
  ["sequence", "string"],
  ["kind", "string"],
  ["item", "string"],
  ["key", "struct<pk:string,sk:string>"],
  ["called", "string"],
  ["by", "struct<principal:string,requestId:string,sourceIp:string>"],
  ["changes", "array<struct<path:array<string>,before:string,after:string>>"],
] as const;

const tableOver = (location: string): CfnTable.TableInputProperty => ({
  name: "changes",
  tableType: "EXTERNAL_TABLE",
  partitionKeys: [{ name: "hour", type: "string", comment: "2026/11/24/04, in UTC" }],
  parameters: {
    "projection.enabled": "true",
    "projection.hour.type": "date",
    "projection.hour.format": "yyyy/MM/dd/HH",
    "projection.hour.interval": "1",
    "projection.hour.interval.unit": "HOURS",
    "projection.hour.range": `${FIRST_HOUR},NOW`,
    "storage.location.template": `${location}/\${hour}`,
  },
  storageDescriptor: {
    location,
    columns: COLUMNS.map(([name, type]) => ({ name, type })),
    inputFormat: "org.apache.hadoop.mapred.TextInputFormat",
    outputFormat: "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
    serdeInfo: { serializationLibrary: "org.openx.data.jsonserde.JsonSerDe" },
  },
});
