import type { Outcome } from "../base/outcome.ts";
import { absent, type Clause, equals, present } from "./clause.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { TABLE_KEY } from "./key.ts";
import type { TableIdentity, TableRegister } from "./register.ts";
import type { Change, Table } from "./table.ts";

/** Returns the register of a table; that of a new table names nothing. */
export async function readRegister(
  table: Pick<Table, "get">,
  options: Parameters<Table["get"]>[1] = {},
): Promise<TableRegister> {
  const item = await table.get(TABLE_KEY, options);
  return item ? registerIn(item) : { ids: {} };
}

/** Names a table in its register, unless that names one. */
export const registerTable = (
  table: Table,
  { region, id }: TableIdentity,
): Promise<Outcome<Item>> =>
  change(table, "register-table", absent("register-table-absent", "ids"), {
    set: [[["ids"], { [region]: id }]],
  });

/** Names a replica of a table beside the table, unless the register names one for its Region. */
export const registerReplica = (
  table: Table,
  { region, id }: TableIdentity,
  replica: TableIdentity,
): Promise<Outcome<Item>> =>
  change(table, "register-replica", equals("register-replica-of", id, "ids", region), {
    set: [[["ids", replica.region], replica.id]],
  });

/** Marks a table with a time that is later than the one that the caller read. */
export const moveMark = (
  table: Table,
  seenMs: number | undefined,
  nextMs: number,
): Promise<Outcome<Item>> =>
  change(
    table,
    "move-mark",
    seenMs === undefined
      ? absent("move-mark-new", "markedAt")
      : equals("move-mark-seen", seenMs, "markedAt"),
    { set: [[["markedAt"], nextMs]] },
  );

/** Freezes a table, unless it is frozen. */
export const freezeTable = (table: Table, because: string): Promise<Outcome<Item>> =>
  change(table, "freeze-table", absent("freeze-table-absent", "frozen"), {
    set: [[["frozen"], because]],
  });

/** Lets a table serve: its register names it, and no other, and its mark is as late as any beside it. */
export const thawTable = (
  table: Table,
  { region, id }: TableIdentity,
  nowMs: number,
): Promise<Outcome<Item>> =>
  change(table, "thaw-table", present("thaw-table-format", "f"), {
    set: [
      [["ids"], { [region]: id }],
      [["markedAt"], nowMs],
    ],
    remove: [["frozen"]],
  });

/** Changes the register of a table. A table without one gets none here, because the format of its keys must come first. */
const change = (
  table: Table,
  step: string,
  when: Clause,
  paths: Pick<Extract<Change, { kind: "update" }>, "set" | "remove">,
): Promise<Outcome<Item>> =>
  table.write({
    step,
    key: TABLE_KEY,
    when: [present(`${step}-present`, "pk"), when],
    change: { kind: "update", ...paths },
  });

const registerIn = reading<TableRegister>(({ ids, frozen, markedAt }) => ({
  ids: (ids ?? {}) as TableRegister["ids"],
  ...(frozen !== undefined && { frozenBecause: String(frozen) }),
  ...(markedAt !== undefined && { markedAtMs: Number(markedAt) }),
}));
