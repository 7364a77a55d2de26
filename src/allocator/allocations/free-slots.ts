import { type Block, heldBy } from "../../domain/block.ts";
import type { Cidr } from "../../domain/cidr.ts";
import { clearIfWasFull } from "../blocks/full-block-hint.ts";
import { compareAndSwap } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";
import { asHint } from "../core/hint.ts";
import { answer, RETRY, type Step } from "../core/step.ts";

/** A slot tag as it stands while taken, and where. */
export interface Tag {
  readonly space: string;
  readonly block: Cidr;
  readonly token: string;
  readonly handleHash: string;
  /** Does a freed slot cool? Not where nobody was ever told of it. */
  readonly cools: boolean;
}

/** The result of a free: the slots that this call freed, and the block after it. */
export interface Freed {
  readonly freed: readonly number[];
  readonly block: Block | undefined;
}

/**
 * Frees slots that are taken under exactly this tag (I5). A slot under another tag is left alone.
 *
 * @param seen where the tag is believed to stand: tried without a look; when that fails, the block that comes back decides
 * @param only of what is found under the tag, only these
 */
export async function freeSlots(
  context: Context,
  tag: Tag,
  seen: readonly number[],
  only?: ReadonlySet<number>,
): Promise<Freed> {
  const result = await freed(context, tag, seen, only);
  const { block, freed: ordinals } = result;
  if (block && ordinals.length > 0) await asHint(() => clearIfWasFull(context, block, ordinals));
  return result;
}

async function freed(
  context: Context,
  tag: Tag,
  seen: readonly number[],
  only: ReadonlySet<number> | undefined,
): Promise<Freed> {
  const { store } = context;
  const taken = { kind: "taken", token: tag.token, handleHash: tag.handleHash } as const;
  const unsure = new Set<number>();
  let ordinals = seen;
  // A slot that cools under the token was taken. One that was never seen to be, and is free, may be about to be.
  let wereTaken = tag.cools;
  const decided = (block: Block | undefined): Step<Freed> => {
    ordinals = heldBy(block, tag.token).filter((n) => only === undefined || only.has(n));
    wereTaken = true;
    return ordinals.length === 0 ? answer({ freed: freedOf(block, tag, unsure), block }) : RETRY;
  };
  return compareAndSwap("the block of the slots to be freed", async () => {
    if (ordinals.length === 0) return decided(await store.readBlock(tag.space, tag.block));
    const result = await store.freeSlots(
      { space: tag.space, cidr: tag.block },
      { ordinals, taken, coolingSinceMs: tag.cools ? context.now() : undefined },
      fresh(context),
    );
    if (result.outcome === "done") {
      context.cache.refresh(result.item);
      return answer({ freed: ordinals, block: result.item });
    }
    if (result.outcome === "lost") return decided(result.item);
    // Rule 3: after an unknown outcome the block is looked at. A request that lands late frees what was to be freed.
    if (wereTaken) for (const ordinal of ordinals) unsure.add(ordinal);
    return decided(await store.readBlock(tag.space, tag.block));
  });
}

/** Slots of ours whose freeing was of unknown outcome and turned out done. */
function freedOf(block: Block | undefined, tag: Tag, unsure: ReadonlySet<number>): number[] {
  return [...unsure].filter((ordinal) => {
    const slot = block?.slots.get(ordinal);
    return !tag.cools || (slot?.kind === "cooling" && slot.token === tag.token);
  });
}
