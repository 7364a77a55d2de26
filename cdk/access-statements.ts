import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { TABLE } from "../src/table/definition.ts";
import {
  ACCESS,
  ACTIONS,
  type ActionKind,
  type DeployedFunctionName,
  HISTORY_ACCESS,
  HISTORY_PARTITIONS,
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
  const statements = byPartition(table, (kind) =>
    (access[kind] ?? []).map((partition) => PARTITIONS[partition]),
  );
  const index = `${table.tableArn}/index/${TABLE.dueIndex.name}`;
  if (access.scan)
    statements.push(
      new PolicyStatement({ actions: ["dynamodb:Scan"], resources: [table.tableArn] }),
    );
  if (access.due)
    statements.push(new PolicyStatement({ actions: ["dynamodb:Query"], resources: [index] }));
  // A function asks which table it has before its first write (`src/table/guarded-table.ts`).
  if (access.put || access.update || access.delete)
    statements.push(
      new PolicyStatement({ actions: ["dynamodb:DescribeTable"], resources: [table.tableArn] }),
    );
  return statements;
}

/** Returns the statements with the access of a function to the history. */
export const historyStatements = (
  name: DeployedFunctionName,
  history: TableReference,
): PolicyStatement[] =>
  byPartition(history, (kind) =>
    (HISTORY_ACCESS[name]?.[kind] ?? []).map((partition) => HISTORY_PARTITIONS[partition]),
  );

/** Returns a statement for each action that has keys. */
const byPartition = (
  table: TableReference,
  keysOf: (kind: ActionKind) => readonly string[],
): PolicyStatement[] =>
  Object.entries(ACTIONS).flatMap(([kind, action]) => {
    const keys = keysOf(kind as ActionKind);
    if (keys.length === 0) return [];
    return new PolicyStatement({
      actions: [action],
      resources: [table.tableArn],
      conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } },
    });
  });
