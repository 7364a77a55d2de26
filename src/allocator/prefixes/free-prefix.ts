import type { Allocation, Part } from "../../domain/allocation.ts";
import { addressAt } from "../../domain/cidr.ts";
import type { Context } from "../core/context.ts";
import { freeOfPart } from "../release/free-of-part.ts";

/** Frees the prefix of one part of an allocation, exactly as it was assigned. @returns as `freeNamed` */
export const freePrefix = (
  context: Context,
  allocation: Allocation,
  part: Part,
): ReturnType<typeof freeOfPart> =>
  freeOfPart(context, allocation, part, addressAt(part.block, 0), { isPrefix: true });
