import { isHolding, isOver } from "../kernel/values/allocation.ts";
import type { BlocksByName } from "../kernel/values/blocks-by-name.ts";
import {
  entriesOf,
  indexedIn,
  isIndexComplete,
  nameOfEntry,
} from "../kernel/values/index-entry.ts";
import { heldCount } from "./allocation-invariants.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds addresses that a complete index does not lead to, so that a search by it would miss them (I22). */
export function indexViolations(
  { indexes, walks, allocations, indexEntries }: Contents,
  blocks: BlocksByName,
): Violation[] {
  const complete = indexes.filter((index) => isIndexComplete(index, walks));
  if (complete.length === 0) return [];
  const entered = new Set(indexEntries.map(nameOfEntry));
  return allocations
    .filter((allocation) => isHolding(allocation) && !isOver(allocation))
    .flatMap((allocation) => {
      const ofSpace = complete.filter(({ space }) => space === allocation.place.space);
      const attributes = indexedIn(ofSpace, allocation.attributes);
      const wanted = entriesOf({ ...allocation, indexed: { attributes, revision: "any" } });
      const missing = wanted.filter((entry) => !entered.has(nameOfEntry(entry)));
      return missing.length > 0 && heldCount(allocation, blocks) > 0 ? missing : [];
    })
    .map(({ attribute, place }) =>
      violation(
        "I22",
        `the index of ${attribute} in ${place.space} has no entry for allocation ${place.id}`,
      ),
    );
}

/** Finds entries whose allocation does not have their value, or has nothing. */
export function indexViolationsAtRest({ allocations, indexEntries }: Contents): Violation[] {
  if (indexEntries.length === 0) return [];
  const listed = new Set(
    allocations
      .filter((allocation) => !isOver(allocation))
      .flatMap((allocation) => entriesOf(allocation).map(nameOfEntry)),
  );
  return indexEntries
    .filter((entry) => !listed.has(nameOfEntry(entry)))
    .map(({ attribute, place }) =>
      violation(
        "tidy",
        `the index of ${attribute} has an entry for allocation ${place.id}, which does not list it`,
      ),
    );
}
