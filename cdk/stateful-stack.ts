import { CfnOutput, Stack } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";
import type { Environment } from "./environments.ts";
import { Table, type TableRegions } from "./table.ts";

export interface StatefulStackProps {
  readonly environment: Environment;
  readonly regions?: TableRegions;
}

/** The stack with the table. It stays when all code changes. */
export class StatefulStack extends Stack {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, props: StatefulStackProps) {
    super(scope, id);
    const { table } = new Table(this, "Table", props);
    this.table = table;
    new CfnOutput(this, "TableName", { value: table.tableName });
  }
}
