import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import {
  ACCESS,
  type ActionKind,
  PARTITIONS,
  type Partition,
  type ScheduledFunctionName,
} from "../../cdk/access.ts";
import type { FunctionName } from "../../src/contract/routes/routes.ts";
import type { Table } from "../../src/store/table.ts";

type Deployed = FunctionName | ScheduledFunctionName;

/** The running function, so that a call to the table can be attributed to it. */
const running = new AsyncLocalStorage<Deployed>();

/** Runs what a function does, as this function. */
export const runAs = <Result>(name: Deployed, act: () => Result): Result => running.run(name, act);

/** The rights that functions used, such as `assign put BLOCK`. */
const used = new Set<string>();
/** The rights that they used without having them. */
export const unlawful = new Set<string>();

/** A table that notes what each function does with it, and whether `cdk/access.ts` lets it. */
export function watchedTable(table: Table): Table {
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

/** Adds what was used to a file, a line each, where `RIGHTS_USED` names one: `npm run test:rights` compares it with what is granted. */
export function tellUsed(): void {
  const { RIGHTS_USED } = process.env;
  if (RIGHTS_USED) appendFileSync(RIGHTS_USED, [...used].map((what) => `${what}\n`).join(""));
}

function note(kind: ActionKind | "scan" | "due", pk?: string): void {
  const name = running.getStore();
  if (name === undefined) return;
  const partition = pk?.split("#")[0];
  const what = [name, kind, partition].filter((part) => part !== undefined).join(" ");
  used.add(what);
  if (!isGranted(name, kind, partition)) unlawful.add(what);
}

function isGranted(
  name: Deployed,
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
