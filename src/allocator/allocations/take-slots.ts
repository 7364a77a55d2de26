import { type Block, fillingOf, heldBy } from "../../domain/block.ts";
import { TAKE_TRIES_MAX } from "../../domain/limits.ts";
import { ContentionError } from "../../domain/outcome.ts";
import { fence } from "../blocks/fence-block.ts";
import { untilAnswered } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";
import { answer, RETRY } from "../core/step.ts";

/** The result of a try to take slots of one block. */
export type Take =
  /** The slots are taken. */
  | { readonly kind: "taken"; readonly block: Block; readonly ordinals: readonly number[] }
  /** The block cannot serve the request as it stands. */
  | { readonly kind: "full"; readonly block: Block }
  /** The epoch is not the one learned, or the block is gone. Read the block again, then write the allocation again (rule 2). */
  | { readonly kind: "moved"; readonly block: Block | undefined }
  /** A write got no answer, and a fence ensures that it never happens. Continue under a new token (rule 3). */
  | { readonly kind: "notTaken"; readonly block: Block | undefined };

/** The tag of the slots that a request takes. */
interface TakeTag {
  readonly token: string;
  readonly handleHash: string;
  /** True if the addresses have a lease. */
  readonly leased: boolean;
}

/**
 * Takes slots of one block in one write. If another caller was faster, the failed condition returns the block, so that the next try
 * costs no read.
 *
 * @param choose returns the ordinals to take in the block as it is now; nothing if the block cannot serve
 * @throws {ContentionError} if other callers take the slots first, every time
 */
export function take(
  context: Context,
  learned: Block,
  { leased, ...tag }: TakeTag,
  choose: (block: Block) => readonly number[] | undefined,
): Promise<Take> {
  let block = learned;
  return untilAnswered<Take>(TAKING, async () => {
    const ordinals = choose(block);
    if (!ordinals) return answer({ kind: "full", block });
    const slots = ordinals.map((ordinal) => ({ ordinal, seen: block.slots.get(ordinal) }));
    const takes = [{ slots, taken: { kind: "taken", ...tag } as const }];
    const notes = {
      filling: fillingOf(block),
      leased: leased && !block.leased ? (true as const) : undefined,
    };
    const result = await context.store.takeSlots(block, takes, fresh(context), notes);
    if (result.outcome === "done") return answer({ kind: "taken", block: result.item, ordinals });
    if (result.outcome === "unknown")
      return answer(await resolveUnknownWrite(context, learned, tag.token));
    const now = result.item;
    // Rule 6, own token first: an earlier try of this write may have succeeded. Then the condition fails on its own slots.
    const own = heldBy(now, tag.token);
    if (now && own.length > 0) return answer({ kind: "taken", block: now, ordinals: own });
    // Only the epoch under which the allocation was written counts (rule 2).
    if (!now || now.epoch !== learned.epoch) return answer({ kind: "moved", block: now });
    block = now;
    return RETRY;
  });
}

const TAKING = {
  triesMax: TAKE_TRIES_MAX,
  exhausted: () =>
    new ContentionError(`other callers took every slot that was tried, ${TAKE_TRIES_MAX} times`),
};

/** Resolves an unknown write (rule 3): reads, fences so that a late write fails, and reads again. */
async function resolveUnknownWrite(context: Context, learned: Block, token: string): Promise<Take> {
  const { space, cidr } = learned;
  const seen = await context.store.readBlock(space, cidr);
  if (seen && heldBy(seen, token).length > 0)
    return { kind: "taken", block: seen, ordinals: heldBy(seen, token) };
  const fenced = await fence(context, "unknown-fence", space, cidr);
  if (fenced && heldBy(fenced, token).length > 0)
    return { kind: "taken", block: fenced, ordinals: heldBy(fenced, token) };
  return { kind: "notTaken", block: fenced };
}
