import {
  type Attribute,
  AttributeType,
  Billing,
  MultiRegionConsistency,
  ProjectionType,
  StreamViewType,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import { TABLE } from "../src/table/definition.ts";
import type { Environment } from "./environments.ts";
import type { Regions } from "./regions.ts";

/** The attributes of the table that other stacks need. */
export type TableReference = Pick<TableV2, "tableArn" | "tableName">;

export interface TableProps {
  readonly environment: Environment;
  readonly regions?: TableRegions;
}

/** The Regions of a table beside that of its stack. */
export interface TableRegions extends Pick<Regions, "replicas" | "witness"> {
  /** The name of the table, which is the same in every Region. */
  readonly tableName: string;
}

/**
 * The only table. It is on demand, because the load is a burst of starting nodes and then nothing.
 *
 * It is in one Region, or it has multi-Region strong consistency. An asynchronous replica would accept two conflicting
 * claims of one address.
 */
export class Table extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { environment, regions }: TableProps) {
    super(scope, id);
    const { dueIndex } = TABLE;
    this.table = new TableV2(this, "Table", {
      partitionKey: string(TABLE.partitionKey),
      sortKey: string(TABLE.sortKey),
      globalSecondaryIndexes: [
        {
          indexName: dueIndex.name,
          partitionKey: string(dueIndex.partitionKey),
          sortKey: number(dueIndex.sortKey),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: environment.pointInTimeRecovery,
      },
      deletionProtection: environment.deletionProtection,
      removalPolicy: environment.removalPolicy,
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      ...(regions && {
        tableName: regions.tableName,
        multiRegionConsistency: MultiRegionConsistency.STRONG,
        replicas: regions.replicas.map((region) => ({ region })),
        ...(regions.witness !== undefined && { witnessRegion: regions.witness }),
      }),
    });
  }
}

/** Returns an existing table, such as a restored one. Its operator sets its recovery and protection. */
export function existingTable(scope: Construct, tableName: string): TableReference {
  return TableV2.fromTableAttributes(scope, "Table", { tableName });
}

export function string(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}

function number(name: string): Attribute {
  return { name, type: AttributeType.NUMBER };
}
