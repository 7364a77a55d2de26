import type { Address } from "../../net/address.ts";
import type { Context } from "../core/context.ts";
import type { Allocation, Part } from "../values/allocation.ts";
import { generationOf } from "../values/generation.ts";
import { type FreedAddress, freeNamed } from "./free-named.ts";

/**
 * Frees an address of one part of an allocation, exactly as it was assigned.
 *
 * @param what.isPrefix true if it stands for the whole prefix
 * @returns as `freeNamed`
 */
export function freeOfPart(
  context: Context,
  allocation: Allocation,
  part: Part,
  address: Address,
  what: Pick<FreedAddress, "isPrefix"> = {},
): ReturnType<typeof freeNamed> {
  const generation = generationOf(allocation, part, address);
  return freeNamed(context, allocation.place.space, {
    address,
    generation,
    isConflict: false,
    ...what,
  });
}
