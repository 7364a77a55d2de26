import { handleHash } from "../../base/hash.ts";
import { Rejection } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { formatCidr } from "../../net/cidr.ts";
import { configurationOf, poolAt } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { slotAt } from "../values/block.ts";
import { blockOf } from "../values/block-group.ts";
import { type Generation, generationOf } from "../values/generation.ts";
import { isOfNode } from "../values/handle.ts";
import { allocationOfSlot } from "./allocation-of-slot.ts";

/** An address, and the proof that it is the caller's: a generation or a handle. */
export interface NamedAddress {
  readonly address: Address;
  readonly handle?: string;
  readonly generation?: Generation;
}

/**
 * Identifies the assignment that an address and its proof name. With a generation it reads nothing.
 *
 * @returns the generation; nothing if the address is not assigned; a rejection if it belongs to another handle
 */
export async function identify(
  context: Context,
  space: string,
  named: NamedAddress,
): Promise<Generation | Rejection | undefined> {
  const found = named.generation ?? (await lookUp(context, space, named));
  if (found instanceof Rejection || found === undefined) return found;
  return mismatch(named, found) ?? found;
}

/** Checks that a generation belongs to the address and the handle. With others it must not even mark its allocation. */
function mismatch({ address, handle }: NamedAddress, named: Generation): Rejection | undefined {
  if (named.address.family !== address.family || named.address.value !== address.value)
    return conflict(`The generation belongs to another address, ${formatAddress(named.address)}.`);
  if (handle !== undefined && handleHash(handle) !== named.handleHash)
    return conflict("The generation belongs to another handle.");
  return undefined;
}

const conflict = (detail: string) => new Rejection("generation_conflict", detail);

/**
 * Finds the assignment of an address without its generation. The block has the hash of the handle and the token, and the allocation
 * has the handle.
 *
 * @returns the generation; nothing if the address is not assigned; a rejection if it belongs to another handle
 */
async function lookUp(
  context: Context,
  space: string,
  { address, handle }: NamedAddress,
): Promise<Generation | Rejection | undefined> {
  const isBare = handle === undefined;
  if (isBare && !(await configurationOf(context, space)).settings.allowBareRelease)
    return new Rejection(
      "invalid_request",
      "A release needs the handle or the generation, unless the configuration has allowBareRelease.",
    );
  const pool = await poolAt(context, space, address);
  if (!pool) return undefined;
  const cidr = blockOf(address, pool.blockSize);
  const block = await context.store.readBlock(space, cidr);
  const slot = slotAt(block, address);
  if (slot?.kind !== "taken") return undefined;
  if (block?.whole)
    return new Rejection(
      "invalid_request",
      `${formatAddress(address)} lies in ${formatCidr(cidr)}, a prefix, which /v1/nodes/{node}/pod-cidrs releases for a node, and /v1/prefixes for a handle.`,
    );
  const owner = await allocationOfSlot(context, space, slot);
  if (!owner) return undefined;
  if (isOfNode(owner.allocation.handle))
    return new Rejection(
      "invalid_request",
      `${formatAddress(address)} is an address of a node, which /v1/nodes/{node}/cilium assigns and releases.`,
    );
  if (handle === undefined || owner.allocation.handle === handle)
    return generationOf(owner.allocation, owner.part, address);
  return conflict("The address is assigned to another handle.");
}
