import type { Address } from "../../domain/address.ts";
import type { Allocation, Part } from "../../domain/allocation.ts";
import { generationOf } from "../../domain/generation.ts";
import type { Context } from "../core/context.ts";
import { freeNamed } from "./free-named.ts";

/** Frees an address of one part of an allocation, exactly as it was assigned. @returns as `freeNamed` */
export function freeOfPart(
  context: Context,
  allocation: Allocation,
  part: Part,
  address: Address,
): ReturnType<typeof freeNamed> {
  const generation = generationOf(allocation, part, address);
  return freeNamed(context, allocation.place.space, { address, generation, isConflict: false });
}
