import { EFFECTIVE_MS_MAX, PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import type { ListedPage, PageWanted } from "../../../base/listed.ts";
import { CorruptItemError, orCorrupt, type Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { forgetLabels } from "../../../kernel/core/labels.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import {
  deleteResource,
  knownOutcome,
  type Precondition,
  putResource,
  type Written,
} from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { hostId } from "../../../kernel/values/host.ts";
import type { Node, NodeSpec } from "../../node/node.ts";
import { type NodeWithHealth, nodeWithHealth } from "../../node/operations/read-node.ts";

/**
 * Registers a node, or changes an existing one if the precondition holds. A new node is entered into the
 * register first. A crash in between leaves an entry that lists skip and the repair run deletes.
 */
export async function putNode(
  context: Context,
  space: string,
  name: string,
  spec: NodeSpec,
  precondition: Precondition,
): Promise<Written<Node> | Rejection> {
  const { store } = context;
  return putResource<Node>(context, { kind: "node", space, name }, precondition, {
    read: () => store.readNode(space, name),
    make: (seen, revision) => ({ ...spec, space, name, id: seen?.id ?? fresh(context), revision }),
    async prepare({ id }, seen) {
      if (!seen) await knownOutcome(store.enterNode({ space, name, id, atMs: context.now() }));
      return undefined;
    },
    put: (next, seen) => (seen ? store.changeNode(seen, next) : store.createNode(next)),
    announce: () => announced(context, space, name),
    effectiveMsMax: EFFECTIVE_MS_MAX,
  });
}

/**
 * Deletes a node if the precondition holds. Its host is no longer registered and has no labels, but keeps its blocks.
 */
export async function deleteNode(
  context: Context,
  space: string,
  name: string,
  precondition: Precondition,
): Promise<Written<undefined> | Rejection> {
  const { store } = context;
  return deleteResource<Node>({ kind: "node", space, name }, precondition, {
    read: () => store.readNode(space, name),
    async remove(seen) {
      const deleted = await store.deleteNode(seen);
      if (deleted.outcome === "done") await store.deleteNodeEntry("leave-node", seen);
      return deleted;
    },
    announce: () => announced(context, space, name),
  });
}

/** A request for a page of the nodes or namespaces of a space, by their names. */
export interface LabelledWanted extends PageWanted<string> {
  readonly space: string;
}

/** A request for a page of the nodes of a space. */
export interface NodesWanted extends LabelledWanted {
  /** Asks for what the cluster reports of each node too, which is another read for each. */
  readonly fields?: "status" | undefined;
}

/**
 * Returns a page of the nodes of a space, in the order of their names. The register says only which nodes may exist, so
 * each node is read.
 */
export async function listNodes(
  context: Context,
  { space, limit, after, fields }: NodesWanted,
): Promise<ListedPage<NodeWithHealth, string>> {
  const { store } = context;
  const { items, unreadable, next } = await store.listNodeEntries(space, { after, limit });
  const read = (name: string): Promise<NodeWithHealth | undefined> =>
    fields === "status" ? nodeWithHealth(context, space, name) : store.readNode(space, name);
  const nodes = await inParallel(items, PAGE_READS_AT_ONCE, ({ name }) => orCorrupt(read(name)));
  return {
    items: nodes.flatMap((node) => (node && !(node instanceof CorruptItemError) ? [node] : [])),
    // An unreadable node does not keep the others back.
    unreadable: [...unreadable, ...nodes.filter((node) => node instanceof CorruptItemError)],
    next,
  };
}

/**
 * Forgets the cached labels in this function, and returns when every other function uses the change. The
 * configuration's version does not change. Otherwise the registration of thousands of nodes would make every function
 * load the configuration anew.
 */
function announced(context: Context, space: string, name: string): number {
  forgetLabels(context, { space, host: hostId("host", name) });
  return context.now() + EFFECTIVE_MS_MAX;
}
