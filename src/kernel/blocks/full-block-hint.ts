import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import { asHint } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import type { BlockAffinity } from "../values/affinity.ts";
import {
  type Block,
  coolingTimesMs,
  isWhollyTaken,
  roomlessUntilMs,
  type SlotRules,
} from "../values/block.ts";
import { type FullBlock, hintOf } from "../values/full-block.ts";

/*
 * A host with more blocks than one batch does not read full ones again: a hint beside its affinities calls each full, and says what time
 * alone frees in it. A hint may be wrong at any time.
 */

/**
 * Calls a block of a host full if it has no room: writes the hint, then a note in the block. A release that finds the note deletes
 * the hint. The answer to the note shows what was freed before it.
 *
 * @returns the block as it is now
 */
export async function callIfFull(
  context: Context,
  affinity: BlockAffinity,
  seen: Block,
  rules: SlotRules,
): Promise<Block> {
  const untilMs = roomlessUntilMs(seen, rules);
  // A pending affinity gets another revision when it is confirmed, so a hint under this one would not count.
  if (untilMs === undefined || affinity.state !== "confirmed") return seen;
  const { space, host, block } = affinity;
  const [freeAtMs] = coolingTimesMs(seen, rules).toSorted((a, b) => a - b);
  const hint: FullBlock = {
    ...{ space, host, block, affinity: affinity.revision },
    ...(Number.isFinite(untilMs) && { untilMs }),
    ...(freeAtMs !== undefined && { freeAtMs }),
    ...(seen.leased && { leased: true }),
  };
  let now: Block | undefined;
  await asHint(async () => {
    await context.store.callBlockFull(hint);
    const noted = await orCorrupt(context.store.noteFull(seen, { calledFull: true }));
    now = noted instanceof CorruptItemError || noted.outcome !== "done" ? undefined : noted.item;
    const stillUntilMs = now && roomlessUntilMs(now, rules);
    if (stillUntilMs === undefined || stillUntilMs < untilMs)
      await context.store.clearBlockFull("full-undo", hint);
  });
  return now ?? seen;
}

/** Deletes the hint of a block that was full before these ordinals were freed. */
export async function clearIfWasFull(
  context: Context,
  block: Block,
  freed: readonly number[],
): Promise<void> {
  const hint = hintOf(block);
  if (block.calledFull && hint && isWhollyTaken(block, freed))
    await context.store.clearBlockFull("full-freed", hint);
}

/** Deletes a hint that is wrong or has run out, after a crash left it. Returns true if it deleted it. */
export async function correctFull(context: Context, hint: FullBlock): Promise<boolean> {
  const { space, host, block: cidr, untilMs } = hint;
  const block = await context.store.readBlock(space, cidr);
  const isRight =
    untilMs === undefined ? block?.host === host && isWhollyTaken(block) : context.now() < untilMs;
  if (!isRight) await context.store.clearBlockFull("full-sweep", hint);
  return !isRight;
}
