import * as v from "valibot";
import type { LabelledWanted } from "../../allocator/admin/nodes.ts";
import type { NodeWithHealth } from "../../allocator/nodes/read-node.ts";
import { NAMESPACE, type NamePart, NODE } from "../../contract/requests/names.ts";
import { labelledQuery } from "../../contract/requests/registry.ts";
import { hostText } from "../../contract/schema/field.ts";
import type { DefaultPoolNames } from "../../contract/schema/pool-names.ts";
import type { Labels } from "../../domain/labels.ts";
import type { ListedPage } from "../../domain/listed.ts";
import type { DefaultPools } from "../../domain/namespace.ts";
import { openCursor, sealCursor } from "../http/cursor.ts";
import type { AnswerOf, Event } from "../http/event.ts";
import { readNamed, readQuery } from "../http/parameters.ts";
import { unreadableBody } from "../http/unreadable.ts";
import { etagOf } from "../http/write-answer.ts";

/**
 * The requests and answers of nodes and namespaces, the resources with labels. Nothing here reads YAML, which takes
 * time to load.
 */

export interface Labelled {
  readonly name: string;
  readonly labels: Labels;
  readonly defaultPools?: DefaultPools;
  readonly revision: string;
}

export const nodeList = labelledList(NODE, "nodes");
export const namespaceList = labelledList(NAMESPACE, "namespaces");

/** Makes the readers of nodes or of namespaces, and the answer of their list. */
function labelledList<List extends "nodes" | "namespaces">(of: NamePart, list: List) {
  const listOf = ({ space }: { readonly space: string }) => [list, space];
  return {
    readOne: (event: Event) => readNamed(event, of),

    /** Reads the requested page of the list. */
    read(event: Event): LabelledWanted {
      const query = readQuery(event, labelledQuery);
      const { cursor, ...asked } = query;
      // A page can end with a name that was registered before Plat checked names for paths.
      const opened = openCursor(cursor, listOf(asked), v.object({ after: hostText }));
      return { ...asked, after: opened.position?.after };
    },

    answer(
      { items, unreadable, next }: ListedPage<Labelled, string>,
      _: string,
      wanted: LabelledWanted,
    ) {
      return {
        status: 200 as const,
        body: {
          ...({ [list]: items.map(labelledBody) } as Record<
            List,
            ReturnType<typeof labelledBody>[]
          >),
          ...unreadableBody(unreadable),
          ...(next !== undefined && { next: sealCursor(listOf(wanted), { after: next }) }),
        },
      };
    },
  };
}

export function labelledAnswer(labelled: Labelled): AnswerOf<"GET /v1/namespaces/{namespace}"> {
  return { status: 200, headers: etagOf(labelled), body: labelledBody(labelled) };
}

/** Answers with a node. Its ETag is that of its labels, because a status has no version of its own. */
export function nodeAnswer({ status, ...node }: NodeWithHealth): AnswerOf<"GET /v1/nodes/{node}"> {
  const answer = labelledAnswer(node);
  return status ? { ...answer, body: { ...answer.body, status: statusBody(status) } } : answer;
}

function statusBody({ report, health }: NonNullable<NodeWithHealth["status"]>) {
  const { lastSeenAtMs, ...judged } = health;
  return {
    uid: report.uid,
    resourceVersion: report.resourceVersion,
    zone: report.zone,
    podCIDRs: report.podCidrs,
    ...judged,
    lastSeenAt: new Date(lastSeenAtMs).toISOString(),
  };
}

export const labelledBody = ({ name, labels, defaultPools }: Labelled) => ({
  name,
  labels,
  ...(defaultPools && defaultPoolsBody(defaultPools)),
});

function defaultPoolsBody(pools: DefaultPools): Partial<DefaultPoolNames> {
  if ("length" in pools) return { defaultPools: pools };
  const { 4: ipv4DefaultPools, 6: ipv6DefaultPools } = pools;
  return {
    ...(ipv4DefaultPools.length > 0 && { ipv4DefaultPools }),
    ...(ipv6DefaultPools.length > 0 && { ipv6DefaultPools }),
  };
}
