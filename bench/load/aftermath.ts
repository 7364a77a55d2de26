import { SPACE_DEFAULT } from "../../src/api/route.ts";
import { GRACE_MS, RELEASED_ALLOCATION_KEPT_MS } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { inParallel } from "../../src/kernel/core/parallel.ts";
import { WarmCache } from "../../src/kernel/core/warm-cache.ts";
import { parseAddress } from "../../src/net/address.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import { checkTable } from "../../src/nouns/contents/operations/check-table.ts";
import { reclaimAll, sweepAll } from "../../test/scheduled-runs.ts";
import type { Api } from "./api.ts";
import { type Assigned, type Holding, type Ledger, textOf } from "./ledger.ts";
import { repeat } from "./repeat.ts";
import { hostOf, IPV4_ADDRESSES, IPV6_ADDRESSES } from "./world.ts";

/** The surroundings of the callers, whose table can be read while no caller uses it. */
export interface Grounds {
  stop(): Promise<void>;
  withTable<T>(look: (context: Context) => Promise<T>): Promise<T>;
}

const CALLS_AT_ONCE = 32;
/**
 * The first repair run may free the last address of a block. Reclaim then sees the block empty, and deletes it in a
 * later round.
 */
const ROUNDS = 3;
/**
 * The embedded DynamoDB ends a Scan of a segment early if the item under its ExclusiveStartKey was deleted, unlike
 * DynamoDB. If a walk deletes the last item of its page, it misses the rest of the segment. The next round deletes at least one more
 * item, so this maximum is for a table that never settles.
 */
const ROUNDS_MAX = 500;
/** Older than all items that the scheduled runs leave alone because a request may still be at work on them. */
const LATER_MS = 2 * GRACE_MS;
/** Older than all items that are kept for late duplicates. */
export const MUCH_LATER_MS = RELEASED_ALLOCATION_KEPT_MS + ROUNDS * LATER_MS;
/** How far the clocks are ahead after the late runs of a check, for the callers that continue. */
export const AHEAD_AFTER_CHECK_MS = MUCH_LATER_MS + ROUNDS * LATER_MS;

/*
 * Checks for the time after the callers have stopped. Each check executes the scheduled runs itself with a clock that
 * is set forward, so it need not wait for minutes or for a day. Each check expects a running server, leaves it stopped,
 * and returns the number of violations that the checker found in the table.
 */

/**
 * Checks that every address still belongs to its owner, and that a repeat of its request returns it. Then it checks
 * that the scheduled runs keep the address and tidy the rest.
 */
export async function isHeld(
  site: Grounds,
  api: Api,
  ledger: Ledger,
  aheadMs = LATER_MS,
): Promise<number> {
  const current = ledger.current();
  const owned = current.flatMap((holding) =>
    ledger.heldOf(holding).map((assigned) => ({ holding, assigned })),
  );
  await inParallel(owned, CALLS_AT_ONCE, async ({ holding, assigned }) => {
    const { body } = await api.read(`/v1/addresses/${assigned.address}`);
    expectOwner(ledger, holding, assigned, body);
  });
  await inParallel(current, CALLS_AT_ONCE, async (holding) => {
    const { handle } = holding.call.body;
    const { body } = await api.readHandle(handle);
    const held = textOf(ledger.heldOf(holding));
    if (textOf(body.addresses ?? []) !== held)
      ledger.fail(`${handle} holds ${held}; read was ${JSON.stringify(body)}`);
    if (holding.call.key !== undefined) await repeat(api, ledger, holding);
  });
  await site.stop();
  return site.withTable(async (context) => {
    const before = await check(context, ledger, "after the load", false);
    const later = await scheduledRuns(context, aheadMs);
    const after = await check(later, ledger, "after the scheduled runs", true);
    await inParallel(owned, CALLS_AT_ONCE, async ({ holding, assigned }) => {
      expectOwner(ledger, holding, assigned, await stateOf(later, assigned.address));
    });
    return before + after;
  });
}

/** Checks that nothing is left a day after all addresses were released. */
export async function comesToNothing(site: Grounds, ledger: Ledger): Promise<number> {
  await site.stop();
  return site.withTable(async (context) => {
    const later = await scheduledRuns(context, MUCH_LATER_MS);
    const { blocks, affinities, allocations } = (await checkTable(later)).counts;
    if (blocks + affinities + allocations > 0)
      ledger.fail(
        `a day after all was released there are ${blocks} blocks, ${affinities} affinities, ${allocations} allocations`,
      );
    return check(later, ledger, "a day after all was released", true);
  });
}

/**
 * Checks that nothing leaked: every address of the pools can be assigned again.
 *
 * @param each the addresses that a request asks for, which divides those of each pool
 */
export async function isAssignable(
  site: Grounds,
  api: Api,
  ledger: Ledger,
  each: number,
): Promise<number> {
  const wanted = [
    ...Array.from({ length: IPV4_ADDRESSES / each }, () => ({ ipv4: each })),
    ...Array.from({ length: IPV6_ADDRESSES / each }, () => ({ ipv6: each })),
  ];
  await inParallel([...wanted.entries()], CALLS_AT_ONCE, async ([i, count]) => {
    const handle = `fill-${i}`;
    const call = { body: { host: hostOf(i), handle, ...count }, key: handle };
    const { status, body } = await api.assign(call, "assign, to the last");
    if (status === 200) ledger.hear({ call, addresses: body.addresses });
    else ledger.fail(`at the end, request ${i} of ${wanted.length}: ${JSON.stringify(body)}`);
  });
  await site.stop();
  return site.withTable((context) => check(context, ledger, "after all was assigned again", false));
}

/**
 * Executes the scheduled runs at a later time, for some rounds, until a walk over the table repairs nothing and reads as
 * many items as the one before.
 */
async function scheduledRuns(context: Context, aheadMs: number): Promise<Context> {
  const later = (round: number): Context => ({
    ...context,
    cache: new WarmCache(),
    now: () => context.now() + aheadMs + round * LATER_MS,
  });
  let isSettled = false;
  let failures: readonly unknown[] = [];
  for (let round = 0, before = -1; round < ROUNDS || (!isSettled && round < ROUNDS_MAX); round++) {
    const context = later(Math.min(round, ROUNDS));
    const reclaimed = await reclaimAll(context);
    const swept = await sweepAll(context);
    failures = [...reclaimed.failures, ...swept.failures];
    const { items, allocationsDeleted, affinities, borrowedBlocksDeleted, orphansDeleted } = swept;
    const repaired = allocationsDeleted + affinities + borrowedBlocksDeleted + orphansDeleted;
    isSettled = failures.length === 0 && repaired === 0 && items === before;
    before = items;
  }
  if (failures.length > 0) throw failures[0];
  return later(ROUNDS);
}

async function check(
  context: Context,
  ledger: Ledger,
  when: string,
  quiet: boolean,
): Promise<number> {
  const { violations, counts } = await checkTable(context, { quiet });
  for (const { invariant, message } of violations) ledger.fail(`${when}: ${invariant}: ${message}`);
  const unheard = ledger.unheardHandles().length;
  // A rejected request may leave addresses that nobody was told of, if the database did not answer. The scheduled runs free them.
  const { taken, untold } = counts;
  const given = quiet ? taken : taken - untold;
  if (given < ledger.count || (given > ledger.count && unheard === 0))
    ledger.fail(
      `${when}: ${taken} addresses are taken, of ${untold} nobody was told, ${ledger.count} are held`,
    );
  return violations.length;
}

async function stateOf(context: Context, address: string) {
  const parsed = parseAddress(address);
  if (!parsed.ok) throw new Error(parsed.problem);
  const state = await readAddress(context, SPACE_DEFAULT, parsed.value);
  if (state instanceof Rejection) throw new Error(state.detail);
  return state;
}

function expectOwner(
  ledger: Ledger,
  { call }: Holding,
  { address, generation }: Assigned,
  told: { readonly handle?: string; readonly generation?: string },
): void {
  const { handle } = call.body;
  if (told.handle !== handle || told.generation !== generation)
    ledger.fail(`${address} is of ${handle} (${generation}); read was ${JSON.stringify(told)}`);
}

/** Releases all addresses of the callers, and those of unanswered assigns. */
export async function freeAll(api: Api, ledger: Ledger): Promise<void> {
  await inParallel(ledger.current(), CALLS_AT_ONCE, async (holding) => {
    const held = ledger.heldOf(holding);
    ledger.letGo(held);
    await api.releaseAddresses(held);
  });
  await freeUnheard(api, ledger);
}

/** Releases the addresses of unanswered assigns. */
export async function freeUnheard(api: Api, ledger: Ledger): Promise<void> {
  await inParallel(ledger.unheardHandles(), CALLS_AT_ONCE, (handle) => api.releaseHandle(handle));
  ledger.forgetUnheard();
}
