import type * as v from "valibot";
import { parseBody } from "../../../api/http/body.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseSpace } from "../../../api/http/parameters.ts";
import type { DryRun } from "../../../api/http/write.ts";
import { invalid, type Problem, problemOf } from "../../../api/schema/problem.ts";
import { checked } from "../../../api/schema/schema.ts";
import { nodePrefixOf } from "../../prefix/contract/node-prefix-answer.ts";
import { anyEvents, eventList, nodeListBody } from "../contract/events-request.ts";
import type { ClusterEvent } from "../node-health.ts";
import type { EventResult } from "../operations/apply-events.ts";
import type { CompleteList, NodesCompleted } from "../operations/complete-nodes.ts";
import { type ParsedEvent, parseEvent } from "./parse-event.ts";

/** Events of one request, with what each entry is. */
export interface EventsRequest {
  readonly space: string;
  /** The cluster whose events they are, if the request names it. */
  readonly cluster?: string;
  /** False if a node that states no prefixes gets none. */
  readonly assign: boolean;
  readonly entries: readonly ParsedEvent[];
  /** The events to apply, in the order of their entries. */
  readonly events: readonly ClusterEvent[];
}

/** Parses one event, or a list of them. A malformed entry does not hinder the others. */
export function parseEvents(event: Event): EventsRequest {
  const body = parseBody(event, anyEvents);
  const { events, cluster, assign } = listIn(body);
  const entries = events.map(parseEvent);
  return {
    space: parseSpace(event),
    ...(cluster !== undefined && { cluster }),
    assign,
    entries,
    events: entries.flatMap((one) => ("event" in one ? [one.event] : [])),
  };
}

function listIn(body: Readonly<Record<string, unknown>>): v.InferOutput<typeof eventList> {
  if (Object.hasOwn(body, "object") || Object.hasOwn(body, "detail-type"))
    return checked(eventList, { ...besides(body), events: [body] });
  if (Object.hasOwn(body, "events")) return checked(eventList, body);
  const problem =
    "is required, or in its place type and object of a watch event, or an event of EventBridge";
  throw invalid({ field: "events", problem });
}

/** Returns what a request says of one event, beside its own fields. */
const besides = ({ cluster, assign }: Readonly<Record<string, unknown>>) => ({
  ...(cluster !== undefined && { cluster }),
  ...(assign !== undefined && { assign }),
});

export function eventResultsAnswer(
  results: readonly EventResult[],
  requestId: string,
  { entries }: EventsRequest,
): AnswerOf<"POST /v1/events"> {
  const applied = results.values();
  return {
    status: 200,
    body: {
      requestId,
      results: entries.map(({ kind, name, ...entry }, index) => ({
        index,
        kind,
        name,
        ...("event" in entry ? resultBody(applied.next().value) : entryBody(entry)),
      })),
    },
  };
}

function resultBody(result: EventResult | undefined) {
  const { status = "failed", failure, rejection = failure, prefixes, patch } = result ?? {};
  return {
    status,
    ...(rejection !== undefined && reasonOf(rejection)),
    ...(prefixes && { podCIDRs: prefixes.map(nodePrefixOf) }),
    ...(patch && { patch }),
  };
}

const entryBody = (entry: { ignored: true } | { rejected: Problem }) =>
  "rejected" in entry
    ? { status: "rejected" as const, ...reasonOf(entry.rejected) }
    : { status: "ignored" as const };

function reasonOf(failure: unknown) {
  const { code, detail } = problemOf(failure);
  return { code, detail };
}

/** Parses the complete list of the nodes of a cluster. */
export function parseNodeList(event: Event): CompleteList & DryRun {
  const { nodes, dryRun, ...list } = parseBody(event, nodeListBody);
  return {
    ...list,
    dryRun,
    space: parseSpace(event),
    nodes: nodes.map(({ name, uid, podCIDRs }) => ({ name, uid, podCidrs: podCIDRs })),
  };
}

export const nodesCompletedAnswer = (
  completed: NodesCompleted,
  requestId: string,
  { dryRun }: DryRun,
): AnswerOf<"POST /v1/nodes/complete"> => ({
  status: 200,
  body: { requestId, ...completed, ...(dryRun && { dryRun }) },
});
