import { type AssignmentRecord, isFinished, isOver } from "../../domain/allocation.ts";
import { compareRecordPlaces, type RecordPlace } from "../../domain/allocation-place.ts";
import { freshRecordId } from "../../domain/fresh.ts";
import { handleHash } from "../../domain/hash.ts";
import { RECORDS_OVER_MAX, RECORDS_PER_LOOK } from "../../domain/limits.ts";
import type { Context } from "../core/context.ts";
import { Ending, type Released } from "./close-allocations.ts";

/**
 * Gives back every address that a handle has now, as far as one request comes: the same request goes on. Records that hold
 * something, or may, come first. Those that are over, and still name parts, are finished after them and lose their parts; what
 * is finished is passed over, so that a repeat comes to what is left.
 */
export async function releaseHandle(
  context: Context,
  space: string,
  handle: string,
): Promise<Released> {
  const ending = new Ending(context);
  const over: AssignmentRecord[] = [];
  for await (const { records, isLong } of looks(context, ending, space, handle)) {
    // Handles whose hashes collide share a partition.
    const left = records.filter((record) => record.handle === handle && !isFinished(record));
    for (const record of left.filter(isOver)) {
      // Its owners are of no use any more, and may be most of it.
      if (over.length < RECORDS_OVER_MAX) over.push({ ...record, owners: new Map() });
      else ending.putOff();
    }
    await ending.end(
      left.filter((record) => !isOver(record)),
      isLong,
    );
  }
  await ending.end(over, true);
  return ending.answer();
}

interface Look {
  readonly records: readonly AssignmentRecord[];
  /** Are there more records than one look shows? */
  readonly isLong: boolean;
}

/**
 * The records of a handle's partition, a few at a time, as long as there is time. Where one look does not show them all it
 * goes on at random and comes round: of more kept records than a request can look at, each is come to all the same.
 */
async function* looks(
  context: Context,
  ending: Ending,
  space: string,
  handle: string,
): AsyncGenerator<Look> {
  const { store, random, now } = context;
  const hash = handleHash(handle);
  const lookAfter = async (after?: RecordPlace) => {
    const page = await ending.trying(() =>
      store.listRecordPage(space, hash, { after, limit: RECORDS_PER_LOOK }),
    );
    for (const unreadable of page?.unreadable ?? []) ending.leave(unreadable);
    return page ?? { records: [], next: undefined };
  };
  const first = await lookAfter();
  yield { records: first.records, isLong: first.next !== undefined };
  if (!first.next) return;
  const id = freshRecordId(now(), random);
  const drawn: RecordPlace = { space, handleHash: hash, id, keyed: random.fraction() < 0.5 };
  const isAhead = compareRecordPlaces(drawn, first.next) > 0;
  for (const [after, until] of isAhead ? [[drawn], [first.next, drawn]] : [[first.next]])
    for (let next = after; next && ending.mayBegin(); ) {
      const page = await lookAfter(next);
      const isWithin = (place: RecordPlace) => !until || compareRecordPlaces(place, until) <= 0;
      yield { records: page.records.filter(({ place }) => isWithin(place)), isLong: true };
      next = page.next && isWithin(page.next) ? page.next : undefined;
    }
}
