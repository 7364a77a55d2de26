import type { Block } from "../../domain/block.ts";
import type { Cidr } from "../../domain/cidr.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";

/**
 * Rule 1, fence by epoch: whoever wants to declare a part dead first changes the block's epoch. A write of its author
 * that is still on its way is conditional on an older epoch and can no longer land. Answers the block as it stands after
 * the fence (one write is both the fence and the look), or nothing when there is no block to land in.
 *
 * @param step whose fence it is, as the protocol names it
 */
export async function fence(
  context: Context,
  step: string,
  space: string,
  cidr: Cidr,
): Promise<Block | undefined> {
  const fenced = await untilKnown("a block was fenced", () =>
    context.store.fenceBlock(step, space, cidr, fresh(context)),
  );
  return fenced.outcome === "done" ? fenced.item : undefined;
}
