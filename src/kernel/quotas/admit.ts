import { CLOCK_SKEW_MS_MAX } from "../../base/limits.ts";
import type { Rejection } from "../../base/outcome.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import {
  type Quota,
  type QuotaSubject,
  quotaRejection,
  quotasFor,
  type RequestPiece,
  type RequestRate,
  requestsToTake,
} from "../../nouns/quota/quota.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";

/** The time after which an earlier second cannot be one of a clock that is ahead. */
const SECOND_STALE_S = CLOCK_SKEW_MS_MAX / 1000 + 1;

/**
 * Returns the rejection of a request that a quota does not allow in this second. It counts the request otherwise. What one quota
 * refuses counts for no other.
 */
export async function whyNotAdmitted(
  context: Context,
  { quotas }: Pick<SpaceConfiguration, "quotas">,
  request: QuotaSubject,
): Promise<Rejection | undefined> {
  const limiting = quotasFor(quotas, request).filter((quota) => quota.requestsPerSecond);
  for (const [n, quota] of limiting.entries()) {
    if (await takeOne(context, quota)) continue;
    for (const earlier of limiting.slice(0, n)) putBack(context, earlier);
    return quotaRejection("rate_limited", quota, "requestsPerSecond", "");
  }
  return undefined;
}

/**
 * Takes one request of the current second from a quota: from the piece of this function, or with a new piece. A piece has as many
 * requests as the function served in the second before, so a function needs about one write in a second.
 *
 * The seconds of a quota never go back. A function whose clock is behind takes from the second that another began.
 */
async function takeOne(
  { store, cache, now }: Context,
  { space, name, requestsPerSecond: max = 0 }: Quota,
): Promise<boolean> {
  const copy = copyOf({ space, name });
  const own = secondAt(now());
  const piece = cache.requestPieces.get(copy);
  if (serveOf(piece, own)) return true;
  let taken = Math.min(requestsToTake(piece, own), max);
  let seen: RequestRate | undefined;
  let second = own;
  return compareAndSwap<boolean>(`the requests of quota ${name}`, async (before) => {
    const wanted: RequestRate = { space, quota: name, second, taken };
    const result =
      before === 0 || seen?.second === second
        ? await store.takeRequests(wanted, max)
        : await store.beginSecond(wanted, seen);
    if (result.outcome === "done") {
      // Another request of this function may have kept a piece meanwhile.
      const beside = cache.requestPieces.get(copy);
      if (beside && beside.second > own) return answer(true);
      const { served, left } = beside?.second === own ? beside : { served: 0, left: 0 };
      cache.requestPieces.set(copy, { second: own, served: served + 1, left: left + taken - 1 });
      return answer(true);
    }
    // A write without an answer may have taken requests. They count, and nobody serves them.
    if (result.outcome === "unknown") return RETRY;
    seen = result.item;
    // A clock that was far ahead must not stop the others: then the second begins anew.
    const isAhead = seen !== undefined && seen.second > own && seen.second <= own + SECOND_STALE_S;
    second = isAhead && seen ? seen.second : own;
    if (seen?.second !== second) return RETRY;
    const left = max - seen.taken;
    if (left <= 0) return answer(serveOf(cache.requestPieces.get(copy), own));
    taken = Math.min(taken, left);
    return RETRY;
  });
}

/** Leaves a request that was taken and is not served to the next one of this function in the same second. */
function putBack({ cache, now }: Context, quota: Quota): void {
  const piece = cache.requestPieces.get(copyOf(quota));
  if (piece?.second !== secondAt(now())) return;
  piece.left++;
  piece.served--;
}

/** Returns the name of a quota in the memory of a function. */
const copyOf = ({ space, name }: Pick<Quota, "space" | "name">): string => `${space}#${name}`;

const secondAt = (nowMs: number): number => Math.floor(nowMs / 1000);

/** Serves a request from a piece. Returns false if the piece has none left, or is of another second. */
function serveOf(piece: RequestPiece | undefined, second: number): boolean {
  if (piece?.second !== second || piece.left <= 0) return false;
  piece.left--;
  piece.served++;
  return true;
}
