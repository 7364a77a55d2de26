import type { AssignmentRecord } from "../../domain/allocation.ts";
import { Contended, Unavailable } from "../../domain/outcome.ts";
import type { Context } from "../core/context.ts";

/** Whose the record is after a try to write it. */
export type Stamp =
  | { readonly kind: "mine"; readonly record: AssignmentRecord }
  /** Another try of the same keyed request stands there. */
  | { readonly kind: "taken"; readonly record: AssignmentRecord };

/**
 * Writes the record of a request: new, or over the one seen, under its revision. Every write of it carries a fresh
 * revision, so that the author of an earlier one learns that it is no longer alone.
 */
export async function stamp(
  context: Context,
  seen: AssignmentRecord | undefined,
  next: AssignmentRecord,
): Promise<Stamp> {
  const { store } = context;
  const written = seen
    ? await store.changeRecord("record", seen, next)
    : await store.createRecord(next);
  if (written.outcome === "done") return { kind: "mine", record: next };
  const standing =
    written.outcome === "unknown" ? await store.readRecord(next.place) : written.item;
  // Rule 6 for records: what stands there is what we wrote.
  if (standing?.revision === next.revision) return { kind: "mine", record: next };
  if (written.outcome === "unknown" && standing?.revision === seen?.revision)
    throw new Unavailable(
      "the database did not say whether the record of this request was written",
    );
  if (standing && next.place.keyed) return { kind: "taken", record: standing };
  throw new Contended("this request was ended by somebody else while it was carried out");
}
