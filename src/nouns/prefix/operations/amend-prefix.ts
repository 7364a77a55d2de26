import { Rejection } from "../../../base/outcome.ts";
import { allocationOfSlot } from "../../../kernel/allocations/allocation-of-slot.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { generationOf } from "../../../kernel/values/generation.ts";
import type { OwnerChange } from "../../../kernel/values/owner.ts";
import { addressAt, type Cidr, formatCidr } from "../../../net/cidr.ts";
import { type Amended, amendAddress } from "../../address/operations/amend-address.ts";

/** A change of the owner of a prefix. */
export interface PrefixAmendment {
  readonly space: string;
  readonly cidr: Cidr;
  readonly owner: OwnerChange;
}

/** Changes the owner of the prefix that a handle has, as that of an address is changed: its first address stands for it. */
export async function amendPrefix(
  context: Context,
  { space, cidr, owner }: PrefixAmendment,
): Promise<Amended | Rejection> {
  const block = await context.store.readBlock(space, cidr);
  const slot = block?.slots.get(0);
  const found =
    slot?.kind === "taken" && block?.whole
      ? await allocationOfSlot(context, space, slot)
      : undefined;
  if (!found) return new Rejection("not_found", `${formatCidr(cidr)} is assigned to nobody.`);
  const address = addressAt(cidr, 0);
  const generation = generationOf(found.allocation, found.part, address);
  return amendAddress(context, space, { address, generation, owner });
}
