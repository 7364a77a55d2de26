import type { Context } from "../../../kernel/core/context.ts";
import { freeOfPart } from "../../../kernel/release/free-of-part.ts";
import type { Allocation, Part } from "../../../kernel/values/allocation.ts";
import { addressAt } from "../../../net/cidr.ts";

/** Frees the prefix of one part of an allocation, exactly as it was assigned. @returns as `freeNamed` */
export const freePrefix = (
  context: Context,
  allocation: Allocation,
  part: Part,
): ReturnType<typeof freeOfPart> =>
  freeOfPart(context, allocation, part, addressAt(part.block, 0), { isPrefix: true });
