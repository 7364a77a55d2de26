import { Rejection } from "../../base/outcome.ts";
import { formatTime } from "../../base/time.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { formatCidr, ordinalOf } from "../../net/cidr.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { ownerOfSlot } from "../allocations/allocation-of-slot.ts";
import { coolingRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { type Block, cooledAtMs, isCooled, mayGo, untilMs } from "../values/block.ts";
import { hostName, isHostReserved } from "../values/host.ts";
import { isReleased, type Slot } from "../values/slot.ts";
import type { StatedAddress } from "../values/stated-address.ts";
import { timeToRetry } from "./rejections.ts";
import type { FamilyRequest } from "./selection.ts";

/**
 * Returns the rejection of a specific address that cannot be assigned now: it has an owner, is held or kept, or cools. Returns
 * nothing if it can.
 *
 * @param address.isUsed true if its cooldown does not bind
 */
export async function whyNotFree(
  context: Context,
  { space, configuration, hostReserved }: FamilyRequest,
  { block, pool }: { readonly block: Block; readonly pool: Pool },
  { address, isUsed }: StatedAddress,
): Promise<Rejection | undefined> {
  const text = formatAddress(address);
  const ordinal = ordinalOf(block.cidr, address);
  const slot = block.slots.get(ordinal);
  if (isHostReserved(block, ordinal)) {
    // The host that asks may keep the address for itself once it has the block.
    const { cidr } = block;
    const isKeptAnew = isHostReserved({ cidr, ...(hostReserved && { hostReserved }) }, ordinal);
    return hostReservedAt(block, address, { isAwaited: mayGo(block) && !isKeptAnew });
  }
  if (!slot) return undefined;
  if (slot.kind === "held")
    return new Rejection("already_assigned", `Address ${text} is held for an application.`, {
      address: text,
    });
  if (!isReleased(slot)) return assignedTo(context, space, text, slot);
  const rules = coolingRules(context, configuration, pool);
  if (isCooled(slot, rules)) return undefined;
  if (slot.kind !== "quarantined" && isUsed) return undefined;
  const time = timeToRetry(cooledAtMs(slot, rules.cooldownMs), context.now());
  if (slot.kind === "quarantined") {
    const quarantinedUntil = formatTime(untilMs(slot, rules.cooldownMs));
    return new Rejection(
      "address_quarantined",
      `Something else was reported to use address ${text}, so nobody gets it before ${quarantinedUntil}.`,
      { address: text, quarantinedUntil, ...time },
    );
  }
  return new Rejection(
    "address_cooling",
    `Address ${text} was released a moment ago, and can be assigned again at ${time.availableAt}.`,
    { address: text, ...time },
  );
}

/** Rejects the request with the handle that has the address. It is retryable while the handle has a lease, which nobody may renew. */
export async function assignedTo(
  context: Context,
  space: string,
  address: string,
  slot: Slot,
): Promise<Rejection> {
  const { handle, expiresAtMs } = (await ownerOfSlot(context, space, slot)) ?? {};
  const to = handle === undefined ? "" : ` to handle ${handle}`;
  return new Rejection("already_assigned", `Address ${address} is assigned${to}.`, {
    address,
    ...(handle !== undefined && { assignedTo: handle }),
    ...(expiresAtMs !== undefined && { retryable: true }),
  });
}

/**
 * Rejects an address that a host keeps for itself.
 *
 * @param isAwaited true if the block may go with time, and the address can be assigned then
 */
export function hostReservedAt(
  { cidr, host, hostReserved }: Pick<Block, "cidr" | "host" | "hostReserved">,
  address: Address,
  { isAwaited }: { readonly isAwaited: boolean },
): Rejection {
  const text = formatAddress(address);
  const whose = host === undefined ? "the host before" : `host ${hostName(host)}`;
  return new Rejection(
    "already_assigned",
    `Address ${text} is kept by ${whose} for itself in block ${formatCidr(cidr)}.`,
    {
      address: text,
      block: formatCidr(cidr),
      hostReserved,
      ...(isAwaited && { retryable: true }),
    },
  );
}
