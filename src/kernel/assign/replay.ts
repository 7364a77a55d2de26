import { CLOCK_SKEW_MS_MAX, PARTS_FREED_AT_ONCE, REQUEST_MS_MAX } from "../../base/limits.ts";
import { Rejection } from "../../base/outcome.ts";
import { formatTime } from "../../base/time.ts";
import { type Holding, heldOf, holdingsOf, isWhole } from "../allocations/holding.ts";
import { fence } from "../blocks/fence-block.ts";
import { answer, compareAndSwap, RETRY, type Step } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { endAsSeen } from "../end/end.ts";
import { type Allocation, isExpired } from "../values/allocation.ts";

/** The result of a replay with the allocation that it finds. */
export type Replay =
  /** The request was answered, or would have been. The answer is the same. */
  | {
      readonly kind: "answered";
      readonly allocation: Allocation;
      readonly held: readonly Holding[];
    }
  /** Nothing of it is held, and no late write can take anything. The request begins again and replaces this allocation. */
  | { readonly kind: "vacant"; readonly allocation: Allocation }
  /** The allocation was deleted meanwhile. The request begins again. */
  | { readonly kind: "gone" };

/**
 * Settles an earlier execution of the same request (I8) by its allocation:
 *
 * - held in full, and unchanged after the blocks were read: the same answer
 * - released: `already_released`
 * - younger than a function can run: `request_in_progress`
 * - older and pending: aborts it, and frees what it holds
 * - older and live: fences its parts; if they hold nothing, the request begins again under new tokens (rule 4)
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
    const rejected = whyNotAgain(allocation, digest);
    if (rejected) return answer(rejected);
    const held = allocation.state === "live" ? await holdingsOf(context, allocation) : [];
    if (allocation.state === "live" && isWhole(allocation, held)) {
      if (isExpired(allocation, context.now())) return answer(alreadyReleased(allocation));
      // A release marks the allocation before it frees. So if it is unchanged after the blocks were read, they were held.
      const { revision } = allocation;
      const again = await readAgain();
      const isUnchanged = again.kind === "retry" && allocation.revision === revision;
      return isUnchanged ? answer({ kind: "answered", allocation, held }) : again;
    }
    const young = inProgress(context, allocation);
    if (young) return answer(young);
    const vacant =
      allocation.state === "live"
        ? (await isVacant(context, allocation)) && allocation
        : await endAsSeen(context, "replay-abort", allocation, { fence: "replay-abort-fence" });
    return vacant ? answer({ kind: "vacant", allocation: vacant }) : readAgain();
  });
}

/** Returns the rejection of a repeat that holds whatever the allocation has; nothing if there is none. */
function whyNotAgain(allocation: Allocation, digest: string): Rejection | undefined {
  if (allocation.digest !== digest)
    return new Rejection(
      "idempotency_mismatch",
      "This Idempotency-Key was used with another body for the same handle.",
      // Then the key stands for nothing that its caller could lose.
      allocation.state === "released" ? { released: [...allocation.released] } : {},
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

/** Returns the rejection of a repeat while the author of an allocation may still be running; nothing if it cannot. */
export function inProgress(context: Context, { atMs }: Allocation): Rejection | undefined {
  const waitMs = atMs + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX - context.now();
  if (waitMs <= 0) return undefined;
  return new Rejection(
    "request_in_progress",
    "The same request, or another one under the same limit, is in progress, or was interrupted a moment ago.",
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}

/**
 * Fences the parts of a live allocation (rule 1). Returns true if nothing of it is held. Then no late write can take anything for it as it
 * is.
 */
export async function isVacant(context: Context, allocation: Allocation): Promise<boolean> {
  const looks = await inParallel(allocation.parts, PARTS_FREED_AT_ONCE, async (part) =>
    heldOf(part, await fence(context, "replay-fence", allocation.place.space, part.block)),
  );
  return looks.flat().length === 0;
}
