import type { Allocation } from "../../domain/allocation.ts";
import { ContentionError, UnavailableError } from "../../domain/outcome.ts";
import type { Context } from "../core/context.ts";

/** The result of a try to write an allocation: who owns it now. */
export type WrittenAllocation =
  | { readonly kind: "written"; readonly allocation: Allocation }
  /** Another try of the same keyed request stands there. */
  | { readonly kind: "taken"; readonly allocation: Allocation };

/**
 * Writes the allocation of a request: new, or over the one seen, under its revision. Every write of it carries a fresh
 * revision, so that the author of an earlier one learns that it is no longer alone.
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
  // Rule 6 for allocations: what stands there is what we wrote.
  if (current?.revision === next.revision) return { kind: "written", allocation: next };
  if (written.outcome === "unknown" && current?.revision === seen?.revision)
    throw new UnavailableError(
      "the database did not say whether the allocation of this request was written",
    );
  if (current && next.place.keyed) return { kind: "taken", allocation: current };
  throw new ContentionError("another execution ended this request");
}
