import { type Block, cooledAtMs, isCooled, reservedOrdinals } from "../../kernel/values/block.ts";
import { isReleased, type Slot } from "../../kernel/values/slot.ts";
import type { Address } from "../../net/address.ts";
import { type AddressSet, sharedBy } from "../../net/address-set.ts";
import { addressAt, intervalOf } from "../../net/cidr.ts";

/**
 * Counts the addresses of a set that are taken in a block, and tells when each of the cooling ones has cooled, quarantined ones too. A slot that cannot be
 * read counts as taken.
 */
export function usedIn(
  block: Block,
  set: AddressSet,
  rules: { readonly nowMs: number; readonly cooldownMs: number },
): { readonly taken: number; readonly coolingUntilMs: readonly number[] } {
  return {
    taken: takenWithin(block, set).length,
    coolingUntilMs: slotsWithin(block, set)
      .map(([, slot]) => slot)
      .filter(isReleased)
      .filter((slot) => !isCooled(slot, rules))
      .map((slot) => cooledAtMs(slot, rules.cooldownMs)),
  };
}

/** Returns the addresses of a set that are taken in a block, in order. A slot that cannot be read counts as taken. */
export const takenWithin = (block: Block, set: AddressSet): readonly Address[] =>
  slotsWithin(block, set)
    .filter(([, slot]) => !isReleased(slot))
    .map(([ordinal]) => addressAt(block.cidr, ordinal))
    .sort((a, b) => (a.value < b.value ? -1 : 1));

function slotsWithin(block: Block, set: AddressSet): readonly (readonly [number, Slot])[] {
  const isWithin = reservedOrdinals(block, sharedBy([intervalOf(block.cidr)], set));
  return [...block.slots].filter(([ordinal]) => isWithin(ordinal));
}
