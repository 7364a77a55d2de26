import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll, inParallel } from "../../../kernel/core/parallel.ts";
import { BoundedRelease, type Released } from "../../../kernel/release/bounded-release.ts";
import { releaseHandle } from "../../../kernel/release/release-handle.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { handleOfPrefixes } from "../../../kernel/values/handle.ts";
import { hashOfValue } from "../../../kernel/values/index-entry.ts";
import { POD_UID } from "../../address/attachment.ts";
import { placesOf } from "../../address/operations/addresses-of-value.ts";

/** A pod of a cluster. */
interface PodNamed {
  readonly space: string;
  readonly uid: string;
}

/**
 * Releases what a pod has that is over: the handle `pod/UID`, and the attachments and instances with its uid as the attribute
 * `podUid`. Those are found only if the space indexes the attribute. Instances whose kind keeps its addresses keep them for
 * their next pod. Prefixes stay. A repeat continues what one request does not finish.
 *
 * @returns whether nothing is left, and whether this request made progress
 */
export async function endPod(
  context: Context,
  pod: PodNamed,
): Promise<Pick<Released, "complete" | "progressed">> {
  const { space, uid } = pod;
  const [named, { indexes }] = await awaitAll(
    releaseHandle(context, space, `pod/${uid}`),
    configurationOf(context, space),
  );
  if (!named.complete || !indexes.some(({ attribute }) => attribute === POD_UID)) return named;
  const ending = new BoundedRelease(context);
  for await (const allocations of allocationsOf(context, ending, pod)) {
    if (!ending.mayBegin()) break;
    await ending.endInstances(allocations.filter(({ workload }) => workload));
    // An allocation that is over has no entry, so a repeat does not find it again.
    await ending.end(
      allocations.filter(({ workload }) => !workload),
      { settles: false },
    );
  }
  const { complete, progressed } = ending.answer();
  return { complete, progressed: progressed || named.progressed };
}

/** Yields the allocations of a pod, shard by shard. An entry only suggests them. */
async function* allocationsOf(
  context: Context,
  ending: BoundedRelease,
  { space, uid }: PodNamed,
): AsyncGenerator<readonly Allocation[]> {
  const value = { space, attribute: POD_UID, valueHash: hashOfValue(uid) };
  for await (const { places, unreadable } of placesOf(context, value)) {
    const read = await inParallel(places, PAGE_READS_AT_ONCE, (place) =>
      orCorrupt(context.store.readAllocation(place)),
    );
    for (const each of [...unreadable, ...read])
      if (each instanceof CorruptItemError) ending.leave(each);
    yield read.filter(
      (found): found is Allocation =>
        found !== undefined &&
        !(found instanceof CorruptItemError) &&
        found.attributes[POD_UID] === uid &&
        handleOfPrefixes(found.handle) === undefined,
    );
  }
}
