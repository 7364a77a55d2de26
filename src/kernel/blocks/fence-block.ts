import type { Cidr } from "../../net/cidr.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import type { Block } from "../values/block.ts";
import { fresh } from "../values/fresh.ts";

/**
 * Fences a block by a new epoch (rule 1). A late slot write is conditional on an older epoch, so it fails from then on. Plat fences
 * before it declares a part of an allocation dead. One write is both the fence and the read.
 *
 * @param step the name of the fence in the protocol
 * @returns the block after the fence; nothing if there is no block
 * @throws {UnavailableError} if the outcome stayed unknown
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
