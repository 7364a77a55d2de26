import { formatAddress, parseAddress } from "../../domain/address.ts";
import type { AssignmentRecord, Part } from "../../domain/allocation.ts";
import { heldBy } from "../../domain/block.ts";
import { addressAt, contains, ordinalOf } from "../../domain/cidr.ts";
import { PARTS_ENDED_AT_ONCE, SWAP_TRIES_MAX } from "../../domain/limits.ts";
import { Contended, OutOfTime } from "../../domain/outcome.ts";
import { fence } from "../blocks/fence-block.ts";
import { type Context, fresh } from "../core/context.ts";
import { asHint } from "../core/hint.ts";
import { inParallel } from "../core/parallel.ts";
import { giveBack, type Tag } from "./free-slots.ts";
import { dropSeats } from "./quota-slots.ts";
import { settle } from "./resolve-unknown-write.ts";

/**
 * Ends a record, whatever its author is doing: mark it, free what it visibly holds, fence where nothing is visible, then
 * delete it, or keep it if it is keyed. A live, unkeyed record that is seen held in full needs no mark.
 *
 * @param settles does one that is kept lose its parts at once? If not, the collector drops them
 * @param freed gets the addresses that this call gives back, as text: also where it fails after that
 */
export async function endRecord(
  context: Context,
  found: AssignmentRecord,
  settles: boolean,
  freed: string[],
): Promise<void> {
  let record: AssignmentRecord | undefined = found;
  for (let attempt = 0; attempt < SWAP_TRIES_MAX && record; attempt++) {
    if (attempt === 0 && (await endWhole(context, record, freed))) return;
    const marked: Marked = await mark(context, "end", record);
    if (marked.kind === "changed") {
      record = marked.record;
      continue;
    }
    await finish(context, marked.record, { fence: "handle-fence" }, freed);
    const isKept = marked.record.place.keyed && marked.record.state === "released";
    // A released keyed record stays for a while, so that a late duplicate is told; any other that is over goes.
    if (!isKept) await context.store.deleteRecord("end", marked.record);
    else if (settles) await settle(context, marked.record);
    return;
  }
  if (record) throw new Contended("the record of this handle kept changing while it was ended");
}

/**
 * Decides a record exactly as it was seen, and gives back what it holds: a request that was never answered is aborted, one
 * whose lease ran out is released.
 *
 * @param step the act
 * @param author as of `finish`
 * @returns the record as it stands then; nothing if it has changed since: it may have been answered, or renewed, meanwhile
 */
export async function endAsSeen(
  context: Context,
  step: string,
  seen: AssignmentRecord,
  author: Author,
): Promise<AssignmentRecord | undefined> {
  const marked = await mark(context, step, seen);
  if (marked.kind === "changed") return undefined;
  await finish(context, marked.record, author);
  return marked.record;
}

/**
 * The short way for an unkeyed record whose parts are held where it says: nobody can add to it any more, and nobody is told
 * of it again, so it needs no mark. What a crash leaves of it is its owner's until the release is repeated.
 *
 * @returns whether it is ended
 */
async function endWhole(
  context: Context,
  record: AssignmentRecord,
  freed: string[],
): Promise<boolean> {
  const short = record.state === "live" && !record.place.keyed;
  if (!short) return false;
  const ends = await inParallel(record.parts, PARTS_ENDED_AT_ONCE, async (part) => {
    const given = await giveBack(context, tagOf(record, part), part.ordinals);
    freed.push(...addressesOf(part, given.freed));
    return { freed: given.freed.length, left: heldBy(given.block, part.token).length };
  });
  const count = ends.reduce((sum, end) => sum + end.freed, 0);
  if (count !== record.want || ends.some(({ left }) => left > 0)) return false;
  await dropSeats(context, record, record.seats);
  await context.store.deleteRecord("end-whole", record);
  return true;
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
 * What keeps the author of a record that is over from taking slots for it: a fence, by its name in the protocol; that he was
 * `answered`, with all his takes behind him; or the fence of whoever ends the record later, until when its parts stay.
 */
export type Author = { readonly fence: string } | "answered" | "fenced later";

/**
 * Finishes a record that is released or aborted: frees what it still holds, and shuts out its author where nothing is visible.
 * Where a part fails, the others are finished, and the record loses them: who comes next meets only what is left.
 *
 * @param freed gets the addresses that this call gives back, as text: also where it fails after that
 * @throws the first that went wrong
 */
export async function finish(
  context: Context,
  record: AssignmentRecord,
  author: Author,
  freed: string[] = [],
): Promise<void> {
  const failures: unknown[] = [];
  const parts = await inParallel(record.parts, PARTS_ENDED_AT_ONCE, async (part) => {
    try {
      await finishPart(context, record, part, author, freed);
      return [];
    } catch (error) {
      if (error instanceof OutOfTime) throw error;
      failures.push(error);
      return [part];
    }
  });
  if (failures.length > 0) {
    const left = parts.flat();
    const isLess = left.length < record.parts.length && author !== "fenced later";
    if (isLess) await asHint(() => settle(context, record, left));
    throw failures[0];
  }
  await dropSeats(context, record, record.seats);
}

async function finishPart(
  context: Context,
  record: AssignmentRecord,
  part: Part,
  author: Author,
  freed: string[],
): Promise<void> {
  const tag = tagOf(record, part);
  const free = async (ordinals: readonly number[]) => {
    const given = await giveBack(context, tag, ordinals);
    freed.push(...addressesOf(part, given.freed));
    return given;
  };
  const given = givenOrdinals(record, part);
  // Where the record says the slots are, unless it says that they were given back: one write, where that is so.
  const seen = await free(part.ordinals.filter((ordinal) => !given.has(ordinal)));
  const left = heldBy(seen.block, part.token);
  if (typeof author === "object" && seen.block && seen.freed.length === 0)
    left.push(...heldBy(await fence(context, author.fence, tag.space, tag.block), part.token));
  if (left.length > 0) await free(left);
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
