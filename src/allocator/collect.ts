import type { AffinityRow } from "../domain/affinity.ts";
import { heldBy } from "../domain/block.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import {
  COLLECT_DUE_PER_SHARD,
  COLLECT_SCAN_ITEMS_PER_PAGE,
  COLLECT_SCAN_PAGES_PER_PASS,
  GRACE_MS,
  PASS_MS_MAX,
  RELEASED_RECORD_KEPT_MS,
} from "../domain/limits.ts";
import { type AssignmentRecord, isOver } from "../domain/record.ts";
import { type Context, fresh } from "./context.ts";
import { finish, givenOrdinals, tagOf } from "./end.ts";
import { fence } from "./fence.ts";
import { giveBack } from "./give-back.ts";

/** What a pass of the collector did. */
export interface Collected {
  records: number;
  recordsDeleted: number;
  rows: number;
  /** Did the slow walk over the table come to its end? */
  swept: boolean;
  /** What went wrong on the way, for the log; the pass went on. */
  readonly failures: unknown[];
}

const PASS = "collect";

/**
 * One bounded pass of the collector: records that are due, and the next pages of a slow walk over the whole table, which
 * finds what no index knows. It repairs what crashes left; nothing waits for it.
 *
 * @param shards how many partitions the due index has
 */
export async function collect(context: Context, shards: number): Promise<Collected> {
  const done: Collected = { records: 0, recordsDeleted: 0, rows: 0, swept: false, failures: [] };
  const startedAtMs = context.now();
  for (let shard = 0; shard < shards; shard++) await collectDue(context, shard, done);
  await sweep(context, startedAtMs, done);
  return done;
}

async function collectDue(context: Context, shard: number, done: Collected): Promise<void> {
  const { store } = context;
  for (const place of await store.dueRecords(shard, context.now(), COLLECT_DUE_PER_SHARD))
    await going(done, async () => {
      const record = await store.readRecord(place);
      if (record && !(await counted(done, context, record))) await settleDue(context, record);
    });
}

/** The slow walk: some pages each pass, so that the whole table comes by in a day. */
async function sweep(context: Context, startedAtMs: number, done: Collected): Promise<void> {
  const { store } = context;
  let position = await store.readCursor(PASS);
  for (let page = 0; page < COLLECT_SCAN_PAGES_PER_PASS && !done.swept; page++) {
    if (context.now() - startedAtMs > PASS_MS_MAX) break;
    const { contents, next } = await store.scanPage(COLLECT_SCAN_ITEMS_PER_PAGE, position);
    for (const record of contents.records) await going(done, () => counted(done, context, record));
    for (const [space, host] of hostsOf(contents.rows))
      await going(done, async () => {
        done.rows += await collectRows(context, space, host);
      });
    position = next;
    done.swept = next === undefined;
  }
  await store.writeCursor(PASS, position);
}

/** One item that cannot be worked on must not keep the pass from all that come after it. */
async function going(done: Collected, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    done.failures.push(error);
  }
}

async function counted(
  done: Collected,
  context: Context,
  record: AssignmentRecord,
): Promise<boolean> {
  done.records++;
  const deleted = await collectRecord(context, record);
  if (deleted) done.recordsDeleted++;
  return deleted;
}

/** A record that is held in part is due no longer: it would stand in the way of others in the index. */
async function settleDue(context: Context, seen: AssignmentRecord): Promise<void> {
  if (isOver(seen)) return;
  const { dueAtMs: _, ...rest } = seen;
  await context.store.changeRecord("settle-due", seen, { ...rest, revision: fresh(context) });
}

/**
 * Ends a record whose owner crashed on the way: a released one is finished; a live one that holds nothing is fenced, looked
 * at again, and deleted under the revision seen. Answers whether the record was deleted.
 */
async function collectRecord(context: Context, seen: AssignmentRecord): Promise<boolean> {
  const { store } = context;
  const ageMs = context.now() - seen.atMs;
  if (ageMs <= GRACE_MS) return false;
  if (isOver(seen)) {
    await finish(context, seen, "collect-release-fence");
    if (seen.place.keyed && ageMs <= RELEASED_RECORD_KEPT_MS) return false;
    await store.deleteRecord("collect-released", seen);
    return true;
  }
  let holds = false;
  for (const part of seen.parts) {
    const given = givenOrdinals(seen, part);
    const block = await store.readBlock(seen.place.space, part.block);
    const held = heldBy(block, part.token);
    const left = held.filter((ordinal) => given.has(ordinal));
    if (left.length > 0) await giveBack(context, tagOf(seen, part), left, given);
    if (left.length < held.length) holds = true;
  }
  if (holds) return false;
  for (const part of seen.parts) {
    const fenced = await fence(context, "collect-fence", seen.place.space, part.block);
    if (heldBy(fenced, part.token).length > 0) return false;
  }
  // Rule 5: meanwhile the author may have written it anew, and answered.
  await store.deleteRecord("collect", seen);
  return true;
}

/** Puts the rows of a host right after what the blocks say. Answers how many it changed. */
async function collectRows(context: Context, space: string, host: HostId): Promise<number> {
  const { store } = context;
  const standing = new Set<string>();
  let changed = 0;
  for (const row of await store.listRows(space, host)) {
    const name = formatCidr(row.block);
    const twin = standing.has(name);
    standing.add(name);
    if (twin) {
      await store.deleteRow("collect-twin", row);
      changed++;
      continue;
    }
    if (row.state !== "confirmed" && context.now() - row.atMs <= GRACE_MS) continue;
    const block = await store.readBlock(space, row.block);
    if (block?.host !== host) await store.deleteRow("collect-row", row);
    else if (row.state !== "confirmed") await confirmRow(context, row);
    else continue;
    changed++;
  }
  return changed;
}

/** Confirms a row whose block stands and is its host's. */
export async function confirmRow(context: Context, row: AffinityRow): Promise<void> {
  const next = { ...row, state: "confirmed", revision: fresh(context) } as const;
  await context.store.changeRow("collect-confirm", row, next);
}

function hostsOf(rows: readonly AffinityRow[]): (readonly [string, HostId])[] {
  const hosts = new Map(
    rows.map(({ space, host }) => [`${space}#${host}`, [space, host] as const]),
  );
  return [...hosts.values()];
}
