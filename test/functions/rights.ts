import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import {
  ACCESS,
  type ActionKind,
  type DeployedFunctionName,
  HISTORY_ACCESS,
  PARTITIONS,
  type Partition,
} from "../../cdk/access.ts";
import type { Table } from "../../src/table/table.ts";

/** The function that runs, to which a call to the table is attributed. */
const running = new AsyncLocalStorage<DeployedFunctionName>();

/** Runs `act` as the named function. */
export const runAs = <Result>(name: DeployedFunctionName, act: () => Result): Result =>
  running.run(name, act);

/** The rights that functions used, such as `assign put BLOCK`. */
const used = new Set<string>();
/** The rights that functions used but do not have. */
export const unlawful = new Set<string>();

/** Returns a table that notes each right that a function uses, and whether `cdk/access.ts` grants it. */
export const watchedTable = (table: Table): Table => watched(table, "table");

/** Returns the table of the history, watched in the same way. */
export const watchedHistory = (table: Table): Table => watched(table, "history");

const watched = (table: Table, of: "table" | "history"): Table =>
  noting(table, (kind, pk) => noteRight(of, kind, pk));

/** Returns a table that tells each call before it makes it. */
function noting(
  table: Table,
  note: (kind: ActionKind | "scan" | "due", pk?: string) => void,
): Table {
  return {
    get: (key, options) => {
      note("get", key.pk);
      return table.get(key, options);
    },
    query: (pk, options) => {
      note("query", pk);
      return table.query(pk, options);
    },
    scan: (limit, options) => {
      note("scan");
      return table.scan(limit, options);
    },
    due: (shard, options) => {
      note("due");
      return table.due(shard, options);
    },
    write: (write) => {
      note(write.change.kind, write.key.pk);
      return table.write(write);
    },
  };
}

/** Adds the used rights to the file that `RIGHTS_USED` names, one a line. `npm run test:rights` compares them with the granted ones. */
export function tellUsed(): void {
  const { RIGHTS_USED } = process.env;
  if (RIGHTS_USED) appendFileSync(RIGHTS_USED, [...used].map((what) => `${what}\n`).join(""));
}

/**
 * Returns the table that a function has in a deployment: a call beyond its rights throws, as DynamoDB answers
 * `AccessDeniedException`.
 */
export const grantedTable = (name: DeployedFunctionName, table: Table): Table =>
  noting(table, (kind, pk) => {
    const partition = pk?.split("#")[0];
    if (!isGranted(name, kind, partition))
      throw new Error(`${name} has no right to ${[kind, partition].join(" ").trim()}`);
  });

function noteRight(of: "table" | "history", kind: ActionKind | "scan" | "due", pk?: string): void {
  const name = running.getStore();
  if (name === undefined) return;
  const partition = pk?.split("#")[0];
  const place = of === "history" ? `history ${partition}` : partition;
  const what = [name, kind, place].filter((part) => part !== undefined).join(" ");
  used.add(what);
  const granted =
    of === "history" ? mayInHistory(name, kind, partition) : isGranted(name, kind, partition);
  if (!granted) unlawful.add(what);
}

function isGranted(
  name: DeployedFunctionName,
  kind: ActionKind | "scan" | "due",
  partition: string | undefined,
): boolean {
  const access = ACCESS[name];
  if (kind === "scan" || kind === "due") return access?.[kind] === true;
  return (
    partition !== undefined &&
    Object.hasOwn(PARTITIONS, partition) &&
    access?.[kind]?.includes(partition as Partition) === true
  );
}

function mayInHistory(
  name: DeployedFunctionName,
  kind: ActionKind | "scan" | "due",
  partition = "",
): boolean {
  if (kind === "scan" || kind === "due") return false;
  return HISTORY_ACCESS[name]?.[kind]?.some((known) => known === partition) === true;
}
