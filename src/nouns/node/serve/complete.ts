import { parseBody } from "../../../api/http/body.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseSpace } from "../../../api/http/parameters.ts";
import type { DryRun } from "../../../api/http/write.ts";
import { nodeListBody } from "../contract/events-request.ts";
import type { CompleteList, NodesCompleted } from "../operations/complete-nodes.ts";

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
