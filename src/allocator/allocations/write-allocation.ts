import type { Allocation } from "../../domain/allocation.ts";
import { ContentionError, UnavailableError } from "../../domain/outcome.ts";
import type { Context } from "../core/context.ts";

/** The result of a write of an allocation. */
export type WrittenAllocation =
  | { readonly kind: "written"; readonly allocation: Allocation }
  /** Another execution of the same request wrote the allocation. */
  | { readonly kind: "taken"; readonly allocation: Allocation };

/**
 * Writes the allocation of a request: a new one, or over the one that was read, under its revision. Every write has a fresh revision,
 * so that the author of an earlier one learns of it.
 */
export async function writeAllocation(
  context: Context,
  seen: Allocation | undefined,
  next: Allocation,
): Promise<WrittenAllocation> {
  const { store } = context;
  const written = seen
    ? await store.changeAllocation("allocation", seen, next)
    : await store.createAllocation(next);
  if (written.outcome === "done") return { kind: "written", allocation: next };
  const current =
    written.outcome === "unknown" ? await store.readAllocation(next.place) : written.item;
  // Rule 6 for allocations: the item has the revision of this write.
  if (current?.revision === next.revision) return { kind: "written", allocation: next };
  if (written.outcome === "unknown" && current?.revision === seen?.revision)
    throw new UnavailableError(
      "the database did not say whether the allocation of this request was written",
    );
  if (current && next.place.keyed) return { kind: "taken", allocation: current };
  throw new ContentionError("another execution ended this request");
}
