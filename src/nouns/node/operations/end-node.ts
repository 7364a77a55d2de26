import { CLOCK_SKEW_MS_MAX } from "../../../base/limits.ts";
import { releaseAffinities } from "../../../kernel/affinities/release-range.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import type { Released } from "../../../kernel/release/bounded-release.ts";
import { releaseHandle } from "../../../kernel/release/release-handle.ts";
import { releaseHost } from "../../../kernel/release/release-host.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { ciliumPoolHandle, nodeHandle } from "../../../kernel/values/handle.ts";
import { hostId } from "../../../kernel/values/host.ts";
import { poolsOnHost } from "../../cilium/operations/pool-prefixes.ts";
import { handlesOf, type NodeObjects } from "../../cilium/report.ts";
import { unstate } from "../../prefix/operations/state-ranges.ts";
import { isProvenWrong } from "../judge-node.ts";
import type { Tombstone } from "../tombstone.ts";
import { unregister } from "./unregister.ts";

/** A tombstone is kept longer than a queue keeps a message, which is 14 days at most. */
export const TOMBSTONE_KEPT_MS = 15 * 24 * 60 * 60 * 1000;

/**
 * Takes the next step of a due tombstone: frees what its node had, or deletes a tombstone that is old. A node that has
 * spoken since lives, and nothing of it is freed. If a run does not finish, the tombstone stays due, and the next one
 * goes on.
 *
 * @param seen the tombstone as it was read; its time is over on every clock
 * @param untilMs begins no further release after this time
 * @returns true if all that the node had is free now
 */
export async function endNode(
  context: Context,
  seen: Tombstone,
  untilMs: number,
): Promise<boolean> {
  const { store } = context;
  if (seen.state === "freed") {
    await store.deleteTombstone("forget-gone", seen);
    return false;
  }
  const life = await store.readNodeLife(seen.space, seen.name);
  if (isProvenWrong(life, seen)) {
    await store.deleteTombstone("revive", seen);
    return false;
  }
  // What the node has was assigned before this time by any clock. What its uid gets after a return is assigned later.
  const dueAtMs = context.now() - CLOCK_SKEW_MS_MAX;
  const freeing = await moved(context, "freeing", seen, { state: "freeing", dueAtMs });
  if (!freeing) return false;
  const node = await store.readNode(seen.space, seen.name);
  const now = await store.readNodeObjects(seen.space, seen.name);
  // Another run may have finished, and the node may be back.
  if (!now.tombstones.some(({ revision }) => revision === freeing.revision)) return false;
  if (!(await unregister(context, seen, [seen.uid], { life: now, node }))) return false;
  const own = nodeHandle(seen.name, seen.uid);
  const isWhole = await released(context, untilMs, () => releaseOwn(context, freeing, own));
  if (!isWhole || !(await endCiliumNode(context, freeing, now, untilMs))) return false;
  if (!(await freeHost(context, freeing, untilMs))) return false;
  await unstate(context, { ...freeing, node: freeing.name });
  const freed = { state: "freed", dueAtMs: freeing.sinceMs + TOMBSTONE_KEPT_MS } as const;
  return (await moved(context, "freed", freeing, freed)) !== undefined;
}

/**
 * Releases what the uid has, also what a request got that outlasted the quarantine. A run that is late finds allocations of a node that
 * came back after another run had finished. They are younger than the time at which this run began to free, and stay.
 */
const releaseOwn = (
  context: Context,
  { space, dueAtMs }: Tombstone,
  handle: string,
): Promise<Released> => releaseHandle(context, space, handle, ({ atMs }) => atMs <= dueAtMs);

/**
 * Releases what the CiliumNode of the uid has, and then deletes its report as it was read: the report names what to release.
 *
 * @returns true if nothing is left
 */
async function endCiliumNode(
  context: Context,
  freeing: Tombstone,
  { ciliumReports }: NodeObjects,
  untilMs: number,
): Promise<boolean> {
  const report = ciliumReports.find(({ uid }) => uid === freeing.uid);
  if (!report) return true;
  // Nothing names a prefix of a pool that was granted, and then asked for no more, or in another mode.
  const pools = await poolsOnHost(context, { ...freeing, node: freeing.name });
  const unnamed = pools.map((pool) => ciliumPoolHandle(freeing.name, freeing.uid, pool));
  for (const handle of new Set([...handlesOf(report), ...unnamed]))
    if (!(await released(context, untilMs, () => releaseOwn(context, freeing, handle))))
      return false;
  await knownOutcome(context.store.deleteCiliumReport("delete-cilium", report));
  return true;
}

/**
 * Releases the addresses that came to the host before its end, and its affinities, if no node has the name now. The host of
 * a replaced object lives on, also while the event of the later object is on its way.
 *
 * @returns true if nothing is left
 */
async function freeHost(
  context: Context,
  { space, name, sinceMs, by }: Tombstone,
  untilMs: number,
): Promise<boolean> {
  const { store } = context;
  if (by === "replaced" || (await store.readNode(space, name))) return true;
  const host = hostId("host", name);
  const isOlder = ({ atMs }: { readonly atMs: number }) => atMs <= sinceMs;
  if (!(await released(context, untilMs, () => releaseHost(context, space, host, isOlder))))
    return false;
  const releasing = { space, host, mustBeEmpty: false };
  for (let page = await releaseAffinities(context, releasing); page.next; ) {
    if (context.now() >= untilMs) return false;
    page = await releaseAffinities(context, { ...releasing, position: page.next });
  }
  return true;
}

/** Repeats a release until it is complete. Returns false if it does not get there in time, or without progress. */
async function released(
  context: Context,
  untilMs: number,
  release: () => Promise<Released>,
): Promise<boolean> {
  for (let more = true; more && context.now() < untilMs; ) {
    const { complete, progressed } = await release();
    if (complete) return true;
    more = progressed;
  }
  return false;
}

/** Changes a tombstone as it was seen. Returns it as it is then; nothing if it has changed since. */
async function moved(
  context: Context,
  step: string,
  seen: Tombstone,
  change: Partial<Tombstone>,
): Promise<Tombstone | undefined> {
  const next: Tombstone = { ...seen, ...change, revision: fresh(context) };
  const written = await knownOutcome(context.store.changeTombstone(step, seen, next));
  return written.outcome === "done" ? next : undefined;
}
