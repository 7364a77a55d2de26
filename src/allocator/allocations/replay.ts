import { type Allocation, isExpired, type Part } from "../../domain/allocation.ts";
import { type Block, heldBy } from "../../domain/block.ts";
import { CLOCK_SKEW_MS_MAX, PARTS_FREED_AT_ONCE, REQUEST_MS_MAX } from "../../domain/limits.ts";
import { Rejection } from "../../domain/outcome.ts";
import { formatTime } from "../../domain/time.ts";
import { fence } from "../blocks/fence-block.ts";
import { compareAndSwap } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { answer, RETRY, type Step } from "../core/step.ts";
import { closeAsSeen } from "./close-allocation.ts";
import type { Holding } from "./holding.ts";

/** The options of a replay with the allocation that it finds. */
export type Replay =
  /** The request was answered, or would have been: the same answer again. */
  | {
      readonly kind: "answered";
      readonly allocation: Allocation;
      readonly held: readonly Holding[];
    }
  /** Nothing of it is held or can be any more: begin again, writing the allocation over this one. */
  | { readonly kind: "vacant"; readonly allocation: Allocation }
  /** The allocation went while it was looked at: begin from nothing. */
  | { readonly kind: "gone" };

/**
 * Settles what an earlier try of the same request has come to (I8).
 *
 * Held in full, and the allocation unchanged when read again after that look: the same answer. Released: told so. Young: its
 * author may still be at work. Older: an allocation that is still pending is aborted, and what it holds freed; the parts of a
 * live one are fenced, and if that shows nothing, the request begins again under new tokens (rule 4).
 */
export async function replay(
  context: Context,
  found: Allocation,
  digest: string,
): Promise<Replay | Rejection> {
  let allocation = found;
  const readAgain = async (): Promise<Step<Replay>> => {
    const again = await context.store.readAllocation(allocation.place);
    if (!again) return answer({ kind: "gone" });
    allocation = again;
    return RETRY;
  };
  return compareAndSwap<Replay | Rejection>("the allocation of this request", async () => {
    const refused = whyNotAgain(allocation, digest);
    if (refused) return answer(refused);
    const held = allocation.state === "live" ? await holdingsOf(context, allocation) : [];
    if (allocation.state === "live" && isWhole(allocation, held)) {
      if (isExpired(allocation, context.now())) return answer(alreadyReleased(allocation));
      // A release marks the allocation before it frees: unchanged after the look, the slots were still held.
      const { revision } = allocation;
      const again = await readAgain();
      const isUnchanged = again.kind === "retry" && allocation.revision === revision;
      return isUnchanged ? answer({ kind: "answered", allocation, held }) : again;
    }
    const young = inProgress(context, allocation);
    if (young) return answer(young);
    const vacant =
      allocation.state === "live"
        ? await vacated(context, allocation)
        : await closeAsSeen(context, "replay-abort", allocation, { fence: "replay-abort-fence" });
    return vacant ? answer({ kind: "vacant", allocation: vacant }) : readAgain();
  });
}

/** Returns why a request cannot be answered from an allocation, whatever that holds. */
function whyNotAgain(allocation: Allocation, digest: string): Rejection | undefined {
  if (allocation.digest !== digest)
    return new Rejection(
      "idempotency_mismatch",
      "This Idempotency-Key was used with another body for the same handle.",
    );
  const isReleased = allocation.state === "released" || allocation.released.size > 0;
  return isReleased ? alreadyReleased(allocation) : undefined;
}

export function alreadyReleased({ released, expiresAtMs }: Allocation): Rejection {
  const how =
    released.size > 0
      ? `released: ${[...released].join(", ")}`
      : expiresAtMs === undefined
        ? "released by its handle"
        : `released, or its lease expired at ${formatTime(expiresAtMs)}`;
  return new Rejection("already_released", `The addresses of this request were ${how}.`, {
    released: [...released],
  });
}

/** Returns the addresses that an allocation visibly holds. */
async function holdingsOf(context: Context, allocation: Allocation): Promise<readonly Holding[]> {
  const { store } = context;
  const looks = await inParallel(allocation.parts, PARTS_FREED_AT_ONCE, async (part) =>
    holding(part, await store.readBlock(allocation.place.space, part.block)),
  );
  return looks.flat();
}

function isWhole(allocation: Allocation, held: readonly Holding[]): boolean {
  return held.reduce((sum, { ordinals }) => sum + ordinals.length, 0) === allocation.want;
}

/** An allocation whose author may still be at work. */
export function inProgress(context: Context, { atMs }: Allocation): Rejection | undefined {
  const waitMs = atMs + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX - context.now();
  if (waitMs <= 0) return undefined;
  return new Rejection(
    "request_in_progress",
    "The same request, or another one under the same limit, is in progress, or was interrupted a moment ago.",
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}

/** The allocation itself if a fence shows that nothing of it is held, so that nothing of it can be taken any more. */
async function vacated(context: Context, allocation: Allocation): Promise<Allocation | undefined> {
  const looks = await inParallel(allocation.parts, PARTS_FREED_AT_ONCE, async (part) =>
    holding(part, await fence(context, "replay-fence", allocation.place.space, part.block)),
  );
  return looks.flat().length === 0 ? allocation : undefined;
}

function holding(part: Part, block: Block | undefined): Holding[] {
  const ordinals = heldBy(block, part.token);
  return block && ordinals.length > 0 ? [{ part, block, ordinals }] : [];
}
