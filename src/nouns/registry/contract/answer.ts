import * as v from "valibot";
import { ignored, next, unreadableItems, written } from "../../../api/answer-parts.ts";
import { type AnswerField, schemasOf, telling, told } from "../../../api/noun.ts";
import type { DefaultPoolNames } from "../../../api/schema/pool-names.ts";
import type { Family } from "../../../net/address.ts";
import type { Namespace } from "../../namespace/namespace.ts";
import { nodeStatus } from "../../node/contract/answer.ts";
import type { Node } from "../../node/node.ts";

const labelled = telling<Pick<Node | Namespace, "name" | "labels">>();

/** The fields of a node, beside its status. */
const NODE = {
  name: labelled(v.string(), ({ name }) => name),
  labels: labelled(v.record(v.string(), v.string()), ({ labels }) => labels),
} satisfies Readonly<Record<Exclude<keyof Node, "space" | "id" | "revision">, AnswerField<Node>>>;

const tell = telling<Namespace>();
const pools = v.optional(v.array(v.string()));

/** Returns the default pools of one family, if each family has its own. */
const poolsOf = ({ defaultPools = [] }: Namespace, family: Family) => {
  const own = "length" in defaultPools ? [] : defaultPools[family];
  return own.length > 0 ? own : undefined;
};

/** The fields of a namespace. Its default pools are one list, or one for each family. */
const NAMESPACE = {
  name: NODE.name,
  labels: NODE.labels,
  defaultPools: tell(pools, ({ defaultPools }) =>
    defaultPools && "length" in defaultPools ? defaultPools : undefined,
  ),
  ipv4DefaultPools: tell(pools, (namespace) => poolsOf(namespace, 4)),
  ipv6DefaultPools: tell(pools, (namespace) => poolsOf(namespace, 6)),
} satisfies Readonly<
  Record<
    Exclude<keyof Namespace, "space" | "revision"> | keyof DefaultPoolNames,
    AnswerField<Namespace>
  >
>;

/** Returns a node as answers write it, without its status. */
export const nodeOf = (node: Node) => told(NODE, node);

/** Returns a namespace as answers write it. */
export const namespaceOf = (namespace: Namespace) => told(NAMESPACE, namespace);

const node = schemasOf(NODE);
const namespace = schemasOf(NAMESPACE);

export const labelledRead = v.strictObject(node);

/** A node by its name: its labels, and what the cluster reports of it. */
export const nodeRead = v.strictObject({
  ...labelledRead.entries,
  status: v.optional(nodeStatus),
});

export const nodesRead = v.strictObject({
  nodes: v.array(nodeRead),
  unreadable: unreadableItems,
  next,
});

export const namespaceRead = v.strictObject(namespace);

export const namespacesRead = v.strictObject({
  namespaces: v.array(namespaceRead),
  unreadable: unreadableItems,
  next,
});

export const labelledWritten = v.strictObject({ ...node, ...written, ignored });

export const namespaceWritten = v.strictObject({ ...namespace, ...written, ignored });

export const labelledDeleted = v.strictObject(written);
