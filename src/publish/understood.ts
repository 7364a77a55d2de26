import { allocationFrom } from "../kernel/items/allocation.ts";
import type { Allocation, Part } from "../kernel/values/allocation.ts";
import type { ItemChange } from "../table/change-log.ts";
import { kindNameOf } from "../table/kinds.ts";
import type { Draft } from "./draft.ts";
import { draftsOf } from "./drafts.ts";
import { type TrailLine, trailLineOf } from "./trail-line.ts";

/** The owner of a slot: an allocation, and its part with the slot's token. */
export interface Owner {
  readonly allocation: Allocation;
  readonly part: Part;
}

/** A change, with everything that it says by itself. */
export interface Understood {
  readonly change: ItemChange;
  readonly drafts: readonly Draft[];
  /** Absent if the trail leaves the item out, or if there is no trail. */
  readonly line?: TrailLine;
  /** The owners that the item names before and after the change, by their tokens, the later ones last. */
  readonly owners: readonly Owner[];
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
  const [were, are] = [ownersOf(change, "before"), ownersOf(change, "after")];
  const known = new Set(were.map(({ part }) => part.token));
  return {
    change,
    drafts: draftsOf(change),
    ...(line && { line }),
    owners: [...were, ...are],
    newTokens: are.map(({ part }) => part.token).filter((token) => !known.has(token)),
  };
}

function ownersOf(change: ItemChange, when: "before" | "after"): readonly Owner[] {
  const item = kindNameOf(change.key) === "HANDLE" ? change[when] : undefined;
  if (!item) return [];
  const allocation = allocationFrom(item);
  return allocation.parts.map((part) => ({ allocation, part }));
}
