import { Stack } from "aws-cdk-lib";
import { type ITable, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Bucket, type IBucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import * as v from "valibot";
import { fields, rule } from "../src/api/schema/schema.ts";
import { isLater, orLater, readProps, wrong } from "../src/constructs/props.ts";
import { encryptWith } from "./encrypted-with.ts";
import { ENVIRONMENTS, protectionOf } from "./environments.ts";
import { Kept } from "./kept.ts";
import { dynamoTable, pattern } from "./pattern.ts";
import { Table } from "./table.ts";
import { trailLock } from "./trail.ts";

/** The lock of the objects in the trail. */
export interface PlatTrailLock {
  /** Nobody ends a lock of the mode `compliance`; an operator with the right to it ends one of `governance`. */
  readonly mode: "governance" | "compliance";
  readonly days: number;
}

/** Properties of `PlatData`. All have a default. */
export interface PlatDataProps {
  /**
   * `prod` keeps the data when the stack goes, with recovery and protection. `dev` leaves nothing behind, once its trail is empty.
   * Default: `prod`.
   */
  readonly protection?: "dev" | "prod";
  /** The lock of the objects in the trail. Default: none. */
  readonly trailLock?: PlatTrailLock;
  /** Encrypts the tables and the trail. Default: the keys that AWS has for each. */
  readonly encryptionKey?: IKey;
}

/** The data of an environment. */
export interface IPlatData {
  /** The table, with a stream of old and new images. Nobody but Plat may write it. */
  readonly table: ITable;
  /** The table of the past, for questions about it. */
  readonly history: ITable;
  /** The audit trail. */
  readonly trailBucket: IBucket;
}

/** The names of data that there is, in the account and the Region of the stack. */
export interface PlatDataAttributes {
  readonly tableName: string;
  /** The stream of the table, of old and new images. DynamoDB tells it as `LatestStreamArn`. */
  readonly tableStreamArn: string;
  readonly historyName: string;
  readonly trailBucketName: string;
}

const ATTRIBUTES = v.pipe(
  fields({
    tableName: orLater(dynamoTable),
    tableStreamArn: orLater(
      pattern(
        /^arn:aws[\w-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]+\/stream\/.+$/,
        "must be the ARN of the stream of the table, which DynamoDB tells as LatestStreamArn",
      ),
    ),
    historyName: orLater(dynamoTable),
    trailBucketName: orLater(
      pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be the name of a bucket of S3"),
    ),
  }),
  rule(({ tableName, tableStreamArn }) =>
    isLater([tableName, tableStreamArn]) || tableStreamArn.includes(`:table/${tableName}/`)
      ? []
      : [{ field: "tableStreamArn", problem: `must be that of the table ${tableName}` }],
  ),
);

/**
 * The data of an environment: table, history and trail. In a stack of its own it stays when all code goes, and
 * `PlatEnvironment` takes it as `data`.
 */
export class PlatData extends Construct implements IPlatData {
  readonly table: ITable;
  readonly history: ITable;
  readonly trailBucket: IBucket;

  /**
   * Returns data that there is, such as a restored table with the history and the trail of the lost one.
   *
   * @throws {Error} if an attribute is wrong; the message names it
   */
  static fromAttributes(scope: Construct, id: string, attributes: PlatDataAttributes): IPlatData {
    const place = new Construct(scope, id);
    const { tableName, tableStreamArn, historyName, trailBucketName } = readProps(
      place,
      ATTRIBUTES,
      attributes,
    );
    const { region, account } = Stack.of(place);
    const isHere = tableStreamArn.includes(`:${region}:${account}:`);
    if (!isLater([tableStreamArn, region, account]) && !isHere)
      throw wrong(
        place,
        `tableStreamArn must be of ${region} and of the account ${account}, those of the stack`,
      );
    return {
      table: TableV2.fromTableAttributes(place, "Table", { tableName, tableStreamArn }),
      history: TableV2.fromTableName(place, "History", historyName),
      trailBucket: Bucket.fromBucketName(place, "TrailBucket", trailBucketName),
    };
  }

  /** @throws {Error} if a property is wrong; the message names it */
  constructor(scope: Construct, id: string, props: PlatDataProps = {}) {
    super(scope, id);
    const { protection, encryptionKey, ...settings } = props;
    const environment = ENVIRONMENTS[protectionOf(this, protection)];
    const { trailLock: lock } = readProps(this, SETTINGS, settings);
    const { table } = new Table(this, "Table", { environment });
    const { history, bucket } = new Kept(this, "Kept", { environment, lock });
    // The CDK's own classes do not pass exactOptionalPropertyTypes.
    this.table = table as ITable;
    this.history = history as ITable;
    this.trailBucket = bucket as IBucket;
    encryptWith(encryptionKey, this);
  }
}

const SETTINGS = fields({ trailLock: v.optional(trailLock) });
