import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { TABLE } from "../src/store/definition.ts";
import {
  ACCESS,
  ACTIONS,
  type ActionKind,
  type DeployedFunctionName,
  HISTORY_ACCESS,
  PARTITIONS,
} from "./access.ts";
import type { TableReference } from "./table.ts";

/**
 * Returns the statements with the exact access of a function. Each names actions, and the partition keys of their items
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html).
 */
export function accessStatements(
  name: DeployedFunctionName,
  table: TableReference,
): PolicyStatement[] {
  const access = ACCESS[name];
  if (!access) return [];
  const statements = Object.entries(ACTIONS).flatMap(([kind, action]) => {
    const partitions = access[kind as ActionKind] ?? [];
    if (partitions.length === 0) return [];
    const keys = partitions.map((partition) => PARTITIONS[partition]);
    return new PolicyStatement({
      actions: [action],
      resources: [table.tableArn],
      conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } },
    });
  });
  const index = `${table.tableArn}/index/${TABLE.dueIndex.name}`;
  if (access.scan)
    statements.push(
      new PolicyStatement({ actions: ["dynamodb:Scan"], resources: [table.tableArn] }),
    );
  if (access.due)
    statements.push(new PolicyStatement({ actions: ["dynamodb:Query"], resources: [index] }));
  // A function asks which table it has before its first write (`src/store/guarded-table.ts`).
  if (access.put || access.update || access.delete)
    statements.push(
      new PolicyStatement({ actions: ["dynamodb:DescribeTable"], resources: [table.tableArn] }),
    );
  return statements;
}

/** Returns the statement with the access of a function to the history. */
export function historyStatement(
  name: DeployedFunctionName,
  history: TableReference,
): PolicyStatement {
  const actions = (HISTORY_ACCESS[name] ?? []).map((kind) => ACTIONS[kind]);
  return new PolicyStatement({ actions, resources: [history.tableArn] });
}
