import { Rejection } from "../../../base/outcome.ts";
import {
  allocationOfSlot,
  allocationsOfSlots,
  type SlotOwner,
} from "../../../kernel/allocations/allocation-of-slot.ts";
import { configurationOf, coolingRules, poolAt } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { isBorrowed, ownersAt, poolOfPart } from "../../../kernel/values/allocation.ts";
import {
  type Block,
  cooledAtMs,
  isCooled,
  type SlotRules,
  slotAt,
  untilMs,
} from "../../../kernel/values/block.ts";
import { blockOf } from "../../../kernel/values/block-group.ts";
import { formatGeneration, generationOf } from "../../../kernel/values/generation.ts";
import { isOfNode } from "../../../kernel/values/handle.ts";
import { hostName, isHostReserved } from "../../../kernel/values/host.ts";
import type { Owners } from "../../../kernel/values/owner.ts";
import { isReleased, type Slot } from "../../../kernel/values/slot.ts";
import { type Address, formatAddress } from "../../../net/address.ts";
import { formatCidr, ordinalOf } from "../../../net/cidr.ts";
import { whyNeverAssigned } from "../../../net/special-ranges.ts";
import type { Workload } from "../../application/workload.ts";
import { inNetworks, networkFinder } from "../../pool/application-pools.ts";
import { type NetworkOfAddress, type NetworkPart, partInNetworks } from "../../pool/network.ts";
import { hasAddress } from "../../pool/set.ts";

/**
 * The state of an address. It has an owner only if it is assigned or host-reserved. A quarantined one has the handle
 * that reported it, as long as Plat keeps the allocation.
 */
export interface AddressState {
  readonly address: string;
  readonly family: 4 | 6;
  readonly block: string;
  readonly pool: string;
  /** The network of its pool. Only an address with an owner has it. */
  readonly network?: NetworkOfAddress;
  /** The prefix that the address lies in, if a node has it. */
  readonly prefix?: string;
  readonly state:
    | "assigned"
    | "kept"
    | "held"
    | "cooling"
    | "quarantined"
    | "free"
    | "hostReserved";
  readonly handle?: string;
  /** The instance that has the address, under its last uid; absent without a workload. */
  readonly workload?: Workload;
  readonly host?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** The caller that requested the address; absent if unknown. */
  readonly assignedBy?: string;
  /** Absent where both sides are empty. */
  readonly owner?: Owners;
  readonly generation?: string;
  readonly borrowed?: boolean;
  /** Absent if its request named no interfaces. */
  readonly interface?: string;
  readonly assignedAtMs?: number;
  /** The end of the lease, in milliseconds since the epoch; absent without a lease. */
  readonly expiresAtMs?: number;
  /** The time when a cooling address can be assigned again. */
  readonly availableAtMs?: number;
  /** The time before which nobody gets a quarantined address. */
  readonly quarantinedUntilMs?: number;
}

/** An address that a caller asked for by itself. */
export interface AddressRead extends AddressState {
  /** The part that it has in the network of a pool, which keeps it out of automatic assignment. */
  readonly keptOut?: NetworkPart;
}

/** Reads one address, strongly consistent. */
export async function readAddress(
  context: Context,
  space: string,
  address: Address,
): Promise<AddressRead | Rejection> {
  const pool = await poolAt(context, space, address);
  const configuration = await configurationOf(context, space);
  const text = formatAddress(address);
  if (!pool) return new Rejection("not_found", `Address ${text} is in no pool of space ${space}.`);
  const cidr = blockOf(address, pool.blockSize);
  const block = await context.store.readBlock(space, cidr);
  const ordinal = ordinalOf(cidr, address);
  const slot = slotAt(block, address);
  const keptOut = partInNetworks(inNetworks(configuration.pools), address);
  const place = {
    ...{ address: text, family: address.family, block: formatCidr(cidr), pool: pool.name },
    ...(keptOut && { keptOut }),
  };
  const base = { ...place, ...stateOf(slot, coolingRules(context, configuration, pool)) };
  if (block && isHostReserved(block, ordinal)) return { ...place, ...keeperOf(block) };
  const reporter = slot?.kind === "quarantined" && base.state === "quarantined" ? slot : undefined;
  if (reporter) return { ...base, ...(await handleOf(context, space, reporter)) };
  if (!slot && !hasAddress(pool, address))
    return new Rejection("not_found", `Address ${text} is in the ranges of no pool.`);
  const never = slot ? undefined : whyNeverAssigned(address);
  if (never !== undefined) return new Rejection("not_found", `Address ${text} ${never}.`);
  if (!block || slot?.kind !== "taken") return base;
  const owner = await allocationOfSlot(context, space, slot);
  if (!owner) return base;
  return ownedAddress(base, owner, address, block, networkFinder(configuration.pools));
}

/** Returns the state of a taken address with its owner, and with the network of the pool that it was assigned from. */
export function ownedAddress(
  base: AddressState,
  owner: SlotOwner,
  address: Address,
  block: Block,
  networkOf: ReturnType<typeof networkFinder>,
): AddressState {
  const pool = poolOfPart(owner.part, block);
  return { ...base, ...ownerOf(owner, address, block), pool, ...networkOf(pool) };
}

/** Returns the owner of a host-reserved address; its note appears as an attribute, as in Calico. */
export function keeperOf({ host, hostReserved }: Block) {
  const { handle, note } = hostReserved ?? {};
  return {
    state: "hostReserved" as const,
    ...(handle !== undefined && { handle }),
    ...(host !== undefined && { host: hostName(host) }),
    ...(note !== undefined && { attributes: { note } }),
  };
}

/** Returns the state of an address by its slot. */
export function stateOf(
  slot: Slot | undefined,
  rules: Pick<SlotRules, "nowMs" | "cooldownMs">,
): Pick<AddressState, "state" | "availableAtMs" | "quarantinedUntilMs"> {
  if (!slot) return { state: "free" };
  if (slot.kind === "held") return { state: "held" };
  if (!isReleased(slot)) return { state: "assigned" };
  if (isCooled(slot, rules)) return { state: "free" };
  return slot.kind === "quarantined"
    ? { state: "quarantined", quarantinedUntilMs: untilMs(slot, rules.cooldownMs) }
    : { state: "cooling", availableAtMs: cooledAtMs(slot, rules.cooldownMs) };
}

/** Returns the handle that reported a conflict; nothing if its allocation is gone. */
async function handleOf(
  context: Context,
  space: string,
  slot: Slot,
): Promise<Pick<AddressState, "handle">> {
  const [owner] = (await allocationsOfSlots(context, space, [slot])).values();
  return owner ? { handle: owner.allocation.handle } : {};
}

/** Returns the state and the owner of an address that a part of an allocation holds. A kept address has no host. */
export function ownerOf(
  { allocation, part }: SlotOwner,
  address: Address,
  block: Pick<Block, "cidr" | "host" | "whole"> | undefined,
) {
  const { state, handle, workload, host, attributes, assignedBy, atMs, expiresAtMs } = allocation;
  const owner = ownersAt(allocation, formatAddress(address));
  const isKept = state === "kept";
  return {
    state: isKept ? ("kept" as const) : ("assigned" as const),
    ...(block?.whole && { prefix: formatCidr(block.cidr) }),
    handle,
    ...(workload && { workload: namesOf(workload) }),
    ...(!isKept && { host: hostName(host) }),
    ...(!isKept && !block?.whole && { borrowed: isBorrowed(allocation, part, block) }),
    attributes,
    ...(assignedBy !== undefined && { assignedBy }),
    ...(Object.keys(owner).length > 0 && { owner }),
    // A prefix, and what a node has, goes back by its own route, so no generation names it (I18, I20).
    ...(!block?.whole &&
      !isOfNode(handle) && {
        generation: formatGeneration(generationOf(allocation, part, address)),
      }),
    ...(part.interface !== undefined && { interface: part.interface }),
    assignedAtMs: atMs,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
}

const namesOf = ({ namespace, kind, name, instance, uid }: Workload): Workload => ({
  namespace,
  kind,
  name,
  instance,
  uid,
});
