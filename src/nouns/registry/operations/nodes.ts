import { EFFECTIVE_MS_MAX, PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import type { ListedPage, PageWanted } from "../../../base/listed.ts";
import { CorruptItemError, orCorrupt, type Rejection } from "../../../base/outcome.ts";
import { same } from "../../../base/same.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { forgetLabels } from "../../../kernel/core/labels.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import {
  knownOutcome,
  type Precondition,
  unchanged,
  unmet,
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
  const resource = { kind: "node", name };
  return compareAndSwap<Written<Node> | Rejection>(`the node ${name}`, async () => {
    const seen = await store.readNode(space, name);
    const revision = seen?.revision;
    const { id = fresh(context) } = seen ?? {};
    const isSame = same(seen, { ...spec, space, name, id, revision });
    const wanted = { act: "change", precondition, isSame } as const;
    const rejection = unmet({ ...resource, revision }, wanted);
    if (rejection) return answer(rejection);
    if (seen && isSame) return answer(unchanged(context, seen, seen.revision, EFFECTIVE_MS_MAX));
    const node: Node = { ...spec, space, name, id, revision: fresh(context) };
    if (!seen) await knownOutcome(store.enterNode({ space, name, id, atMs: context.now() }));
    const put = await knownOutcome(seen ? store.changeNode(seen, node) : store.createNode(node));
    if (put.outcome === "lost") return RETRY;
    return answer({ value: node, created: !seen, effectiveAtMs: announced(context, space, name) });
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
  const resource = { kind: "node", name };
  return compareAndSwap<Written<undefined> | Rejection>(`the node ${name}`, async () => {
    const seen = await store.readNode(space, name);
    if (!seen) return answer(notFound(space, "node", name));
    const { revision } = seen;
    const rejection = unmet({ ...resource, revision }, { act: "delete", precondition });
    if (rejection) return answer(rejection);
    const deleted = await knownOutcome(store.deleteNode(seen));
    if (deleted.outcome === "lost") return RETRY;
    await store.deleteNodeEntry("leave-node", seen);
    return answer({
      value: undefined,
      created: false,
      effectiveAtMs: announced(context, space, name),
    });
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
