import { Rejection } from "../../../base/outcome.ts";
import { grantedUnderLimit } from "../../../kernel/assign/quota.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll } from "../../../kernel/core/parallel.ts";
import type { Cidr } from "../../../net/cidr.ts";
import type { Labels } from "../../../net/labels.ts";
import {
  decideFor,
  type NodeEvent,
  type NodePrefix,
  type PrefixStatement,
  statedBy,
} from "../../node/prefixes.ts";
import { choosePrefixes } from "./choose-prefixes.ts";
import { holdPrefixes } from "./hold-prefixes.ts";
import { type PrefixRequest, prefixesOf, prefixRequestOf } from "./node-prefix.ts";
import { readStated, type Stating, stateAfter, stateBefore } from "./state-ranges.ts";

/** A request of one incarnation of a node, with the prefixes that it and its cloud provider have. */
export interface PrefixesWanted extends PrefixStatement {
  readonly space: string;
  readonly node: string;
  readonly uid: string;
  /** The pools by name, also Manual ones; empty: all that serve the node. */
  readonly pools: readonly string[];
  readonly hostLabels?: Labels;
  /** The time after which a prefix goes back that was not confirmed. */
  readonly confirmSeconds: number;
  readonly assignedBy?: string;
  /** The version of the Node object; absent for a request. */
  readonly resourceVersion?: string;
}

/** The prefixes of one incarnation of a node, and the places where its caller writes them. */
export interface NodePrefixes {
  readonly node: string;
  readonly uid: string;
  readonly prefixes: readonly NodePrefix[];
  readonly write?: {
    /** The prefixes for the Node object. */
    readonly node?: readonly Cidr[];
    /** The prefixes for the cloud provider. */
    readonly cloud?: readonly Cidr[];
  };
  readonly event?: NodeEvent;
}

/**
 * Ensures that a node has the prefixes that it must have, by the allocator of its cluster. A repeat answers the same: callers say what
 * stands in their objects, and Plat answers what should.
 *
 * @returns the prefixes; or `no_pool_available`, `pool_exhausted`, `already_assigned`, `prefix_mismatch`, `host_not_registered`,
 *   `node_gone` or `request_in_progress`, and then nothing more is held than before
 */
export async function ensurePrefixes(
  context: Context,
  wanted: PrefixesWanted,
): Promise<NodePrefixes | Rejection> {
  const { space, node, uid } = wanted;
  // A request that saw no tombstone ends before the quarantine of the node is over, and before anything of it is freed.
  const stating = statingOf(wanted);
  const [tombstone, seen] = await awaitAll(
    context.store.readTombstone({ space, name: node, uid }),
    readStated(context, stating),
  );
  if (tombstone) return gone(wanted);
  const stated = statedBy(wanted);
  const withheld = await stateBefore(context, stating, stated, seen);
  const decision = decideFor(wanted);
  const request = prefixRequestOf(wanted);
  const prefixes =
    decision.kind === "choose"
      ? await choosePrefixes(context, request, wanted.confirmSeconds)
      : decision.kind === "hold"
        ? await holdPrefixes(context, request, decision)
        : await prefixesUnder(context, request);
  const inOrder = (prefixes instanceof Rejection ? [] : prefixes).toSorted(
    (a, b) => a.cidr.family - b.cidr.family,
  );
  const cidrs = inOrder.map(({ cidr }) => cidr);
  await stateAfter(context, stating, stated, { given: cidrs, withheld });
  if (prefixes instanceof Rejection) return prefixes;
  const { writesNode, writesCloud } = decision;
  return {
    node,
    uid,
    prefixes: inOrder,
    ...((writesNode ?? writesCloud) && {
      write: { ...(writesNode && { node: cidrs }), ...(writesCloud && { cloud: cidrs }) },
    }),
    ...(decision.kind === "leave" && { event: decision.event }),
  };
}

/** Returns the incarnation that states the prefixes of a request, or of an event. */
export const statingOf = ({
  space,
  node,
  uid,
  resourceVersion,
}: Pick<PrefixesWanted, "space" | "node" | "uid" | "resourceVersion">): Stating => ({
  space,
  node,
  uid,
  by: resourceVersion === undefined ? "request" : "node",
  ...(resourceVersion !== undefined && { resourceVersion }),
});

const gone = ({ node, uid }: PrefixesWanted): Rejection =>
  new Rejection(
    "node_gone",
    `Node ${node} with uid ${uid} has ended, and gets no prefix. An event of its Node object with a later version revives it.`,
    { node, uid },
  );

async function prefixesUnder(
  context: Context,
  request: PrefixRequest,
): Promise<readonly NodePrefix[] | Rejection> {
  const granted = await grantedUnderLimit(context, request);
  return granted instanceof Rejection ? granted : granted.flatMap(prefixesOf);
}
