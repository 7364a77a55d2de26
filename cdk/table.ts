import {
  type Attribute,
  AttributeType,
  Billing,
  ProjectionType,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import { TABLE } from "../src/store/definition.ts";
import type { Environment } from "./environments.ts";

/** The attributes of the table that other stacks need. */
export type TableReference = Pick<TableV2, "tableArn" | "tableName">;

export interface TableProps {
  readonly environment: Environment;
}

/**
 * The only table. It is on demand, because the load is a burst of starting nodes and then nothing.
 *
 * It is in one Region on purpose: an asynchronous replica would accept two conflicting claims of one address.
 */
export class Table extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { environment }: TableProps) {
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
      ...(environment.stream && { dynamoStream: environment.stream }),
    });
  }
}

/** Returns an existing table, such as a restored one. Its operator sets its recovery and protection. */
export function existingTable(scope: Construct, tableName: string): TableReference {
  return TableV2.fromTableAttributes(scope, "Table", { tableName });
}

function string(name: string): Attribute {
  return { name, type: AttributeType.STRING };
}

function number(name: string): Attribute {
  return { name, type: AttributeType.NUMBER };
}
