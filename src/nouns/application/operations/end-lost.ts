import { handleHash } from "../../../base/hash.ts";
import { ALLOCATIONS_ENDED_AT_ONCE, ALLOCATIONS_PER_LOOK } from "../../../base/limits.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { endWithoutNext } from "../../../kernel/end/keep-instance.ts";
import { settle } from "../../../kernel/held/settle.ts";
import { fresh, shuffled } from "../../../kernel/values/fresh.ts";
import { type Application, handleAt, nameOfApplication, type Ordinals } from "../application.ts";
import { isGone, lostOrdinals, sharedOrdinals, withoutOrdinals } from "../changes.ts";

/** The most allocations of lost ordinals that one change of an application looks at. */
const ORDINALS_ENDED_PER_CHANGE = 256;

/**
 * Ends the kept allocations of a StatefulSet's ordinals that have no replica any more, some of them at random. An ordinal leaves the
 * item once its allocation is ended or absent. An instance that is still live stays: its keep reads the item, and ends it.
 *
 * @returns the application after that; nothing if it is gone
 */
export async function endLost(
  context: Context,
  application: Application,
): Promise<Application | undefined> {
  const { store, random } = context;
  const lost = shuffled(lostOrdinals(application).flatMap(each), random);
  if (lost.length === 0) return application;
  const some = lost.slice(0, ORDINALS_ENDED_PER_CHANGE);
  const looks = await inParallel(some, ALLOCATIONS_ENDED_AT_ONCE, async (ordinal) =>
    (await isClosed(context, application, ordinal)) ? [{ first: ordinal, end: ordinal + 1 }] : [],
  );
  const ended = looks.flat();
  let seen: Application | undefined = application;
  return compareAndSwap(`the application ${nameOfApplication(application)}`, async (before) => {
    if (before > 0 || ended.length > 0)
      seen = await store.readApplication(application.space, application);
    // A request that grew the application meanwhile wants its ordinals again.
    const gone = seen ? sharedOrdinals(ended, lostOrdinals(seen)) : [];
    if (!seen || gone.length === 0) return answer(seen);
    const ordinals = withoutOrdinals(seen.ordinals, gone);
    const next = { ...seen, ordinals, revision: fresh(context) };
    const written = await store.changeApplication("narrow-ordinals", seen, next);
    if (written.outcome !== "done") return RETRY;
    return answer(isGone(next) ? await settle(context, next) : next);
  });
}

/**
 * Returns true if the instance of an ordinal has no allocation, or this call ends it. What it keeps stays if a request that grew the
 * application came meanwhile.
 */
async function isClosed(
  context: Context,
  application: Application,
  ordinal: number,
): Promise<boolean> {
  const handle = handleAt(application, ordinal);
  const { items } = await context.store.listAllocationPage(application.space, handleHash(handle), {
    limit: ALLOCATIONS_PER_LOOK,
  });
  const found = items.find((allocation) => allocation.handle === handle);
  return !found || (found.state === "kept" && endWithoutNext(context, found, []));
}

const each = ({ first, end }: Ordinals): readonly number[] =>
  Array.from({ length: end - first }, (_, n) => first + n);
