import { formatAddress, parseAddress } from "../domain/address.ts";
import { heldBy } from "../domain/block.ts";
import { addressAt, contains, ordinalOf } from "../domain/cidr.ts";
import { PARTS_ENDED_AT_ONCE, SWAP_TRIES_MAX } from "../domain/limits.ts";
import { Contended } from "../domain/outcome.ts";
import type { AssignmentRecord, Part } from "../domain/record.ts";
import { type Context, fresh } from "./context.ts";
import { fence } from "./fence.ts";
import { giveBack, type Tag } from "./give-back.ts";
import { inParallel } from "./parallel.ts";
import { dropSeats } from "./seats.ts";
import { settleKept } from "./settle-kept.ts";

/**
 * Ends a record, whatever its author is doing: mark it, free what it visibly holds, fence where nothing is visible, then
 * delete it, or keep it if it is keyed. A live, unkeyed record that is seen held in full needs no mark.
 *
 * @param settles does one that is kept lose its parts at once? If not, the collector drops them
 * @returns the addresses that this call gave back, as text
 */
export async function endRecord(
  context: Context,
  found: AssignmentRecord,
  settles: boolean,
): Promise<readonly string[]> {
  let record: AssignmentRecord | undefined = found;
  const freed: string[] = [];
  for (let attempt = 0; attempt < SWAP_TRIES_MAX && record; attempt++) {
    if (attempt === 0) {
      const whole = await endWhole(context, record);
      freed.push(...whole.freed);
      if (whole.ended) return freed;
    }
    const marked: Marked = await mark(context, "end", record);
    if (marked.kind === "changed") {
      record = marked.record;
      continue;
    }
    freed.push(...(await finish(context, marked.record, "handle-fence")));
    const isKept = marked.record.place.keyed && marked.record.state === "released";
    // A released keyed record stays for a while, so that a late duplicate is told; any other that is over goes.
    if (!isKept) await context.store.deleteRecord("end", marked.record);
    else if (settles) await settleKept(context, marked.record);
    return freed;
  }
  if (record) throw new Contended("the record of this handle kept changing while it was ended");
  return freed;
}

/**
 * Decides a record exactly as it was seen, and gives back what it holds: a request that was never answered is aborted, one
 * whose lease ran out is released.
 *
 * @param step the act
 * @param fenceStep as of `finish`
 * @returns the record as it stands then; nothing if it has changed since: it may have been answered, or renewed, meanwhile
 */
export async function endAsSeen(
  context: Context,
  step: string,
  seen: AssignmentRecord,
  fenceStep?: string,
): Promise<AssignmentRecord | undefined> {
  const marked = await mark(context, step, seen);
  if (marked.kind === "changed") return undefined;
  await finish(context, marked.record, fenceStep);
  return marked.record;
}

/**
 * The short way for an unkeyed record whose parts are held where it says: nobody can add to it any more, and nobody is told
 * of it again, so it needs no mark. What a crash leaves of it is its owner's until the release is repeated.
 */
async function endWhole(context: Context, record: AssignmentRecord) {
  const short = record.state === "live" && !record.place.keyed;
  if (!short) return { ended: false, freed: [] };
  const ends = await inParallel(record.parts, PARTS_ENDED_AT_ONCE, async (part) => {
    const { freed, block } = await giveBack(context, tagOf(record, part), part.ordinals);
    return { freed: addressesOf(part, freed), left: heldBy(block, part.token).length };
  });
  const freed = ends.flatMap((end) => end.freed);
  if (freed.length !== record.want || ends.some(({ left }) => left > 0))
    return { ended: false, freed };
  await dropSeats(context, record, record.seats);
  await context.store.deleteRecord("end-whole", record);
  return { ended: true, freed };
}

type Marked =
  | { readonly kind: "marked"; readonly record: AssignmentRecord }
  | { readonly kind: "changed"; readonly record: AssignmentRecord | undefined };

/**
 * Decides a record, exactly as it was seen: a live one is released, and a repeat of its request is told so from then on; an
 * open one is aborted (rule 7: the head decides), and its author can no longer answer.
 */
async function mark(context: Context, step: string, seen: AssignmentRecord): Promise<Marked> {
  if (seen.state === "released" || seen.state === "aborted")
    return { kind: "marked", record: seen };
  const state = seen.state === "open" ? "aborted" : "released";
  const next: AssignmentRecord = {
    ...seen,
    state,
    revision: fresh(context),
    atMs: context.now(),
  };
  const result = await context.store.changeRecord(step, seen, next);
  if (result.outcome === "done") return { kind: "marked", record: next };
  const standing =
    result.outcome === "unknown" ? await context.store.readRecord(seen.place) : result.item;
  return standing?.revision === next.revision
    ? { kind: "marked", record: next }
    : { kind: "changed", record: standing };
}

/**
 * Finishes a record that is released or aborted: frees what it still holds, and shuts out its author where nothing is visible.
 *
 * @param fenceStep whose fence that is; nobody is shut out without one: where the record stays for whoever fences for
 *   himself before he deletes it or writes over it, or where all its slots were taken before it was answered
 * @returns the addresses that this call gave back, as text
 */
export async function finish(
  context: Context,
  record: AssignmentRecord,
  fenceStep: string | undefined,
): Promise<readonly string[]> {
  const freed = await inParallel(record.parts, PARTS_ENDED_AT_ONCE, (part) =>
    finishPart(context, record, part, fenceStep),
  );
  await dropSeats(context, record, record.seats);
  return freed.flat();
}

async function finishPart(
  context: Context,
  record: AssignmentRecord,
  part: Part,
  fenceStep: string | undefined,
): Promise<readonly string[]> {
  const tag = tagOf(record, part);
  const given = givenOrdinals(record, part);
  // Where the record says the slots are, unless it says that they were given back: one write, where that is so.
  const hint = part.ordinals.filter((ordinal) => !given.has(ordinal));
  const seen = await giveBack(context, tag, hint);
  const left = heldBy(seen.block, part.token);
  if (fenceStep !== undefined && seen.block && seen.freed.length === 0)
    left.push(...heldBy(await fence(context, fenceStep, tag.space, tag.block), part.token));
  const late = left.length > 0 ? (await giveBack(context, tag, left)).freed : [];
  return addressesOf(part, [...seen.freed, ...late]);
}

export const tagOf = ({ place, state }: AssignmentRecord, { token, block }: Part): Tag => ({
  space: place.space,
  handleHash: place.handleHash,
  token,
  block,
  cools: state !== "aborted",
});

const addressesOf = ({ block }: Part, ordinals: readonly number[]): string[] =>
  ordinals.map((ordinal) => formatAddress(addressAt(block, ordinal)));

/** Which ordinals of a part the record says were given back. */
export function givenOrdinals(record: AssignmentRecord, { block }: Part): ReadonlySet<number> {
  const given = [...record.given]
    .map(parseAddress)
    .flatMap((text) => (text.ok ? [text.value] : []));
  return new Set(given.filter((a) => contains(block, a)).map((a) => ordinalOf(block, a)));
}
