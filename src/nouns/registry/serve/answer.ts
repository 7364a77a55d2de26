import * as v from "valibot";
import { openCursor, sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseNamed, parseQuery } from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { etagOf } from "../../../api/http/write.ts";
import { NAMESPACE, type NamePart, NODE } from "../../../api/names.ts";
import { hostText } from "../../../api/schema/field.ts";
import type { ListedPage } from "../../../base/listed.ts";
import type { Namespace } from "../../namespace/namespace.ts";
import type { NodeWithHealth } from "../../node/operations/read-node.ts";
import { namespaceOf, nodeOf } from "../contract/answer.ts";
import { labelledQuery, nodesQuery } from "../contract/request.ts";
import type { LabelledWanted } from "../operations/nodes.ts";

/**
 * The requests and answers of nodes and namespaces, the resources with labels. Nothing here reads YAML, which takes
 * time to load.
 */

export const nodeList = labelledList(NODE, "nodes", nodesQuery, nodeBody);
export const namespaceList = labelledList(
  NAMESPACE,
  "namespaces",
  labelledQuery,
  (namespace: Namespace) => namespaceOf(namespace),
);

/** Makes the readers of nodes or of namespaces, and the answer of their list. */
function labelledList<
  List extends "nodes" | "namespaces",
  Query extends typeof labelledQuery,
  Item,
  Body extends object,
>(of: NamePart, list: List, parameters: Query, bodyOf: (item: Item) => Body) {
  const listOf = ({ space }: { readonly space: string }) => [list, space];
  return {
    readOne: (event: Event) => parseNamed(event, of),

    /** Reads the requested page of the list. */
    read(event: Event) {
      const query = parseQuery(event, parameters);
      const { cursor, ...asked } = query;
      // A page can end with a name that was registered before Plat checked names for paths.
      const opened = openCursor(cursor, listOf(asked), v.object({ after: hostText }));
      return { ...asked, after: opened.position?.after };
    },

    answer(
      { items, unreadable, next }: ListedPage<Item, string>,
      _: string,
      wanted: LabelledWanted,
    ) {
      return {
        status: 200 as const,
        body: {
          ...({ [list]: items.map(bodyOf) } as Record<List, Body[]>),
          ...unreadableBody(unreadable),
          ...(next !== undefined && { next: sealCursor(listOf(wanted), { after: next }) }),
        },
      };
    },
  };
}

export function namespaceAnswer(namespace: Namespace): AnswerOf<"GET /v1/namespaces/{namespace}"> {
  return { status: 200, headers: etagOf(namespace), body: namespaceOf(namespace) };
}

/** Answers with a node. Its ETag is that of its labels, because a status has no version of its own. */
export function nodeAnswer(node: NodeWithHealth): AnswerOf<"GET /v1/nodes/{node}"> {
  return { status: 200, headers: etagOf(node), body: nodeBody(node) };
}

function nodeBody({ status, ...node }: NodeWithHealth) {
  return { ...nodeOf(node), ...(status && { status: statusBody(status) }) };
}

function statusBody({ report, health }: NonNullable<NodeWithHealth["status"]>) {
  const { lastSeenAtMs, ...judged } = health;
  return {
    uid: report.uid,
    resourceVersion: report.resourceVersion,
    ...(report.cluster !== undefined && { cluster: report.cluster }),
    zone: report.zone,
    podCIDRs: report.podCidrs,
    ...judged,
    lastSeenAt: new Date(lastSeenAtMs).toISOString(),
  };
}
