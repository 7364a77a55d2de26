import {
  CONFIRM_SECONDS_DEFAULT,
  GRACE_MS,
  PARTS_FREED_AT_ONCE,
  RELEASED_ALLOCATION_KEPT_MS,
} from "../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import { changeLease } from "../../kernel/allocations/change-lease.ts";
import { fence } from "../../kernel/blocks/fence-block.ts";
import type { Context } from "../../kernel/core/context.ts";
import { inParallel } from "../../kernel/core/parallel.ts";
import {
  type Author,
  deleteFreedParts,
  endAsSeen,
  freeRest,
  slotsOfPart,
} from "../../kernel/end/end.ts";
import { freeSlots } from "../../kernel/end/free-slots.ts";
import {
  type Allocation,
  changedAtMs,
  isExpired,
  isHolding,
  isOver,
  outlivesRelease,
  releasedOrdinals,
} from "../../kernel/values/allocation.ts";
import { type Block, takenUnder } from "../../kernel/values/block.ts";
import { fresh } from "../../kernel/values/fresh.ts";
import { nodeOfHandle } from "../../kernel/values/handle.ts";
import { parseNetwork } from "../../net/cidr.ts";
import type { NodeObjects } from "../../nouns/cilium/report.ts";
import { atLeaseEnd, type PrefixReport } from "../../nouns/node/prefixes.ts";

/**
 * Returns true if an allocation that a walk read seems to be in order. It reads eventually consistent, so that a live
 * allocation that is held costs half a read unit. A slot that is held under its token now, or was a moment ago, was
 * taken while the allocation existed.
 */
export async function seemsRight(context: Context, seen: Allocation): Promise<boolean> {
  const nowMs = context.now();
  if (nowMs - changedAtMs(seen) <= GRACE_MS) return true;
  if (isOver(seen))
    return (
      outlivesRelease(seen) &&
      seen.parts.length === 0 &&
      nowMs - changedAtMs(seen) <= RELEASED_ALLOCATION_KEPT_MS
    );
  if (!isHolding(seen) || isExpired(seen, nowMs)) return false;
  const { store } = context;
  const look = (cidr: Block["cidr"]) =>
    store.readBlock(seen.place.space, cidr, { consistent: false });
  // If nothing was freed, one held part is enough. Otherwise every freed address must be free.
  if (seen.released.size === 0) {
    for (const part of seen.parts)
      if (takenUnder(await look(part.block), part.token).length > 0) return true;
    return false;
  }
  const parts = await inParallel(seen.parts, PARTS_FREED_AT_ONCE, async (part) => {
    const released = releasedOrdinals(seen, part);
    const held = takenUnder(await look(part.block), part.token);
    return { holds: held.length > 0, isLeft: held.some((ordinal) => released.has(ordinal)) };
  });
  return parts.some(({ holds }) => holds) && !parts.some(({ isLeft }) => isLeft);
}

/**
 * Ends an allocation whose author crashed. It frees the rest of a released one. It fences a live one that holds nothing, reads
 * it again, and deletes it under the revision seen.
 *
 * @param seen strongly consistent
 * @returns whether it was `deleted`; is over and `kept` for its key; or `stands`, unchanged or as another execution
 *   left it
 */
export async function repairAllocation(
  context: Context,
  seen: Allocation,
): Promise<"deleted" | "kept" | "stands"> {
  const { store } = context;
  const ageMs = context.now() - changedAtMs(seen);
  if (ageMs <= GRACE_MS) return "stands";
  if (seen.state === "pending" || seen.state === "aborted") {
    // Rule 5: as it was seen, because another execution may have answered it since.
    const aborted = await endAsSeen(context, "repair-abort", seen, {
      fence: "repair-abort-fence",
    });
    if (aborted) await store.deleteAllocation("repair-aborted", aborted);
    return aborted ? "deleted" : "stands";
  }
  if (isOver(seen)) {
    // An answered request has made all its writes, and only answered addresses are freed one by one. So no author needs
    // a fence.
    const isFreed = seen.released.size >= seen.want;
    await freeRest(context, seen, isFreed ? "answered" : { fence: "repair-release-fence" });
    if (outlivesRelease(seen) && ageMs <= RELEASED_ALLOCATION_KEPT_MS) {
      await deleteFreedParts(context, seen);
      return "kept";
    }
    await store.deleteAllocation("repair-released", seen);
    return "deleted";
  }
  // An author that holds something was answered or will be. If a block cannot be read, this is unknown.
  let author: Author = "answered";
  const holds = await inParallel(seen.parts, PARTS_FREED_AT_ONCE, async (part) => {
    const block = await orCorrupt(store.readBlock(seen.place.space, part.block));
    // It is unknown what the allocation holds there. That must not prolong a lease elsewhere.
    if (block instanceof CorruptItemError) {
      author = { fence: "repair-fence" };
      return true;
    }
    const released = releasedOrdinals(seen, part);
    const held = takenUnder(block, part.token);
    const left = held.filter((ordinal) => released.has(ordinal));
    if (left.length > 0) await freeSlots(context, slotsOfPart(seen, part), left, released);
    return left.length < held.length;
  });
  if (holds.some(Boolean)) {
    const stays = !isExpired(seen, context.now()) || (await staysWithNode(context, seen));
    return stays ? "stands" : expire(context, seen, author);
  }
  const stillHeld = await inParallel(seen.parts, PARTS_FREED_AT_ONCE, async (part) => {
    const fenced = await fence(context, "repair-fence", seen.place.space, part.block);
    return takenUnder(fenced, part.token).length > 0;
  });
  if (stillHeld.some(Boolean)) return "stands";
  // Rule 5: its author may have rewritten and answered it since.
  await store.deleteAllocation("repair", seen);
  return "deleted";
}

/**
 * Removes a live allocation that holds something from the index, unless it has a lease. A due one would delay others in
 * the index.
 */
export async function settleDue(context: Context, seen: Allocation): Promise<void> {
  const young = context.now() - changedAtMs(seen) <= GRACE_MS;
  if (seen.state !== "live" || young) return;
  await context.store.changeAllocation("settle-due", seen, { ...seen, revision: fresh(context) });
}

/** Ends an allocation whose lease ran out, as it was seen, because its owner may renew it meanwhile. */
async function expire(
  context: Context,
  seen: Allocation,
  author: Author,
): Promise<"deleted" | "kept" | "stands"> {
  const ended = await endAsSeen(context, "expire", seen, author);
  if (!ended) return "stands";
  if (ended.place.keyed) {
    await deleteFreedParts(context, ended);
    return "kept";
  }
  await context.store.deleteAllocation("expired", ended);
  return "deleted";
}

/**
 * Decides about an allocation whose lease has ended, if it is that of a node's prefixes. A node that
 * reported one of them keeps them, and one that reported none waits for another hour, because no clock alone takes a prefix from a known node.
 *
 * @returns true if the allocation stays; false if its lease ends as any other does
 */
async function staysWithNode(context: Context, seen: Allocation): Promise<boolean> {
  const of = nodeOfHandle(seen.handle);
  if (!of) return false;
  const life = await context.store.readNodeObjects(seen.place.space, of.node);
  const fate = atLeaseEnd(
    of.uid,
    seen.parts.map(({ block }) => block),
    reportsIn(life),
  );
  if (fate === "end") return false;
  // An allocation that changed meanwhile is looked at again when it is due.
  if (fate === "confirm") await changeLease(context, seen);
  else await changeLease(context, seen, context.now() + 1000 * CONFIRM_SECONDS_DEFAULT);
  return true;
}

/** Returns what the Node and the CiliumNodes of the name last said about their prefixes. */
const reportsIn = ({ report, ciliumReports }: NodeObjects): readonly PrefixReport[] =>
  [
    ...(report ? [{ uid: report.uid, said: report.podCidrs }] : []),
    ...ciliumReports
      .filter(({ mode }) => mode === "cluster-pool")
      .map(({ uid, object }) => ({ uid, said: object.ipam.podCIDRs ?? [] })),
  ].map(({ uid, said }) => ({
    uid,
    podCidrs: said.map(parseNetwork).flatMap((read) => (read.ok ? [read.value] : [])),
  }));
