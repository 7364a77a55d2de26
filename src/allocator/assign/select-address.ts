import { type Address, formatAddress } from "../../domain/address.ts";
import { nameOfApplication } from "../../domain/application.ts";
import { listedAt } from "../../domain/application-changes.ts";
import { type Block, cooledAtMs, isCooled, untilMs } from "../../domain/block.ts";
import { blockOf } from "../../domain/block-group.ts";
import { formatCidr, ordinalOf } from "../../domain/cidr.ts";
import { type HostId, hostName } from "../../domain/host.ts";
import { isHostReserved } from "../../domain/host-reserved.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX } from "../../domain/limits.ts";
import { ContentionError, Rejection } from "../../domain/outcome.ts";
import { isRanged, type Pool } from "../../domain/pool.ts";
import { isReleased, type Slot } from "../../domain/slot.ts";
import { formatTime } from "../../domain/time.ts";
import { ownerOfSlot } from "../allocations/allocation-of-slot.ts";
import { claimBlock, helpClaim } from "../blocks/claim-block.ts";
import { readOrMakeBlock } from "../blocks/shared-block.ts";
import { coolingRules } from "../blocks/slot-rules.ts";
import { untilAnswered } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { answer, RETRY } from "../core/step.ts";
import { selectHeld } from "./select-held.ts";
import type { ApplicationAsked, FamilyRequest, SlotSelection } from "./selection.ts";

/**
 * Selects the slot of a specific address. Reservations and the cap on blocks bind automatic assignment only. A cooldown and a
 * quarantine bind this as well (Calico 1.4, and docs/decisions), and so do host-reserved addresses.
 */
export async function selectAddress(
  context: Context,
  familyRequest: FamilyRequest,
  address: Address,
): Promise<readonly SlotSelection[] | Rejection> {
  if (familyRequest.ofApplication)
    return selectHeldAddress(context, familyRequest, familyRequest.ofApplication, address);
  // A specific address lies in exactly one pool: `familyRequestsOf` rejects any other.
  const pool = familyRequest.pools[0] as Pool;
  const block = isRanged(pool)
    ? await sharedBlockFor(context, pool, address)
    : await blockFor(context, familyRequest, pool, address);
  if (block instanceof Rejection) return block;
  const text = formatAddress(address);
  const ordinal = ordinalOf(block.cidr, address);
  const slot = block.slots.get(ordinal);
  const ofPool = isRanged(pool) && { pool: pool.name };
  const selection = { block, ordinals: [ordinal], ...ofPool, again: () => undefined };
  if (isHostReserved(block, ordinal)) return kept(block, address);
  if (!slot) return [selection];
  if (slot.kind === "held")
    return new Rejection("already_assigned", `Address ${text} is held for an application.`, {
      address: text,
    });
  if (!isReleased(slot)) return assigned(context, familyRequest.space, text, slot);
  const rules = coolingRules(context, familyRequest.configuration, pool);
  if (isCooled(slot, rules)) return [selection];
  if (slot.kind === "quarantined") return inQuarantine(text, untilMs(slot, rules.cooldownMs));
  const availableAt = formatTime(cooledAtMs(slot, rules.cooldownMs));
  return new Rejection(
    "address_cooling",
    `Address ${text} was released a moment ago, and can be assigned again at ${availableAt}.`,
    { address: text, availableAt },
  );
}

/** Selects a specific address among those of the application. */
async function selectHeldAddress(
  context: Context,
  familyRequest: FamilyRequest,
  of: ApplicationAsked,
  address: Address,
): Promise<readonly SlotSelection[] | Rejection> {
  const selected = await selectHeld(context, familyRequest, { ...of, address });
  if (!(selected instanceof Rejection)) return selected;
  const { space } = familyRequest;
  const text = formatAddress(address);
  const listed = listedAt(of.application, address);
  const block =
    listed && (await context.store.readBlock(space, blockOf(address, listed.blockSize)));
  const slot = block?.slots.get(ordinalOf(block.cidr, address));
  if (slot?.kind === "taken") return assigned(context, space, text, slot);
  return new Rejection(
    "no_pool_available",
    `Address ${text} is not one of those that application ${nameOfApplication(of.application)} holds, and its instances get no others.`,
    { address: text, rule: "application", pools: [] },
  );
}

function inQuarantine(address: string, endMs: number): Rejection {
  const quarantinedUntil = formatTime(endMs);
  return new Rejection(
    "address_quarantined",
    `Something else was reported to use address ${address}, so nobody gets it before ${quarantinedUntil}.`,
    { address, quarantinedUntil },
  );
}

/** Rejects the request with the handle that has the address. */
async function assigned(
  context: Context,
  space: string,
  address: string,
  slot: Slot,
): Promise<Rejection> {
  const handle = (await ownerOfSlot(context, space, slot))?.handle;
  const to = handle === undefined ? "" : ` to handle ${handle}`;
  return new Rejection("already_assigned", `Address ${address} is assigned${to}.`, {
    address,
    ...(handle !== undefined && { assignedTo: handle }),
  });
}

/** Reads the block of a specific address of a ranged pool, or makes it if there is none. */
async function sharedBlockFor(context: Context, pool: Pool, address: Address): Promise<Block> {
  const cidr = blockOf(address, pool.blockSize);
  const block = await readOrMakeBlock(context, pool, cidr);
  if (block) return block;
  throw new ContentionError(
    `block ${formatCidr(cidr)} could not be made, or is left from an earlier pool and about to go`,
  );
}

/** Reads the block of a specific address, or claims it if there is none. */
async function blockFor(
  context: Context,
  { space, host, configuration, hostReserved }: FamilyRequest,
  pool: Pool,
  address: Address,
): Promise<Block | Rejection> {
  const { store, random } = context;
  const cidr = blockOf(address, pool.blockSize);
  const text = formatCidr(cidr);
  const exhausted = () =>
    new ContentionError(`block ${text} could not be claimed in ${CLAIM_TRIES_MAX} tries`);
  return untilAnswered<Block | Rejection>({ triesMax: CLAIM_TRIES_MAX, exhausted }, async () => {
    const there = await store.readBlock(space, cidr);
    if (there && there.poolId !== pool.id)
      throw new ContentionError(`block ${text} is left from an earlier pool, and about to go`);
    if (there?.host === host) return answer(there);
    if (there) {
      const strict = configuration.settings.strictAffinity || pool.borrowing === "forbidden";
      return answer(strict ? notToBeBorrowed(there, host) : there);
    }
    // A new block would reserve the address for the host, so the request does not claim it.
    const anew = { cidr, host, ...(hostReserved && { hostReserved }) };
    if (isHostReserved(anew, ordinalOf(cidr, address))) return answer(kept(anew, address));
    const affinities = await store.listAffinities(space, host);
    const place = affinities.find((affinity) => formatCidr(affinity.block) === text);
    const claim = place
      ? await helpClaim(context, [pool], place)
      : await claimBlock(context, { pool, host, affinities, hostReserved }, cidr);
    if (claim.kind !== "ours") await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    return RETRY;
  });
}

function kept(
  { cidr, host, hostReserved }: Pick<Block, "cidr" | "host" | "hostReserved">,
  address: Address,
): Rejection {
  const text = formatAddress(address);
  const whose = host === undefined ? "the host before" : `host ${hostName(host)}`;
  return new Rejection(
    "already_assigned",
    `Address ${text} is kept by ${whose} for itself in block ${formatCidr(cidr)}.`,
    { address: text, block: formatCidr(cidr), hostReserved },
  );
}

function notToBeBorrowed({ cidr, host: owner }: Block, host: HostId): Rejection {
  const whose = owner === undefined ? "nobody" : hostName(owner);
  return new Rejection(
    "strict_affinity",
    `The address lies in block ${formatCidr(cidr)}, which is affine to ${whose}, not to ${hostName(host)}, and borrowing is off.`,
    { block: formatCidr(cidr), ...(owner !== undefined && { owner: hostName(owner) }) },
  );
}
