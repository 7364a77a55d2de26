import type { AssignmentRecord, Part } from "../../domain/allocation.ts";
import { PAGE_READS_AT_ONCE } from "../../domain/limits.ts";
import type { Unreadable } from "../../domain/outcome.ts";
import type { Slot } from "../../domain/slot.ts";
import { recordStartIn } from "../../domain/token.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";

type Taken = Slot & { readonly kind: "taken" };

/** Whose a slot is: a record, and that part of it which has the slot's token. */
export interface SlotOwner {
  readonly record: AssignmentRecord;
  readonly part: Part;
}

/** The record of a taken slot, strongly consistent; nothing where it is gone, and the slot was given back before. */
export async function recordOfSlot(
  context: Context,
  space: string,
  slot: Taken,
): Promise<SlotOwner | undefined> {
  return (await recordsOfSlots(context, space, [slot])).get(slot.token);
}

/**
 * The records of taken slots by their tokens: one read for each record, since a token says how its record's id begins. An
 * older one says nothing, so all records of its handle are read, once for all such slots. A record is there once, however
 * many tokens of it there are.
 *
 * @throws Unreadable
 */
export async function recordsOfSlots(
  context: Context,
  space: string,
  slots: Iterable<Slot>,
): Promise<ReadonlyMap<string, SlotOwner>> {
  const { owners, unreadable } = await lookForOwners(context, space, slots);
  if (unreadable[0]) throw unreadable[0];
  return owners;
}

/** The same, with what cannot be read beside it. */
export async function lookForOwners(
  { store }: Context,
  space: string,
  slots: Iterable<Slot>,
): Promise<{
  readonly owners: ReadonlyMap<string, SlotOwner>;
  readonly unreadable: readonly Unreadable[];
}> {
  const taken = [...slots].filter((slot): slot is Taken => slot.kind === "taken");
  const looks = new Map(
    taken.map(({ token, handleHash }) => {
      const start = recordStartIn(token);
      return [JSON.stringify([handleHash, start]), { handleHash, start }] as const;
    }),
  );
  const found = await inParallel([...looks.values()], PAGE_READS_AT_ONCE, ({ handleHash, start }) =>
    store.recordsFrom(space, handleHash, start),
  );
  const tokens = new Set(taken.map(({ token }) => token));
  const owners = new Map<string, SlotOwner>();
  for (const record of found.flatMap(({ records }) => records))
    for (const part of record.parts)
      if (tokens.has(part.token)) owners.set(part.token, { record, part });
  return { owners, unreadable: found.flatMap(({ unreadable }) => unreadable) };
}
