import { parseAddress } from "../domain/address.ts";
import type { AffinityRow } from "../domain/affinity.ts";
import { type Block, heldBy, isEmpty } from "../domain/block.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { MapPage } from "../domain/contents.ts";
import type { HostId } from "../domain/host.ts";
import {
  COLLECT_DUE_PER_SHARD,
  COLLECT_SCAN_ITEMS_PER_PAGE,
  COLLECT_SCAN_PAGES_PER_PASS,
  COOLDOWN_SECONDS_MAX,
  GRACE_MS,
  PAGE_READS_AT_ONCE,
  PASS_MS_MAX,
  RELEASED_RECORD_KEPT_MS,
} from "../domain/limits.ts";
import type { Loan } from "../domain/loan.ts";
import type { Node, NodeEntry } from "../domain/node.ts";
import { poolOfId } from "../domain/pool.ts";
import { type AssignmentRecord, isExpired, isOver } from "../domain/record.ts";
import type { Seat } from "../domain/seat.ts";
import { configurationOf } from "./configuration.ts";
import { type Context, fresh } from "./context.ts";
import { readCursor } from "./cursor.ts";
import { endAsSeen, finish, givenOrdinals, tagOf } from "./end.ts";
import { note } from "./failures.ts";
import { fence } from "./fence.ts";
import { giveBack } from "./give-back.ts";
import { giveUpBlock } from "./give-up.ts";
import { grantedAt } from "./limit.ts";
import { recordsOfSlots } from "./record-of-slot.ts";
import { confirmRow } from "./rows.ts";
import { recordPlaceOf } from "./seats.ts";

/** What a pass of the collector did. */
export interface Collected {
  records: number;
  recordsDeleted: number;
  rows: number;
  loansDeleted: number;
  /** Blocks and map pages of pools that are gone. */
  straysDeleted: number;
  /** Did the slow walk over the table come to its end? */
  swept: boolean;
  /** What went wrong on the way, for the log; the pass went on. */
  readonly failures: unknown[];
}

const PASS = "collect";
/** With which shard the walk over the table goes on. */
const SWEEPING_SHARD = 0;

/**
 * One bounded pass of the collector over a shard: its records that are due, and with the first shard the next pages of a slow
 * walk over the whole table, which finds what no index knows. It repairs what crashes left; nothing waits for it.
 */
export async function collect(context: Context, shard: number): Promise<Collected> {
  const done: Collected = {
    records: 0,
    recordsDeleted: 0,
    rows: 0,
    loansDeleted: 0,
    straysDeleted: 0,
    swept: false,
    failures: [],
  };
  const startedAtMs = context.now();
  const dueUntilMs = startedAtMs + PASS_MS_MAX / 2;
  await collectDue(context, shard, dueUntilMs, done);
  if (shard === SWEEPING_SHARD) await sweep(context, startedAtMs, done);
  return done;
}

/** What is due in one shard, as much as half a pass has time for; what stays due comes first in the next. */
async function collectDue(
  context: Context,
  shard: number,
  untilMs: number,
  done: Collected,
): Promise<void> {
  const { store } = context;
  const seen = new Set<string>();
  for (let more = true; more && context.now() < untilMs; ) {
    more = false;
    await going(done, async () => {
      const page = { untilMs: context.now(), limit: COLLECT_DUE_PER_SHARD };
      const places = await store.dueRecords(shard, page);
      const fresh = places.filter(({ place }) => !seen.has(`${place.handleHash} ${place.id}`));
      for (const { place } of fresh) {
        seen.add(`${place.handleHash} ${place.id}`);
        await going(done, async () => {
          const record = await store.readRecord(place);
          if (record && !(await counted(done, context, record))) await settleDue(context, record);
        });
      }
      more = fresh.length > 0 && places.length === COLLECT_DUE_PER_SHARD;
    });
  }
}

/** The slow walk: some pages each pass, so that the whole table comes by in a day. */
async function sweep(context: Context, startedAtMs: number, done: Collected): Promise<void> {
  const { store } = context;
  let position = await readCursor(context, PASS, done.failures);
  for (let page = 0; page < COLLECT_SCAN_PAGES_PER_PASS && !done.swept; page++) {
    if (context.now() - startedAtMs > PASS_MS_MAX) break;
    const { contents, next } = await store.scanPage(COLLECT_SCAN_ITEMS_PER_PAGE, position);
    done.failures.push(...contents.unreadable.map(({ reason }) => new Error(reason)));
    for (const record of contents.records) await going(done, () => counted(done, context, record));
    for (const [space, host] of hostsOf(contents.rows))
      await going(done, async () => {
        done.rows += await collectRows(context, space, host);
      });
    for (const loan of contents.loans)
      await going(done, async () => {
        if (await collectLoan(context, loan)) done.loansDeleted++;
      });
    for (const seat of contents.seats) await going(done, () => collectSeat(context, seat));
    for (const block of contents.blocks)
      await going(done, async () => {
        if (await collectStray(context, block)) done.straysDeleted++;
      });
    for (const node of contents.nodes) await going(done, () => restoreEntry(context, node));
    for (const entry of contents.nodeEntries) await going(done, () => collectEntry(context, entry));
    for (const map of contents.maps)
      await going(done, async () => {
        if (await collectMap(context, map)) done.straysDeleted++;
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
    note(done.failures, error);
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

/** A kept record that is finished needs its parts no more, and its blocks are not fenced again. */
async function settleKept(context: Context, seen: AssignmentRecord): Promise<void> {
  if (seen.parts.length === 0) return;
  const revision = fresh(context);
  const next = { ...seen, state: "released", parts: [], owners: new Map(), revision } as const;
  await context.store.changeRecord("settle-kept", seen, next);
}

/** A live record that holds something is due when its lease ends, or never: it would stand in the way of others in the index. */
async function settleDue(context: Context, seen: AssignmentRecord): Promise<void> {
  const young = context.now() - seen.atMs <= GRACE_MS;
  if (seen.state !== "live" || isOver(seen) || young) return;
  await context.store.changeRecord("settle-due", seen, { ...seen, revision: fresh(context) });
}

/**
 * Ends a record whose owner crashed on the way: a released one is finished; a live one that holds nothing is fenced, looked
 * at again, and deleted under the revision seen. Answers whether the record was deleted.
 */
async function collectRecord(context: Context, seen: AssignmentRecord): Promise<boolean> {
  const { store } = context;
  const ageMs = context.now() - seen.atMs;
  if (ageMs <= GRACE_MS) return false;
  if (seen.state === "open" || seen.state === "aborted") {
    // Rule 5: as it was seen; meanwhile it may have been answered.
    const aborted = await endAsSeen(context, "collect-abort", seen, "collect-abort-fence");
    if (aborted) await store.deleteRecord("collect-aborted", aborted);
    return aborted !== undefined;
  }
  if (isOver(seen)) {
    await finish(context, seen, "collect-release-fence");
    if (seen.place.keyed && ageMs <= RELEASED_RECORD_KEPT_MS) {
      await settleKept(context, seen);
      return false;
    }
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
  if (holds) return isExpired(seen, context.now()) && expire(context, seen);
  for (const part of seen.parts) {
    const fenced = await fence(context, "collect-fence", seen.place.space, part.block);
    if (heldBy(fenced, part.token).length > 0) return false;
  }
  // Rule 5: meanwhile the author may have written it anew, and answered.
  await store.deleteRecord("collect", seen);
  return true;
}

/** Ends a record whose lease ran out, as it was seen: it may be renewed meanwhile. Answers whether it was deleted. */
async function expire(context: Context, seen: AssignmentRecord): Promise<boolean> {
  const ended = await endAsSeen(context, "expire", seen);
  if (!ended) return false;
  if (ended.place.keyed) {
    await settleKept(context, ended);
    return false;
  }
  await context.store.deleteRecord("expired", ended);
  return true;
}

/** Puts the rows of a host right after what the blocks say: one for each of its blocks, and confirmed. */
async function collectRows(context: Context, space: string, host: HostId): Promise<number> {
  const { store } = context;
  const isYoung = ({ atMs }: AffinityRow) => context.now() - atMs <= GRACE_MS;
  const rows = await store.listRows(space, host);
  let changed = 0;
  for (const name of new Set(rows.map(({ block }) => formatCidr(block)))) {
    const same = rows.filter(({ block }) => formatCidr(block) === name);
    const kept = same.find(({ state }) => state === "confirmed") ?? same[0];
    if (!kept) continue;
    const block = await store.readBlock(space, kept.block);
    for (const row of same) {
      const right = block?.host === host;
      if (row.state !== "confirmed" && isYoung(row)) continue;
      if (!right) await store.deleteRow("collect-row", row);
      // Of two rows for one block the confirmed one stays: the other may be about to go with the block's last life.
      else if (row !== kept && kept.state === "confirmed")
        await store.deleteRow("collect-twin", row);
      else if (row === kept && row.state !== "confirmed")
        await confirmRow(context, "collect-confirm", row);
      else continue;
      changed++;
    }
  }
  return changed;
}

/** A node that was entered long before it stood may have lost its entry, and lists would not show it. */
async function restoreEntry(context: Context, { space, name, id }: Node): Promise<void> {
  await context.store.restoreNodeEntry({ space, name, id, atMs: context.now() });
}

/** Drops an entry whose node was never created, or is deleted. */
async function collectEntry({ store, now }: Context, entry: NodeEntry): Promise<void> {
  if (now() - entry.atMs <= GRACE_MS) return;
  if (!(await store.readNode(entry.space, entry.name)))
    await store.deleteNodeEntry("collect-entry", entry);
}

/**
 * Deletes a loan that its host needs no more: it is marked, the block fenced and looked at, and only then does the row go;
 * an assign under way finds the mark, or fails at the fence. Answers whether it went.
 */
async function collectLoan(context: Context, seen: Loan): Promise<boolean> {
  const { store } = context;
  const { space, block: cidr } = seen;
  const young = context.now() - seen.atMs <= GRACE_MS;
  if (seen.state === "confirmed") {
    if (young || (await isNeeded(context, seen, await store.readBlock(space, cidr)))) return false;
  } else if (young) return false;
  const mark: Loan = {
    ...seen,
    state: "pendingDeletion",
    revision: fresh(context),
    atMs: context.now(),
  };
  const marked = await store.putLoan("loan-mark", mark, seen);
  if (marked.outcome !== "done") return false;
  const after = await fence(context, "loan-fence", space, cidr);
  if (await isNeeded(context, seen, after)) {
    await store.putLoan("loan", { ...mark, state: "confirmed", revision: fresh(context) }, mark);
    return false;
  }
  await store.deleteLoan("loan-drop", mark);
  return true;
}

/** Gives up a seat that its request has no more: it was released, or never taken. */
async function collectSeat(context: Context, seat: Seat): Promise<void> {
  if (context.now() - seat.atMs <= GRACE_MS) return;
  const record = await context.store.readRecord(recordPlaceOf(seat));
  const listed = record?.seats.find(({ revision }) => revision === seat.revision);
  const address = listed?.address === undefined ? undefined : parseAddress(listed.address);
  const held = record && address?.ok && (await grantedAt(context, record, address.value));
  // One that is listed without an address is the business of whoever ends its open record.
  if (!held && (!listed || address)) await context.store.deleteSeat("collect-seat", seat);
}

/**
 * Does the host hold a slot of the block? The records of the slots say whose they are. Whose the block is does not matter:
 * one that is the host's own today may be about to be taken from it, and its loan was written first.
 */
async function isNeeded(context: Context, { space, host }: Loan, block: Block | undefined) {
  const slots = [...(block?.slots.values() ?? [])].filter(({ kind }) => kind === "taken");
  for (let from = 0; from < slots.length; from += PAGE_READS_AT_ONCE) {
    const some = slots.slice(from, from + PAGE_READS_AT_ONCE);
    const owners = await recordsOfSlots(context, space, some);
    for (const { record } of owners.values()) if (record.host === host) return true;
  }
  return false;
}

/**
 * Deletes an empty block whose pool is gone: its creation landed after the range was given back. Nobody can take a slot of
 * it, since whoever knew its pool as one that serves is shut out (`assign.ts`). Answers whether it went.
 */
async function collectStray(context: Context, seen: Block): Promise<boolean> {
  const nowMs = context.now();
  if (nowMs - seen.claimedAtMs <= GRACE_MS) return false;
  if (!isEmpty(seen, { nowMs, cooldownMs: 1000 * COOLDOWN_SECONDS_MAX })) return false;
  return (await isPoolGone(context, seen)) && giveUpBlock(context, seen);
}

/** A page of a pool's map goes when its pool is gone. Answers whether it did. */
async function collectMap(context: Context, seen: MapPage): Promise<boolean> {
  if (!(await isPoolGone(context, seen))) return false;
  await context.store.deleteMapPage(seen);
  return true;
}

/** An id is never given twice, and a pool's item stands before anything names it: one that is not there now is gone. */
async function isPoolGone(
  context: Context,
  { space, poolId }: { readonly space: string; readonly poolId: string },
): Promise<boolean> {
  const known = await configurationOf(context, space);
  if (known.pools.some(({ id }) => id === poolId)) return false;
  return poolOfId(await context.store.readSpace(space), poolId) === undefined;
}

function hostsOf(rows: readonly AffinityRow[]): (readonly [string, HostId])[] {
  const hosts = new Map(
    rows.map(({ space, host }) => [`${space}#${host}`, [space, host] as const]),
  );
  return [...hosts.values()];
}
