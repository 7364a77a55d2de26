import type { SlotOwner } from "../kernel/allocations/allocation-of-slot.ts";
import { allocationFrom } from "../kernel/items/allocation.ts";
import type { Allocation } from "../kernel/values/allocation.ts";
import type { ItemChange } from "../table/change-log.ts";
import { kindNameOf } from "../table/kinds.ts";
import type { Draft } from "./draft.ts";
import { both, draftsOf } from "./drafts.ts";
import { ownerDrafts } from "./owner-drafts.ts";
import { type TrailLine, trailLineOf } from "./trail-line.ts";

/** A change, with everything that it says by itself. */
export interface Understood {
  readonly change: ItemChange;
  readonly drafts: readonly Draft[];
  /** Absent if the trail leaves the item out, or if there is no trail. */
  readonly line?: TrailLine;
  /** The owners that the item names before and after the change, by their tokens, the later ones last. */
  readonly owners: readonly SlotOwner[];
  /** The tokens of the parts that the change gave to an allocation. Their slots are taken after it. */
  readonly newTokens: readonly string[];
}

/**
 * Reads a change.
 *
 * @param hasTrail makes the line of the trail too
 * @throws {Error} if this version cannot read it
 */
export function understood(change: ItemChange, hasTrail: boolean): Understood {
  const line = hasTrail ? trailLineOf(change) : undefined;
  const isOfHandle = kindNameOf(change.key) === "HANDLE";
  const [before, after] = isOfHandle ? both(change, allocationFrom) : [];
  const [were, are] = [ownersOf(before), ownersOf(after)];
  const known = new Set(were.map(({ part }) => part.token));
  return {
    change,
    drafts: isOfHandle ? ownerDrafts(before, after) : draftsOf(change),
    ...(line && { line }),
    owners: [...were, ...are],
    newTokens: are.map(({ part }) => part.token).filter((token) => !known.has(token)),
  };
}

const ownersOf = (allocation: Allocation | undefined): readonly SlotOwner[] =>
  allocation?.parts.map((part) => ({ allocation, part })) ?? [];
