import { type Address, formatAddress } from "../../domain/address.ts";
import type { Allocation } from "../../domain/allocation.ts";
import type { AllocationPlace } from "../../domain/allocation-place.ts";
import { heldBy } from "../../domain/block.ts";
import { blockOf } from "../../domain/block-group.ts";
import { ordinalOf } from "../../domain/cidr.ts";
import type { Generation } from "../../domain/generation.ts";
import { GRACE_MS } from "../../domain/limits.ts";
import { CorruptItemError, Rejection, type RejectionCode } from "../../domain/outcome.ts";
import { freeSlots } from "../allocations/free-slots.ts";
import { identify, type NamedAddress } from "../allocations/identify-address.ts";
import { dropQuotaSlots, quotaSlotOf } from "../allocations/quota-slots.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import { poolAt } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";

export interface ReleaseResult {
  readonly address: string;
  /** `unfinished`: there was no time for it, or the database did not answer. The same release may be sent again. */
  readonly status: "released" | "not_assigned" | "conflict" | "unfinished";
  readonly code?: RejectionCode | "unreadable";
  readonly detail?: string;
}

/**
 * Releases one address: exactly the assignment that the generation, or the handle, names (I5). A late or repeated
 * release changes nothing and is no error. With a generation it reads nothing.
 */
export async function releaseAddress(
  context: Context,
  space: string,
  release: NamedAddress,
): Promise<ReleaseResult> {
  const address = formatAddress(release.address);
  const conflict = (code: ReleaseResult["code"], detail: string) =>
    ({ address, status: "conflict", code, detail }) as ReleaseResult;
  try {
    const named = await identify(context, space, release);
    if (named instanceof Rejection) return conflict(named.code, named.detail);
    if (named === undefined) return { address, status: "not_assigned" };
    return await releaseNamed(context, space, release.address, named);
  } catch (error) {
    // An unreadable item must not keep the others.
    if (error instanceof CorruptItemError) return conflict("unreadable", error.sentence);
    throw error;
  }
}

async function releaseNamed(
  context: Context,
  space: string,
  address: Address,
  generation: Generation,
): Promise<ReleaseResult> {
  const { token, blockSize, handleHash, allocationId, keyed, hasPending, want } = generation;
  const text = formatAddress(address);
  const place: AllocationPlace = { space, handleHash, id: allocationId, keyed };
  const block = blockOf(address, blockSize);
  const ordinal = ordinalOf(block, address);
  // A keyed allocation is marked before the slot is free. Otherwise a late duplicate could take an address that no
  // request frees.
  const allocation = keyed
    ? await markFreed(context, place, token, text, want)
    : hasPending
      ? await context.store.readAllocation(place)
      : undefined;
  if ((keyed || hasPending) && !allocation) return notOurs(context, space, address, generation);
  // The address of a pending allocation was never returned to a caller, so no caller can rightly release it.
  if (allocation?.state === "pending" || allocation?.state === "aborted")
    return neverAnswered(text);

  const tag = { space, block, token, handleHash, cools: true };
  const { freed, block: after } = await freeSlots(context, tag, [ordinal], new Set([ordinal]));
  if (freed.length === 0) return notOurs(context, space, address, generation, after);
  if (allocation) await dropQuotaSlots(context, allocation, quotaSlotOf(allocation, text));
  // The allocation of a lone address goes with it; the returned block shows whether the request holds others there.
  if (!keyed && heldBy(after, token).length === 0)
    await (hasPending
      ? context.store.markDue(place, token, context.now())
      : context.store.deleteAllocationOfToken(place, token));
  return { address: text, status: "released" };
}

/**
 * Marks the allocation, and returns it; nothing if it does not know the token, because then nothing is assigned under
 * it.
 */
async function markFreed(
  context: Context,
  place: AllocationPlace,
  token: string,
  address: string,
  want: number,
): Promise<Allocation | undefined> {
  const { item } = await untilKnown("the address was marked as freed", () => {
    const nowMs = context.now();
    return context.store.markFreed(place, token, {
      address,
      complete: want === 1,
      revision: fresh(context),
      atMs: nowMs,
      // The repair run finds out whether the slot was freed, and whether other addresses of the request are still held.
      dueAtMs: nowMs + GRACE_MS,
    });
  });
  // A released allocation was marked before, perhaps by a release that was interrupted. Its slot may still have to be
  // freed.
  return item?.parts.some((part) => part.token === token) ? item : undefined;
}

const neverAnswered = (address: string): ReleaseResult => ({
  address,
  status: "conflict",
  code: "request_in_progress",
  detail: "The request that holds the address is still in progress.",
});

/** Returns the reason why nothing was freed: another owner, or none. */
async function notOurs(
  context: Context,
  space: string,
  address: Address,
  { blockSize, token }: Generation,
  seen?: Awaited<ReturnType<Context["store"]["readBlock"]>>,
): Promise<ReleaseResult> {
  const text = formatAddress(address);
  const cidr = blockOf(address, blockSize);
  const block = seen ?? (await context.store.readBlock(space, cidr));
  // Without a block here, one may exist under keys, or for a pool, that this version does not know.
  if (!block) await poolAt(context, space, address);
  const slot = block?.slots.get(ordinalOf(cidr, address));
  if (slot?.kind !== "taken" || slot.token === token)
    return { address: text, status: "not_assigned" };
  const detail = "The address was released before, and is assigned to another request now.";
  return { address: text, status: "conflict", code: "generation_conflict", detail };
}
