import type { Context as LambdaContext, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { type Actor, platItself } from "../../base/actor.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { parseJson } from "../../base/json-text.ts";
import { BoundedWork } from "../../kernel/core/bounded-work.ts";
import type { Connect, Context } from "../../kernel/core/context.ts";
import { PROBE_SPACE } from "../../kernel/values/probe.ts";
import type { ClusterEvent } from "../../nouns/node/node-health.ts";
import {
  type EventResult,
  type EventScope,
  LATE,
} from "../../nouns/node/operations/apply-events.ts";
import { type ParsedEvent, parseEvent } from "../../nouns/node/serve/parse-event.ts";
import { logger } from "../http/logger.ts";
import { inPath, reservedSpace } from "../http/parameters.ts";
import { SPACE_DEFAULT } from "../route.ts";
import { spaceName } from "../schema/field.ts";
import { invalid, orProblem, Problem, type ProblemCode } from "../schema/problem.ts";
import { orFailed, type RunGuard, unlessFrozen } from "./scheduled-run.ts";

/** Applies events in a space, and returns their results in the same order. */
type Apply = (
  plat: Context,
  scope: EventScope,
  events: readonly ClusterEvent[],
) => Promise<readonly EventResult[]>;

/**
 * Makes the handler of the queue of events. Each message is one event. Its attribute `space` names the space; without it a watch event acts
 * in `default`, and the end of a machine in every space, because a rule of EventBridge sets no attributes.
 *
 * The answer names the messages that failed and those that are malformed. SQS delivers these again, and puts them among the dead
 * letters in the end. The others are done
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html). While the table is frozen all messages come again.
 * So do those of the spaces for which the time of the batch was too short: it is that of a request, whatever its messages.
 */
export function intake(
  { connect, guard }: { readonly connect: Connect; readonly guard?: RunGuard | undefined },
  apply: Apply,
) {
  return (
    event: SQSEvent,
    { awsRequestId = "intake" }: Partial<Pick<LambdaContext, "awsRequestId">> = {},
  ): Promise<SQSBatchResponse> =>
    orFailed({ requestId: awsRequestId }, async () => {
      const batch = connect({ actor: actorOf(awsRequestId), isAwaited: true });
      const work = new BoundedWork(batch.plat);
      const connected = (requestId: string) =>
        connect({ actor: actorOf(requestId), deadline: batch.deadline }).plat;
      const response = await unlessFrozen(guard, () => taken(connected, work, apply, event));
      return response ?? untaken(event);
    });
}

const actorOf = (requestId: string): Actor => ({ principal: platItself("intake"), requestId });

const untaken = ({ Records }: SQSEvent): SQSBatchResponse => ({
  batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
});

async function taken(
  connected: (requestId: string) => Context,
  work: BoundedWork,
  apply: Apply,
  { Records }: SQSEvent,
): Promise<SQSBatchResponse> {
  const messages = Records.map(messageOf);
  const counts = { applied: 0, stale: 0, ignored: 0, rejected: 0, failed: 0 };
  const again: string[] = [];
  const codes = new Set<ProblemCode>();
  let error: unknown;
  for (const ofScope of byScope(messages)) {
    const toApply = ofScope.flatMap(({ event, ...message }) => (event ? [{ event, message }] : []));
    const [first] = toApply;
    if (!first) continue;
    const events = toApply.map(({ event }) => event);
    const { id, scope } = first.message;
    const results = work.mayBegin() ? await apply(connected(id), scope, events) : [];
    for (const [n, { message }] of toApply.entries()) {
      const { status, failure } = results[n] ?? { status: "failed", failure: LATE };
      counts[status]++;
      if (status !== "failed") continue;
      again.push(message.id);
      error ??= failure;
    }
  }
  for (const { id, event, problem } of messages) {
    if (event) continue;
    counts[problem ? "rejected" : "ignored"]++;
    if (!problem) continue;
    again.push(id);
    codes.add(problem.code);
  }
  if (again.length === 0) logger.info("took in", counts);
  else
    logger.warn("took in", {
      ...counts,
      messageIds: again,
      ...(codes.size > 0 && { codes: [...codes] }),
      ...(error !== undefined && { error }),
    });
  return { batchItemFailures: again.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** A message: an event to apply, a malformed one with its problem, or one that nothing follows from. */
interface Message {
  readonly id: string;
  readonly scope: EventScope;
  readonly event?: ClusterEvent;
  readonly problem?: Problem;
}

function messageOf({ messageId: id, body, messageAttributes }: SQSRecord): Message {
  const named = messageAttributes.space?.stringValue;
  const space = orProblem(() => spaceOf(named));
  if (space instanceof Problem) return { id, scope: { space: SPACE_DEFAULT }, problem: space };
  const scope = { space, ...(named === undefined && { everySpace: true }) };
  const parsed = orProblem(() => parsedOf(body));
  if (parsed instanceof Problem) return { id, scope, problem: parsed };
  if ("rejected" in parsed) return { id, scope, problem: parsed.rejected };
  return { id, scope, ...("event" in parsed && { event: parsed.event }) };
}

function spaceOf(named: string | undefined): string {
  const space = named === undefined ? SPACE_DEFAULT : inPath("space", spaceName, named);
  if (space === PROBE_SPACE) throw reservedSpace();
  return space;
}

function parsedOf(body: string): ParsedEvent {
  try {
    return parseEvent(parseJson(body));
  } catch {
    throw invalid({ field: "body", problem: "must be the JSON of one event" });
  }
}

/** Returns the messages of each scope together, in their order. */
const byScope = (messages: readonly Message[]): readonly (readonly Message[])[] => [
  ...groupedBy(messages, ({ scope }) => JSON.stringify(scope)).values(),
];
