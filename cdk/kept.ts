import { Billing, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { HISTORY } from "../src/table/definition.ts";
import type { Environment } from "./environments.ts";
import { existingTable, string, type TableReference } from "./table.ts";
import { Trail, type TrailLock } from "./trail.ts";

export interface KeptProps {
  readonly environment: Environment;
  readonly lock?: TrailLock | undefined;
  /** Present if the history has replicas in other Regions; its name is then the same in each. */
  readonly regions?: HistoryRegions;
}

export interface HistoryRegions {
  readonly historyName: string;
  /** The Regions beside that of the stack; absent in a Region with a replica. */
  readonly replicas?: readonly string[];
}

/** The past of an environment: the history and the trail. */
export class Kept extends Construct {
  readonly history: TableReference;
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { environment, lock, regions }: KeptProps) {
    super(scope, id);
    this.history =
      regions && !regions.replicas
        ? existingTable(this, regions.historyName)
        : this.#history(environment, regions);
    this.bucket = new Trail(this, "Trail", { environment, lock }).bucket;
  }

  /**
   * The table of the history. Its replicas may lag, and that does no harm: one Region writes it, and no decision
   * depends on it.
   */
  #history(environment: Environment, regions: HistoryRegions | undefined): TableV2 {
    return new TableV2(this, "History", {
      partitionKey: string(HISTORY.partitionKey),
      sortKey: string(HISTORY.sortKey),
      timeToLiveAttribute: HISTORY.timeToLive,
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: environment.pointInTimeRecovery,
      },
      deletionProtection: environment.deletionProtection,
      removalPolicy: environment.removalPolicy,
      ...(regions?.replicas && {
        tableName: regions.historyName,
        replicas: regions.replicas.map((region) => ({ region })),
      }),
    });
  }
}
