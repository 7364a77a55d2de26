import type { Allocation, Part } from "../kernel/values/allocation.ts";
import { takenUnder } from "../kernel/values/block.ts";
import { type BlocksByName, nameOfBlock } from "../kernel/values/blocks-by-name.ts";
import type { QuotaSlotOfAllocation } from "../kernel/values/quota-slot.ts";
import { parseAddress } from "../net/address.ts";
import { contains, ordinalOf } from "../net/cidr.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds allocations that hold more than was asked for or for no interface, or exceed the limit of their handle. */
export const allocationViolations = (contents: Contents, blocks: BlocksByName): Violation[] => [
  ...contents.allocations.flatMap((allocation) => tooMany(allocation, blocks)),
  ...contents.allocations.flatMap(withoutInterface),
  ...withoutQuotaSlot(contents, blocks),
];

function tooMany(allocation: Allocation, blocks: BlocksByName): Violation[] {
  const count = heldCount(allocation, blocks);
  return count > allocation.want
    ? [
        violation(
          "I8",
          `${allocationName(allocation)} holds ${count} addresses and asked for ${allocation.want}`,
        ),
      ]
    : [];
}

/** Finds parts of no interface beside those of interfaces: nobody could say what they are for. */
function withoutInterface(allocation: Allocation): Violation[] {
  const { parts } = allocation;
  const named = parts.filter((part) => part.interface !== undefined);
  return named.length === 0 || named.length === parts.length
    ? []
    : [violation("I8", `${allocationName(allocation)} has parts of interfaces, and parts of none`)];
}

export function heldCount(allocation: Allocation, blocks: BlocksByName): number {
  const heldOf = ({ token, block }: Part) =>
    takenUnder(blocks.get(nameOfBlock(allocation.place.space, block)), token).length;
  return allocation.parts.reduce((sum, part) => sum + heldOf(part), 0);
}

/**
 * Finds addresses of a handle with a limit that have no quota slot of their own. An address without one would exceed
 * the limit.
 */
function withoutQuotaSlot(
  { allocations, quotaSlots }: Contents,
  blocks: BlocksByName,
): Violation[] {
  const current = new Set(quotaSlots.map(({ revision }) => revision));
  return allocations
    .filter(({ state }) => state === "live")
    .flatMap((allocation) =>
      allocation.quotaSlots
        .filter(
          (quotaSlot) =>
            !current.has(quotaSlot.revision) && isQuotaSlotHeld(allocation, quotaSlot, blocks),
        )
        .map(({ address }) =>
          violation(
            "limit",
            `${allocationName(allocation)} holds ${address} in a quota slot that it no longer has`,
          ),
        ),
    );
}

export function isQuotaSlotHeld(
  allocation: Allocation,
  quotaSlot: QuotaSlotOfAllocation,
  blocks: BlocksByName,
): boolean {
  const address = quotaSlot.address === undefined ? undefined : parseAddress(quotaSlot.address);
  if (!address?.ok) return false;
  return allocation.parts
    .filter(({ block }) => contains(block, address.value))
    .some(({ block, token }) =>
      takenUnder(blocks.get(nameOfBlock(allocation.place.space, block)), token).includes(
        ordinalOf(block, address.value),
      ),
    );
}

export const allocationName = ({ handle, place }: Allocation) =>
  `the allocation of handle ${handle} (${place.id})`;
