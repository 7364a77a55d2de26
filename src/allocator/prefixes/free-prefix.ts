import type { Allocation, Part } from "../../domain/allocation.ts";
import { addressAt } from "../../domain/cidr.ts";
import { generationOf } from "../../domain/generation.ts";
import type { Context } from "../core/context.ts";
import { freeNamed } from "../release/free-named.ts";

/** Frees the prefix of one part of an allocation, exactly as it was assigned. @returns as `freeNamed` */
export function freePrefix(
  context: Context,
  allocation: Allocation,
  part: Part,
): ReturnType<typeof freeNamed> {
  const address = addressAt(part.block, 0);
  const generation = generationOf(allocation, part, address);
  return freeNamed(context, allocation.place.space, { address, generation, isConflict: false });
}
