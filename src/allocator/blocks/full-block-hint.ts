import type { BlockAffinity } from "../../domain/affinity.ts";
import { type Block, isWhollyTaken, roomlessUntilMs, type SlotRules } from "../../domain/block.ts";
import { type FullBlock, hintOf } from "../../domain/full-block.ts";
import { CorruptItemError, orCorrupt } from "../../domain/outcome.ts";
import type { Context } from "../core/context.ts";
import { asHint } from "../core/hint.ts";

/*
 * A host that has many blocks does not read those again in which there was no room: each is called full by a hint beside its
 * places. A hint may be wrong at any time, and nothing is refused for good because of one.
 */

/**
 * Calls a block of a host full, if there is no room in it: the hint, then a note in the block. Whoever frees a slot finds the
 * note and takes the hint away; what was freed before the note shows in its answer.
 *
 * @returns the block as it stands
 */
export async function callIfFull(
  context: Context,
  affinity: BlockAffinity,
  seen: Block,
  rules: SlotRules,
): Promise<Block> {
  const untilMs = roomlessUntilMs(seen, rules);
  // An affinity that is about to be confirmed is another by then.
  if (untilMs === undefined || affinity.state !== "confirmed") return seen;
  const { space, host, block } = affinity;
  const hint: FullBlock = {
    ...{ space, host, block, affinity: affinity.revision },
    ...(Number.isFinite(untilMs) && { untilMs }),
  };
  let now: Block | undefined;
  await asHint(async () => {
    await context.store.callBlockFull(hint);
    const noted = await orCorrupt(context.store.noteCalledFull(seen));
    now = noted instanceof CorruptItemError || noted.outcome !== "done" ? undefined : noted.item;
    const stillUntilMs = now && roomlessUntilMs(now, rules);
    if (stillUntilMs === undefined || stillUntilMs < untilMs)
      await context.store.clearBlockFull("full-undo", hint);
  });
  return now ?? seen;
}

/** Takes the hint of a block away of which all was taken before these ordinals were freed. */
export async function clearIfWasFull(
  context: Context,
  block: Block,
  freed: readonly number[],
): Promise<void> {
  const hint = hintOf(block);
  if (block.calledFull && hint && isWhollyTaken(block, freed))
    await context.store.clearBlockFull("full-freed", hint);
}

/** Takes a hint away that is wrong, or has run out: whoever was to do it was cut off. Answers whether it did. */
export async function correctFull(context: Context, hint: FullBlock): Promise<boolean> {
  const { space, host, block: cidr, untilMs } = hint;
  const block = await context.store.readBlock(space, cidr);
  const isRight =
    untilMs === undefined ? block?.host === host && isWhollyTaken(block) : context.now() < untilMs;
  if (!isRight) await context.store.clearBlockFull("full-sweep", hint);
  return !isRight;
}
