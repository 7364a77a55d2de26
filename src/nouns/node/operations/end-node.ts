import { CLOCK_SKEW_MS_MAX } from "../../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import { releaseAffinities } from "../../../kernel/affinities/release-range.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import type { Released } from "../../../kernel/release/bounded-release.ts";
import { releaseHandle } from "../../../kernel/release/release-handle.ts";
import { releaseHost } from "../../../kernel/release/release-host.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { ciliumPoolHandle, isOfNode, nodeHandle } from "../../../kernel/values/handle.ts";
import { hostId } from "../../../kernel/values/host.ts";
import type { Address } from "../../../net/address.ts";
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
  const untilAtMs = context.now() - CLOCK_SKEW_MS_MAX;
  // It stays due since its end began, so that one that does not come to an end is seen.
  const dueAtMs = seen.state === "freeing" ? seen.dueAtMs : untilAtMs;
  const freeing = await moved(context, "freeing", seen, { state: "freeing", dueAtMs });
  if (!freeing) return false;
  const node = await store.readNode(seen.space, seen.name);
  const now = await store.readNodeObjects(seen.space, seen.name);
  // Another run may have finished, and the node may be back.
  if (!now.tombstones.some(({ revision }) => revision === freeing.revision)) return false;
  if (!(await unregister(context, seen, [seen.uid], { life: now, node }))) return false;
  const ending: Ending = { freeing, untilAtMs, untilMs };
  const own = nodeHandle(seen.name, seen.uid);
  const isWhole = await eachOf([
    () => released(context, ending, () => releaseOwn(context, ending, own)),
    () => endCiliumNode(context, ending, now),
    () => freeHost(context, ending),
  ]);
  if (!isWhole) return false;
  await unstate(context, { ...freeing, node: freeing.name });
  const freed = { state: "freed", dueAtMs: freeing.sinceMs + TOMBSTONE_KEPT_MS } as const;
  return (await moved(context, "freed", freeing, freed)) !== undefined;
}

/** A run that frees what a node had. */
interface Ending {
  readonly freeing: Tombstone;
  /** The time at which the run began, by the latest clock. */
  readonly untilAtMs: number;
  /** The time after which the run begins no further release. */
  readonly untilMs: number;
}

/**
 * Carries out all steps, whatever is left of one of them: an item that nobody can read must not keep the others from their release.
 *
 * @returns true if nothing is left
 * @throws {CorruptItemError} the first one that kept a step from its end
 */
async function eachOf(steps: readonly (() => Promise<boolean>)[]): Promise<boolean> {
  const unreadable: CorruptItemError[] = [];
  let isWhole = true;
  for (const step of steps) {
    const done = await orCorrupt(step());
    if (done instanceof CorruptItemError) unreadable.push(done);
    isWhole &&= done === true;
  }
  if (unreadable[0]) throw unreadable[0];
  return isWhole;
}

/**
 * Releases what the uid has, also what a request got that outlasted the quarantine. A run that is late finds allocations of a node that
 * came back after another run had finished. They are younger than the time at which this run began to free, and stay.
 */
const releaseOwn = (
  context: Context,
  { freeing: { space }, untilAtMs }: Ending,
  handle: string,
): Promise<Released> => releaseHandle(context, space, handle, ({ atMs }) => atMs <= untilAtMs);

/**
 * Releases what the CiliumNode of the uid has, and then deletes its report as it was read: the report names what to release.
 *
 * @returns true if nothing is left
 */
async function endCiliumNode(
  context: Context,
  ending: Ending,
  { ciliumReports }: NodeObjects,
): Promise<boolean> {
  const { freeing } = ending;
  const report = ciliumReports.find(({ uid }) => uid === freeing.uid);
  if (!report) return true;
  // Nothing names a prefix of a pool that was granted, and then asked for no more, or in another mode.
  const pools = await poolsOnHost(context, { ...freeing, node: freeing.name });
  const unnamed = pools.map((pool) => ciliumPoolHandle(freeing.name, freeing.uid, pool));
  for (const handle of new Set([...handlesOf(report), ...unnamed]))
    if (!(await released(context, ending, () => releaseOwn(context, ending, handle)))) return false;
  await knownOutcome(context.store.deleteCiliumReport("delete-cilium", report));
  return true;
}

/**
 * Releases the addresses that came to the host before its end, and its affinities, if no node has the name now. The host of
 * a replaced object lives on, also while the event of the later object is on its way. So does what another object of the name has.
 *
 * @returns true if nothing is left
 * @throws {CorruptItemError} if nobody can read an item of a block, which stays the host's
 */
async function freeHost(context: Context, ending: Ending): Promise<boolean> {
  const { store } = context;
  const { freeing, untilMs } = ending;
  const { space, name, sinceMs, by } = freeing;
  if (by === "replaced" || (await store.readNode(space, name))) return true;
  const host = hostId("host", name);
  const isMeant = ({ atMs, handle }: Allocation) => atMs <= sinceMs && !isOfNode(handle);
  if (!(await released(context, ending, () => releaseHost(context, space, host, isMeant))))
    return false;
  const releasing = { space, host, mustBeEmpty: false };
  let isWhole = true;
  let unreadable: CorruptItemError | undefined;
  for (let position: Address | undefined, more = true; more; more = position !== undefined) {
    if (context.now() >= untilMs) return false;
    const page = await releaseAffinities(context, { ...releasing, ...(position && { position }) });
    isWhole &&= page.items.every(({ status }) => status !== "contended");
    unreadable ??= page.items.find((item) => item.unreadable)?.unreadable;
    position = page.next;
  }
  if (unreadable) throw unreadable;
  return isWhole;
}

/**
 * Repeats a release until it is complete.
 *
 * @returns false if it does not get there in time, or without progress
 * @throws {CorruptItemError} if nobody can read an item that is left
 */
async function released(
  context: Context,
  { untilMs }: Ending,
  release: () => Promise<Released>,
): Promise<boolean> {
  while (context.now() < untilMs) {
    const { complete, progressed, unreadable } = await release();
    if (complete) return true;
    if (progressed) continue;
    if (unreadable[0]) throw unreadable[0];
    return false;
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
