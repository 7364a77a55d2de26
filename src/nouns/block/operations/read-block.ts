import type { Page } from "../../../base/listed.ts";
import { Rejection } from "../../../base/outcome.ts";
import { allocationsOfSlots } from "../../../kernel/allocations/allocation-of-slot.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { type Address, formatAddress } from "../../../net/address.ts";
import { addressAt, type Cidr, formatCidr, ordinalOf } from "../../../net/cidr.ts";
import { type AddressState, ownerOf } from "../../address/operations/read-address.ts";
import { slotsInUse } from "../../address/operations/slots-in-use.ts";
import { noneUnread } from "../../pool/configuration.ts";
import { poolOverBlock } from "../../pool/of-address.ts";
import { type BlockState, blockState } from "./list-blocks.ts";

/** An address of a block. The owner is absent if the address cools, and if its allocation was not found. A quarantined one has the handle only. */
type AddressInBlock = Omit<
  AddressState,
  "family" | "block" | "pool" | "network" | "attributes" | "owner" | "assignedBy"
>;

export interface BlockWithAddresses {
  readonly block: BlockState;
  /** In the order of addresses. An address that is missing here is unused or host-reserved. */
  readonly addresses: Page<AddressInBlock, Address>;
}

/** Returns a block and a page of its assigned, cooling and quarantined addresses, strongly consistent. */
export async function readBlock(
  context: Context,
  {
    space,
    cidr,
    limit,
    position,
  }: {
    readonly space: string;
    readonly cidr: Cidr;
    readonly limit: number;
    /** Returns only addresses after this one. */
    readonly position?: Address | undefined;
  },
): Promise<BlockWithAddresses | Rejection> {
  const { store } = context;
  const configuration = await store.readSpace(space);
  const text = formatCidr(cidr);
  const pool = poolOverBlock(configuration, cidr);
  if (!pool)
    return (
      noneUnread(configuration) ??
      new Rejection("not_found", `${text} is in no pool of space ${space}.`)
    );
  if (pool.blockSize !== cidr.prefix)
    return new Rejection(
      "not_found",
      `${text} is not a block: pool ${pool.name} has blocks of /${pool.blockSize}.`,
    );
  const block = await store.readBlock(space, cidr);
  if (!block)
    return new Rejection("not_found", `No block exists at ${text}: no host has claimed it.`);
  const slots = slotsInUse(context, configuration, block).filter(
    ({ ordinal }) => !position || ordinal > ordinalOf(cidr, position),
  );
  const some = slots.slice(0, limit);
  const owners = await allocationsOfSlots(
    context,
    space,
    some.map(({ slot }) => slot),
  );
  const items = some.map(({ ordinal, slot, current }): AddressInBlock => {
    const address = addressAt(cidr, ordinal);
    const base = { address: formatAddress(address), ...current };
    const owner = slot.kind === "foreign" ? undefined : owners.get(slot.token);
    if (!owner) return base;
    if (slot.kind !== "taken") return { ...base, handle: owner.allocation.handle };
    // The attributes of addresses are read address by address, because here they could be megabytes.
    const { attributes: _, owner: __, assignedBy: ___, ...owned } = ownerOf(owner, address, block);
    return { ...base, ...owned };
  });
  const last = some.at(-1);
  return {
    block: blockState(context, configuration, block),
    addresses: {
      items,
      ...(last && some.length < slots.length && { next: addressAt(cidr, last.ordinal) }),
    },
  };
}
