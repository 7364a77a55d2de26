import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { FunctionName } from "../src/edge/api.ts";
import { TABLE } from "../src/store/definition.ts";
import type { TableReference } from "./table.ts";

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
const WRITE: readonly Action[] = [
  ...READ,
  "dynamodb:PutItem",
  "dynamodb:UpdateItem",
  "dynamodb:DeleteItem",
];

/**
 * One function for each set of rights: routes that need the same share a function, which is then cold less often, and no
 * route has a right that it does not need. A set is actions, and whose items they act on:
 *
 * - `assign` claims blocks and holds them by records; `release` claims none; `affinities` has no business with records;
 *   `amend` changes a record and nothing else.
 * - `read` writes nothing, whatever it reads. `survey` may scan, which no condition on keys can bound.
 * - `configure` writes what a space is configured by: pools, reservations and settings lie in one partition, where rights to
 *   one are rights to all. `register` writes who is in it: hosts and namespaces.
 * - `openapi` answers what needs no table.
 */
const ACCESS: Readonly<Record<FunctionName | ScheduledFunctionName, Access>> = {
  assign: { table: WRITE },
  release: { table: WRITE },
  amend: { table: [...READ, "dynamodb:PutItem"] },
  affinities: { table: WRITE },
  read: { table: READ },
  // Blocks of no pool are found, and a space is proven as a whole, by nothing but a walk over the table.
  survey: { table: [...READ, "dynamodb:Scan"] },
  configure: { table: WRITE },
  register: { table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"] },
  openapi: { table: [] },
  reclaim: { table: WRITE },
  work: { table: WRITE },
  // The index may miss an item, so the collector also walks the table; nothing else may ask the index.
  collect: { table: [...WRITE, "dynamodb:Scan"], dueIndex: ["dynamodb:Query"] },
};

/** The statements that give a function its access, and no more. */
export function accessStatements(
  name: FunctionName | ScheduledFunctionName,
  table: TableReference,
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
