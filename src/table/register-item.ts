import type { Outcome } from "../base/outcome.ts";
import { mapOf } from "./attribute.ts";
import { absent, type Clause, equals, present } from "./clause.ts";
import { codec, number, optional, type SparseForm, text, under } from "./codec.ts";
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
  return item ? REGISTER.from(item) : { ids: {} };
}

/** Names a table in its register, unless that names one. */
export const registerTable = (
  table: Table,
  { region, id }: TableIdentity,
): Promise<Outcome<Item>> =>
  change(
    table,
    "register-table",
    absent("register-table-absent", "ids"),
    REGISTER.update({ ids: { [region]: id } }),
  );

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
    REGISTER.update({ markedAtMs: nextMs }),
  );

/** Freezes a table, unless it is frozen. */
export const freezeTable = (table: Table, because: string): Promise<Outcome<Item>> =>
  change(
    table,
    "freeze-table",
    absent("freeze-table-absent", "frozen"),
    REGISTER.update({ frozenBecause: because }),
  );

/** Lets a table serve: its register names it, and no other, and its mark is as late as any beside it. */
export const thawTable = (
  table: Table,
  { region, id }: TableIdentity,
  nowMs: number,
): Promise<Outcome<Item>> =>
  change(
    table,
    "thaw-table",
    present("thaw-table-format", "f"),
    REGISTER.update({ ids: { [region]: id }, markedAtMs: nowMs, frozenBecause: undefined }),
  );

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

const ids: SparseForm<TableRegister["ids"]> = {
  isSparse: true,
  write: (named) => named,
  read: (attributes, name) =>
    attributes[name] === undefined ? {} : (mapOf(attributes, name) as TableRegister["ids"]),
};

const REGISTER = codec<TableRegister, never>({
  key: () => TABLE_KEY,
  named: () => ({}),
  attributes: {
    ids,
    frozenBecause: under("frozen", optional(text)),
    markedAtMs: under("markedAt", optional(number)),
  },
});
