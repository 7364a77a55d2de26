import { EVENTS_AT_ONCE } from "../../../base/limits.ts";
import { CorruptItemError, Rejection } from "../../../base/outcome.ts";
import { BoundedWork } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll, inParallel } from "../../../kernel/core/parallel.ts";
import { formatCidr } from "../../../net/cidr.ts";
import {
  type FollowedNode,
  followNode,
  prefixesAsShown,
} from "../../prefix/operations/follow-node.ts";
import { isForeign } from "../judge-node.ts";
import {
  type ClusterEvent,
  type NodePatch,
  type NodeStatement,
  nodePatchOf,
} from "../node-health.ts";
import type { SignOfLife } from "../node-report.ts";
import type { NodePrefix } from "../prefixes.ts";
import {
  applyDeleted,
  applyStatement,
  applyTerminated,
  type NodeApplied,
  type NodeNamed,
} from "./apply-node.ts";
import { endPod } from "./end-pod.ts";

/** Between two writes of a node's sign of life by one function. */
const SIGN_OF_LIFE_MS = 20_000;

/** The result of one event. */
export interface EventResult {
  readonly status: "applied" | "stale" | "ignored" | "rejected" | "failed";
  /** The reason of a failure. The sender sends it again. */
  readonly failure?: unknown;
  /** The prefixes of the node, if pools of prefixes serve it. */
  readonly prefixes?: readonly NodePrefix[];
  /** The reason of a rejected event; or the answer of the allocator if it rejects the prefixes of an applied one. */
  readonly rejection?: Rejection;
  /** The fields that the Node object lacks. */
  readonly patch?: NodePatch;
}

/** The space that events act in. */
export interface EventScope {
  readonly space: string;
  /** The cluster whose events they are, if their sender says that. */
  readonly cluster?: string;
  /** False if a node that states no prefixes gets none. */
  readonly assign?: boolean;
  /** True if the end of a machine ends its nodes in every space. */
  readonly everySpace?: boolean;
}

/**
 * Applies events of a cluster. Those of one object are applied in their order, and those of different objects side by
 * side. No event hinders another one. Events that the time of the request does not reach fail, and come again.
 *
 * @returns their results, in the order of the events
 */
export async function applyEvents(
  context: Context,
  scope: EventScope,
  events: readonly ClusterEvent[],
): Promise<readonly EventResult[]> {
  const work = new BoundedWork(context);
  const results: EventResult[] = new Array(events.length);
  const queues = new Map<string, [number, ClusterEvent][]>();
  for (const [index, event] of events.entries()) {
    const object = objectOf(event);
    queues.set(object, [...(queues.get(object) ?? []), [index, event]]);
  }
  await inParallel([...queues.values()], EVENTS_AT_ONCE, async (queue) => {
    for (const [index, event] of queue)
      results[index] = await resultOf(context, work, scope, event);
  });
  return results;
}

const objectOf = ({ act, name }: ClusterEvent): string =>
  act === "state" || act === "end" ? `node ${name}` : `${act} ${name}`;

async function resultOf(
  context: Context,
  work: BoundedWork,
  scope: EventScope,
  event: ClusterEvent,
): Promise<EventResult> {
  if (!work.mayBegin()) return { status: "failed", failure: LATE };
  let failure: unknown;
  const result = await work.trying(async () => {
    try {
      return await carryOut(context, scope, event);
    } catch (error) {
      failure = error;
      if (error instanceof CorruptItemError) return undefined;
      throw error;
    }
  });
  return result ?? { status: "failed", failure };
}

async function carryOut(
  context: Context,
  scope: EventScope,
  event: ClusterEvent,
): Promise<EventResult> {
  const { space, cluster } = scope;
  const { name } = event;
  const of: NodeNamed = { space, name, ...(cluster !== undefined && { cluster }) };
  switch (event.act) {
    case "state":
      return state(context, of, event.statement, scope);
    case "end":
      return resultOfNode(await applyDeleted(context, of, event.ended));
    case "release": {
      const { complete, progressed } = await endPod(context, { space, uid: event.uid });
      if (!complete) return { status: "failed", failure: LATE };
      return { status: progressed ? "applied" : "ignored" };
    }
    case "renew":
      return resultOfNode(await renew(context, of, event.renewedAt));
    case "terminate":
      return terminate(context, scope, name);
    default:
      return event satisfies never;
  }
}

const NO_PREFIXES: FollowedNode = { prefixes: [], writes: [] };

/** Registers a node as its object says, and gives it its prefixes. */
async function state(
  context: Context,
  of: NodeNamed,
  statement: NodeStatement,
  { assign = true }: EventScope,
): Promise<EventResult> {
  const shown = { ...statement, space: of.space, node: of.name };
  const [applied, asShown] = await awaitAll(
    applyStatement(context, of, statement),
    prefixesAsShown(context, shown),
  );
  if (applied !== "applied") return resultOfNode(applied);
  const isAsking = shown.podCidrs.length === 0;
  const followed = isAsking && !assign ? NO_PREFIXES : await followNode(context, shown, asShown);
  if (followed instanceof Rejection) {
    const patch = nodePatchOf(statement, []);
    return followed.code === "request_in_progress"
      ? { status: "failed", failure: followed }
      : { status: applied, rejection: followed, ...(patch && { patch }) };
  }
  const { prefixes, writes } = followed;
  const patch = nodePatchOf(statement, writes.map(formatCidr));
  return { status: applied, ...(prefixes.length > 0 && { prefixes }), ...(patch && { patch }) };
}

/** Ends the nodes that ran on a machine. */
async function terminate(
  context: Context,
  { space, everySpace = false }: EventScope,
  id: string,
): Promise<EventResult> {
  const known = await context.store.listMachine(id);
  const machines = known.filter((machine) => everySpace || machine.space === space);
  if (machines.length === 0) return { status: "ignored" };
  const applied: NodeApplied[] = [];
  for (const { uid, ...of } of machines) applied.push(await applyTerminated(context, of, uid));
  return { status: applied.includes("applied") ? "applied" : "stale" };
}

function resultOfNode(status: NodeApplied): EventResult {
  if (status === "freeing") return { status: "failed", failure: FREEING };
  return status === "foreign" ? { status: "rejected", rejection: FOREIGN } : { status };
}

/** The failure of an event for which there was no time. */
export const LATE = new Rejection(
  "request_in_progress",
  "The request had no time for this event; send it again.",
);

const FOREIGN = new Rejection(
  "other_cluster",
  "Another cluster of this space reports a node of this name. Give each cluster a space of its own, or its nodes other names.",
);

const FREEING = new Rejection(
  "request_in_progress",
  "The repair run frees what this node had; send the event again.",
);

/**
 * Notes the renewal of a node's Lease, if it is a new one. A function writes at most one in `SIGN_OF_LIFE_MS`.
 *
 * @returns `stale` for a renewal that is known, and `foreign` for one of another cluster than that of the node
 */
async function renew(
  { store, cache, now }: Context,
  { space, name, cluster = "" }: NodeNamed,
  renewedAt: string,
): Promise<"applied" | "stale" | "foreign"> {
  const key = `${space}#${name}#${cluster}`;
  const cached = cache.leases.get(key);
  const life = cached ? undefined : await store.readNodeLife(space, name);
  if (life && cluster !== "" && isForeign(life, cluster)) return "foreign";
  const known = cached ?? life?.signOfLife;
  const sign: SignOfLife = { space, name, renewedAt, seenAtMs: now() };
  if (known) cache.leases.set(key, known);
  if (known && known.renewedAt >= renewedAt) return "stale";
  if (known && sign.seenAtMs - known.seenAtMs < SIGN_OF_LIFE_MS) return "applied";
  await store.putSignOfLife(sign);
  cache.leases.set(key, sign);
  return "applied";
}
