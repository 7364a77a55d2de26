import {
  ContentionError,
  CorruptItemError,
  DeadlineError,
  isCutShort,
  type Rejection,
  UnavailableError,
} from "../../base/outcome.ts";
import type { NamedAddress } from "../allocations/identify-address.ts";
import { assign } from "../assign/assign.ts";
import type { Assignment, AssignRequest } from "../assign/assignment.ts";
import { BatchSelections } from "../assign/batch-selections.ts";
import { BoundedWork } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { ReleaseResult } from "../release/release-address.ts";
import { type AddressesReleased, releaseAddresses } from "../release/release-addresses.ts";
import { sharingSlotWrites } from "./shared-writes.ts";

/** Requests of a batch that are served side by side: about as many as can share a write of a block. */
const BATCH_ITEMS_AT_ONCE = 64;

/** One request of a batch. */
export type BatchItem =
  | { readonly kind: "assign"; readonly request: AssignRequest }
  | {
      readonly kind: "release";
      readonly space: string;
      /** The addresses, or the results of invalid entries. */
      readonly entries: readonly (NamedAddress | ReleaseResult)[];
      /** True if an instance whose kind keeps its addresses keeps them. */
      readonly keep: boolean;
    };

/** The result of one request: its own answer, or the error that stopped it. `unfinished`: there was no time to begin it. */
export type BatchResult =
  | { readonly kind: "assigned"; readonly answer: Assignment | Rejection }
  | { readonly kind: "released"; readonly answer: AddressesReleased }
  | { readonly kind: "failed"; readonly error: Error }
  | { readonly kind: "unfinished" };

/**
 * Serves requests side by side, as if each had come alone: each has its own allocation and its own answer, and none depends on
 * another. Those that take or free slots of one block share a write of it. Those of one host share its blocks: the first of each
 * host finds them, and then the others begin.
 *
 * @returns the results in the order of the items. An item without time is `unfinished`, and may be sent again
 */
export async function batch(
  context: Context,
  items: readonly BatchItem[],
): Promise<readonly BatchResult[]> {
  const selections = new BatchSelections();
  const store = sharingSlotWrites(context.store, (block) => selections.gathered(block));
  const sharing = { ...context, store };
  const work = new BoundedWork(context);
  const results = new Map<BatchItem, BatchResult>();
  for (const wave of wavesOf(items))
    await inParallel(wave, BATCH_ITEMS_AT_ONCE, async (item) => {
      if (!work.mayBegin()) return;
      const result = await serve(sharing, item, selections);
      results.set(item, result);
      if (result.kind === "failed" && isFinal(result.error)) work.cut();
    });
  return items.map((item) => results.get(item) ?? { kind: "unfinished" });
}

async function serve(
  context: Context,
  item: BatchItem,
  selections: BatchSelections,
): Promise<BatchResult> {
  try {
    return item.kind === "assign"
      ? { kind: "assigned", answer: await assign(context, item.request, selections) }
      : {
          kind: "released",
          answer: await releaseAddresses(context, item.space, item.entries, item.keep),
        };
  } catch (error) {
    if (isOfItem(error)) return { kind: "failed", error };
    throw error;
  }
}

/** Returns true for an error of one request that says nothing against the others. */
const isOfItem = (error: unknown): error is Error =>
  error instanceof ContentionError || error instanceof CorruptItemError || isCutShort(error);

/** Returns true for an error after which no further request begins. */
const isFinal = (error: Error): boolean =>
  error instanceof DeadlineError || error instanceof UnavailableError;

/** Returns the items in two waves: the first assign of each host, and then all others. */
function wavesOf(items: readonly BatchItem[]): readonly (readonly BatchItem[])[] {
  const hosts = new Set<string>();
  const first = new Set<BatchItem>();
  for (const item of items) {
    if (item.kind !== "assign" || hosts.has(item.request.host)) continue;
    hosts.add(item.request.host);
    first.add(item);
  }
  return [[...first], items.filter((item) => !first.has(item))];
}
