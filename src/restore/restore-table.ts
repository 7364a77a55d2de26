import { type Outcome, UnavailableError } from "../base/outcome.ts";
import type { Context } from "../kernel/core/context.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { PROBE_SPACE } from "../kernel/values/probe.ts";
import { type Checked, checkTable } from "../nouns/contents/operations/check-table.ts";
import { assignsPrefixes } from "../nouns/pool/pool.ts";
import { LEFT_OUT } from "../publish/trail-line.ts";
import { dryRunTable } from "../table/dry-run-table.ts";
import { isTold } from "../table/format.ts";
import { kindNameOf, kindOf } from "../table/kinds.ts";
import { type TableIdentity, whyFrozen } from "../table/register.ts";
import { freezeTable, readRegister, thawTable } from "../table/register-item.ts";
import type { Table, Write } from "../table/table.ts";
import { contextOf, dynamoClient, identityIn, repeating, tableIn } from "../wiring.ts";
import { type Adopted, adopt, type Living } from "./adopt.ts";
import { replayed } from "./replay.ts";
import { RestoreError } from "./restore-error.ts";
import { textOfValue } from "./text-of-value.ts";
import type { ParsedTrailLine } from "./trail-line.ts";

/** Items that a restore reads or writes side by side. */
const RESTORED_AT_ONCE = 16;

/** A restored table, with nothing that keeps it from being written. */
export interface RestoredTable {
  readonly table: Table;
  readonly identity: TableIdentity;
  /** Makes a context over it, for the adoption and the check. */
  readonly contextOver: (table: Table) => Context;
}

/**
 * Opens a table with the credentials and the Region of the AWS command line.
 *
 * @param endpoint a DynamoDB other than that of AWS
 * @throws {Error} of the SDK if the table is out of reach
 */
export async function openRestoredTable(
  tableName: string,
  endpoint: string | undefined,
): Promise<RestoredTable> {
  const client = dynamoClient(endpoint);
  const table = tableIn(client, tableName);
  const identity = await identityIn(client, tableName);
  return { table, identity, contextOver: contextOf };
}

/** The later state of the table: what changed since the backup, or what lives now, or both. */
export interface Later {
  /** Lines of the audit trail. */
  readonly lines: readonly ParsedTrailLine[];
  /** The addresses of an inventory, which is taken after the loss. */
  readonly living: readonly Living[];
  /** The spaces of the inventory, if nothing else tells what changed since the backup; absent beside lines of a trail. */
  readonly spaces?: readonly string[];
  /** True if the operator knows, by an empty trail, what became of the prefixes that no inventory has. */
  readonly arePrefixesKnown?: boolean;
}

interface PoolOfSpace {
  readonly space: string;
  readonly pool: string;
}

/** The result of a restore. */
export interface Restored {
  /** The lines that count: without those of items that a restored table gets anew. */
  readonly lines: number;
  /** The items that these lines are about. */
  readonly items: number;
  /** The items that the replay wrote or deleted, or would. */
  readonly changed: number;
  /** The adoption of the addresses of the inventory; what it would be in a dry run. */
  readonly adoption: Adopted;
  /** The check of the table after the replay; absent in a dry run. */
  readonly checked?: Checked;
  /** The spaces of the table that the inventory lacks: their addresses of after the backup look free. Absent if there are none. */
  readonly untold?: readonly string[];
  /**
   * The pools of prefixes, which no inventory has: their prefixes of after the backup look free. Absent beside a trail, and if there
   * are none.
   */
  readonly untoldPools?: readonly PoolOfSpace[];
  /** True if the table serves now. */
  readonly thawed: boolean;
}

/**
 * Replays lines of the audit trail in a frozen table, adopts the addresses of an inventory, and checks the table as a whole. It lets the
 * table serve if every invariant holds, every address was adopted, and every space and every pool is told of. It may run again, because
 * a second run changes nothing. It writes nothing before it knows that it can replay all lines.
 *
 * A dry run takes the same steps, and keeps what it writes in memory. It ends before the check, which reads the whole table.
 *
 * @throws {RestoreError} if the table serves already, or if the lines cannot be replayed
 */
export async function restoreTable(
  { table: restored, identity, contextOver }: RestoredTable,
  { lines, living, spaces, arePrefixesKnown = false }: Later,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Restored> {
  const written = dryRun ? dryRunTable(restored) : restored;
  const table = repeating(written);
  const context = contextOver(written);
  await expectFrozen(table, identity);
  const byItem = [...itemsOf(lines).values()];
  const changes = await inParallel(byItem, RESTORED_AT_ONCE, (of) => changeOf(table, of));
  const needed = changes.filter((change) => change !== undefined);
  const done = {
    lines: byItem.reduce((sum, of) => sum + of.length, 0),
    items: byItem.length,
    changed: needed.length,
  };
  // A table without ids in its register must not serve during the replay either.
  expectAnswer(await freezeTable(table, "is being restored"));
  await inParallel(needed, RESTORED_AT_ONCE, async (change) =>
    expectAnswer(await table.write(change)),
  );
  const adoption = await adopt(contextOver(written), living);
  const untold = spaces && (await untoldBy(context, spaces, arePrefixesKnown));
  if (dryRun) return { ...done, adoption, ...untold, thawed: false };
  const checked = await checkTable(context);
  const isWhole = adoption.rejected.length === 0 && !untold?.untold && !untold?.untoldPools;
  const thawed = checked.violations.length === 0 && isWhole;
  if (thawed) expectAnswer(await thawTable(table, identity, context.now()));
  return { ...done, adoption, ...untold, checked, thawed };
}

/** Returns the spaces of callers that are not among those of the inventories, and the pools of prefixes, by their names. */
async function untoldBy(
  { store }: Context,
  told: readonly string[],
  arePrefixesKnown: boolean,
): Promise<Pick<Restored, "untold" | "untoldPools">> {
  const { items, unreadable } = await store.listSpaces();
  const all = [...items.map(({ space }) => space), ...unreadable.map(({ name }) => name)];
  const names = all.filter((name) => name !== PROBE_SPACE).sort();
  const untold = names.filter((name) => !told.includes(name));
  const untoldPools: PoolOfSpace[] = [];
  for (const space of arePrefixesKnown ? [] : names) {
    const { pools } = await store.readSpace(space);
    const ofPrefixes = pools.filter(assignsPrefixes);
    untoldPools.push(...ofPrefixes.map(({ name }) => ({ space, pool: name })));
  }
  return {
    ...(untold.length > 0 && { untold }),
    ...(untoldPools.length > 0 && { untoldPools }),
  };
}

/** @throws {UnavailableError} if the database did not say what became of a write: the restore can run again */
function expectAnswer({ outcome }: Outcome<unknown>): void {
  if (outcome === "unknown") throw new UnavailableError("the database did not answer a write");
}

/**
 * Checks that nobody else writes the table.
 *
 * @throws {RestoreError} if it serves
 */
async function expectFrozen(table: Table, identity: TableIdentity): Promise<void> {
  if (!(await isTold(table))) throw new RestoreError("the table has no register: it is not Plat's");
  const register = await readRegister(table);
  const isNamed = Object.keys(register.ids).length > 0;
  if (isNamed && whyFrozen(register, identity) === undefined)
    throw new RestoreError(
      "the table serves: its register names it, so there is nothing to restore",
    );
}

/** Returns the lines of each item. @throws {RestoreError} if a line is about an item of an unknown kind */
function itemsOf(
  lines: readonly ParsedTrailLine[],
): ReadonlyMap<string, readonly ParsedTrailLine[]> {
  const items = new Map<string, ParsedTrailLine[]>();
  for (const line of lines) {
    const kind = kindNameOf(line.key);
    if (kind === undefined)
      throw new RestoreError(
        `${line.place} is about an item of no kind that this version knows: ${line.key.pk} ${line.key.sk}`,
      );
    // The register is the restored table's own.
    if (LEFT_OUT.has(kind) || kind === "TABLE") continue;
    const name = JSON.stringify([line.key.pk, line.key.sk]);
    const of = items.get(name);
    if (of) of.push(line);
    else items.set(name, [line]);
  }
  return items;
}

/**
 * Returns the write that brings an item up to date; nothing if it is.
 *
 * @throws {RestoreError} if its lines cannot be replayed, or lead to a format that this version does not read
 */
async function changeOf(
  table: Table,
  lines: readonly ParsedTrailLine[],
): Promise<Write | undefined> {
  const [first] = lines;
  if (!first) return undefined;
  const { key } = first;
  const current = await table.get(key);
  const item = replayed(current, lines);
  const isSame =
    item === undefined || current === undefined
      ? item === current
      : textOfValue(item) === textOfValue(current);
  if (isSame) return undefined;
  const { format } = kindOf(key) ?? {};
  if (item && item.f !== format)
    throw new RestoreError(
      `the lines of ${key.pk} ${key.sk} lead to format ${String(item.f)}, and this version reads format ${format}`,
    );
  // Nobody else writes a frozen table, so the write needs no condition.
  return {
    step: "replay",
    key,
    when: [],
    change: item ? { kind: "put", item } : { kind: "delete" },
  };
}
