import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { FunctionName } from "../src/edge/api.ts";
import { TABLE } from "../src/store/definition.ts";

/** The functions that EventBridge Scheduler invokes. */
export const SCHEDULED_FUNCTIONS = ["reclaim", "collect", "work"] as const;
export type ScheduledFunctionName = (typeof SCHEDULED_FUNCTIONS)[number];

type Action =
  | "dynamodb:GetItem"
  | "dynamodb:Query"
  | "dynamodb:PutItem"
  | "dynamodb:UpdateItem"
  | "dynamodb:DeleteItem"
  | "dynamodb:Scan";

/** What a function may do to the table's items, and to what it may do it in the due index. */
interface Access {
  readonly table: readonly Action[];
  readonly dueIndex?: readonly Action[];
}

const READ: readonly Action[] = ["dynamodb:GetItem", "dynamodb:Query"];
const CHANGE: readonly Action[] = [...READ, "dynamodb:PutItem", "dynamodb:UpdateItem"];
const WRITE: readonly Action[] = [...CHANGE, "dynamodb:DeleteItem"];

const ACCESS: Readonly<Record<FunctionName | ScheduledFunctionName, Access>> = {
  assign: { table: WRITE },
  release: { table: WRITE },
  read: { table: READ },
  affinities: { table: WRITE },
  amend: { table: WRITE },
  // Blocks of no pool are found by nothing but a walk over the table.
  utilization: { table: [...READ, "dynamodb:Scan"] },
  pools: { table: WRITE },
  reservations: { table: WRITE },
  nodes: { table: WRITE },
  namespaces: { table: WRITE },
  // Nobody deletes a configuration.
  config: { table: CHANGE },
  jobs: { table: READ },
  // What is proven is the table as a whole.
  check: { table: ["dynamodb:Scan"] },
  health: { table: ["dynamodb:GetItem"] },
  openapi: { table: [] },
  reclaim: { table: WRITE },
  work: { table: WRITE },
  // The index may miss an item, so the collector also walks the table; nothing else may ask the index.
  collect: { table: [...WRITE, "dynamodb:Scan"], dueIndex: ["dynamodb:Query"] },
};

/** The statements that give a function its access, and no more. */
export function accessStatements(
  name: FunctionName | ScheduledFunctionName,
  table: TableV2,
): PolicyStatement[] {
  const { table: items, dueIndex = [] } = ACCESS[name];
  return [
    { actions: items, resource: table.tableArn },
    { actions: dueIndex, resource: `${table.tableArn}/index/${TABLE.dueIndex.name}` },
  ]
    .filter(({ actions }) => actions.length > 0)
    .map(({ actions, resource }) => allow(actions, resource));
}

function allow(actions: readonly Action[], resource: string): PolicyStatement {
  return new PolicyStatement({ actions: [...actions], resources: [resource] });
}
