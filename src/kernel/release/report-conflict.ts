import { handleHash } from "../../base/hash.ts";
import { Rejection } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { ordinalOf } from "../../net/cidr.ts";
import { cooldownMsOf, type Pool } from "../../nouns/pool/pool.ts";
import { identify, type NamedAddress } from "../allocations/identify-address.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import { configurationOf, poolAt } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { type FreedAddress, freeNamed } from "../end/free-named.ts";
import { quarantineSeconds } from "../end/free-slots.ts";
import { type Block, untilMs } from "../values/block.ts";
import { blockOf } from "../values/block-group.ts";
import { fresh } from "../values/fresh.ts";
import type { Generation } from "../values/generation.ts";
import type { Slot } from "../values/slot.ts";
import { REASSIGNED } from "./release-address.ts";

/** An address in quarantine, and the time before which nobody gets it. */
export interface Quarantined {
  readonly address: string;
  readonly quarantinedUntilMs: number;
}

/**
 * Takes an address back because something else uses it, and keeps it from everybody for the time of the setting (I16).
 * It is a release of exactly the assignment that the generation, or the handle, names. A repeat returns the same time. A
 * report after a release of the same assignment puts the cooling address into quarantine.
 *
 * @returns the end of the quarantine; or `not_found`, `generation_conflict`, `request_in_progress`
 */
export async function reportConflict(
  context: Context,
  space: string,
  named: NamedAddress,
): Promise<Quarantined | Rejection> {
  const { address } = named;
  const pool = await poolAt(context, space, address);
  const { settings } = await configurationOf(context, space);
  const generation = await identify(context, space, named);
  if (generation instanceof Rejection) return generation;
  const slot = generation
    ? await takenBack(context, space, { address, generation, isConflict: true })
    : pool && (await reportedBefore(context, pool, named));
  if (slot instanceof Rejection) return slot;
  const text = formatAddress(address);
  if (slot?.kind !== "quarantined")
    return new Rejection("not_found", `Address ${text} is not assigned.`, { address: text });
  return { address: text, quarantinedUntilMs: untilMs(slot, cooldownMsOf(pool, settings)) };
}

/**
 * Frees the address of an assignment, and puts its slot into quarantine.
 *
 * @returns the slot of the address after that, unless it is another assignment's; or `generation_conflict`,
 *   `request_in_progress`
 */
async function takenBack(
  context: Context,
  space: string,
  named: FreedAddress,
): Promise<Slot | Rejection | undefined> {
  const { address, generation } = named;
  const freed = await freeNamed(context, space, named);
  if (freed instanceof Rejection) return freed;
  const slot = await quarantine(context, address, generation, freed.block);
  if (slot === undefined || slot.kind === "foreign" || slot.token === generation.token) return slot;
  return slot.kind === "taken"
    ? new Rejection("generation_conflict", REASSIGNED, { address: formatAddress(address) })
    : undefined;
}

/**
 * Puts the slot of an assignment into quarantine if its release left it cooling: exactly the slot that was seen.
 *
 * @returns the slot of the address after that, whose it is now
 */
function quarantine(
  context: Context,
  address: Address,
  { token, handleHash }: Generation,
  found: Block | undefined,
): Promise<Slot | undefined> {
  let block = found;
  return compareAndSwap<Slot | undefined>("the block of the address", async () => {
    if (!block) return answer(undefined);
    const { space, cidr } = block;
    const ordinal = ordinalOf(cidr, address);
    const seen = block.slots.get(ordinal);
    if (seen?.kind !== "cooling" || seen.token !== token) return answer(seen);
    const seconds = await quarantineSeconds(context, space);
    const sinceMs = context.now();
    const next = { kind: "quarantined", token, handleHash, sinceMs, seconds } as const;
    const change = { ordinal, seen, next };
    const result = await context.store.replaceReleased("quarantine", block, change, fresh(context));
    block = result.outcome === "unknown" ? await context.store.readBlock(space, cidr) : result.item;
    return RETRY;
  });
}

/** Returns the quarantined slot of a repeat that names the handle: no allocation leads to it any more. */
async function reportedBefore(
  context: Context,
  { space, blockSize }: Pool,
  { address, handle = "" }: NamedAddress,
): Promise<Slot | undefined> {
  const cidr = blockOf(address, blockSize);
  const slot = (await context.store.readBlock(space, cidr))?.slots.get(ordinalOf(cidr, address));
  return slot?.kind === "quarantined" && slot.handleHash === handleHash(handle) ? slot : undefined;
}
