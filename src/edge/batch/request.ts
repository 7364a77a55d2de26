import { totalOf } from "../../allocator/assign/assignment.ts";
import type { BatchItem, BatchResult } from "../../allocator/batch/batch.ts";
import { batchItem, batchList } from "../../contract/requests/batch.ts";
import {
  invalid,
  PROBLEMS,
  Problem,
  problemAnswer,
  problemOf,
} from "../../contract/schema/problem.ts";
import { checked } from "../../contract/schema/schema.ts";
import { BATCH_ADDRESSES_MAX } from "../../domain/limits.ts";
import { Rejection } from "../../domain/outcome.ts";
import { assignAnswer, readAssign } from "../assign/request.ts";
import { readJson } from "../http/body.ts";
import type { Answer, Event } from "../http/event.ts";
import { readSpace } from "../http/parameters.ts";
import { readRelease } from "../release/request.ts";

/** The requests of a batch, each as it was read, or why it cannot be served. */
export interface BatchRequest {
  readonly entries: readonly (BatchItem | Problem)[];
  /** The readable ones, in their order. */
  readonly items: readonly BatchItem[];
}

/** Reads a batch. Each request is read as if it had come alone, and a malformed one does not hinder the others. */
export function readBatch(event: Event): BatchRequest | Problem {
  const input = readJson(event, batchList);
  if (input instanceof Problem) return input;
  const space = readSpace(event);
  if (space instanceof Problem) return space;
  if (event.headers["idempotency-key"] !== undefined) return KEY_OF_BATCH;
  const entries = input.requests.map((entry) => readItem(event, space, entry));
  const items = entries.filter((entry): entry is BatchItem => !(entry instanceof Problem));
  const total = items.reduce((sum, item) => sum + addressesOf(item), 0);
  return total > BATCH_ADDRESSES_MAX ? tooMany(total) : { entries, items };
}

function readItem(event: Event, space: string, entry: unknown): BatchItem | Problem {
  const input = checked(batchItem, entry);
  if (input instanceof Problem) return input;
  const { assign, release } = input;
  if ((assign === undefined) === (release === undefined)) return ONE_OF_BOTH;
  // The key as it was sent, because it is read as the header of a request that comes alone.
  const { idempotencyKey: key } = entry as { readonly idempotencyKey?: string };
  if (assign) return readAssignItem(alone(event, assign, key));
  return key === undefined ? readReleaseItem(alone(event, release), space) : KEY_OF_RELEASE;
}

/** Returns the event of a request of a batch as if it had come alone. */
const alone = (event: Event, body: unknown, key?: string): Event => ({
  ...event,
  headers: { ...event.headers, ...(key !== undefined && { "idempotency-key": key }) },
  body: JSON.stringify(body),
  isBase64Encoded: false,
});

function readAssignItem(event: Event): BatchItem | Problem {
  const read = readAssign(event, () => "");
  if (read instanceof Problem) return read;
  const { dryRun, ...request } = read;
  if (dryRun) return DRY_RUN_IN_BATCH;
  return request.keyId === undefined ? KEYLESS : { kind: "assign", request };
}

function readReleaseItem(event: Event, space: string): BatchItem | Problem {
  const read = readRelease(event);
  if (read instanceof Problem) return read;
  return "entries" in read
    ? { kind: "release", space, entries: read.entries, keep: read.keep }
    : ADDRESSES_ONLY;
}

const addressesOf = (item: BatchItem): number =>
  item.kind === "assign" ? totalOf(item.request.wanted) : item.entries.length;

/** The problems of one request of a batch. */
const ONE_OF_BOTH = invalid({
  field: "assign",
  problem: "or release is required, and only one of them",
});
const KEY_OF_RELEASE = invalid({
  field: "idempotencyKey",
  problem: "is for an assign: the generations of its addresses make a release safe to repeat",
});
const DRY_RUN_IN_BATCH = invalid({
  field: "dryRun",
  value: true,
  problem: "is not for a batch: POST /v1/assign takes it",
});
/** An assign needs a key, so that its batch can be sent again and nothing is assigned twice. */
const KEYLESS = invalid({
  field: "idempotencyKey",
  problem:
    "is required: a text that is new for each assign, and the same when its batch is sent again",
});
const ADDRESSES_ONLY = invalid({
  field: "addresses",
  problem:
    "is required: a batch releases single addresses. POST /v1/release takes a handle, a host or a workload",
});

/** The problems of a batch. */
const KEY_OF_BATCH = invalid({
  field: "Idempotency-Key",
  problem: "is not for a batch: each of its assigns has an idempotencyKey of its own",
});
const tooMany = (total: number): Problem =>
  invalid({
    field: "requests",
    value: total,
    problem: `must ask for and release at most ${BATCH_ADDRESSES_MAX} addresses together; send several batches`,
  });

export function batchAnswer(
  results: readonly BatchResult[],
  requestId: string,
  { entries }: BatchRequest,
): Answer {
  const served = results.values();
  const answers = entries.map((entry) =>
    entry instanceof Problem ? entry : answerOf(served.next().value, requestId),
  );
  return {
    status: 200,
    body: {
      requestId,
      results: answers.map((answer, index) => ({ index, ...resultBody(answer, requestId) })),
      complete: answers.every(isFinal),
    },
  };
}

type ItemAnswer = Problem | { readonly assigned: Answer } | { readonly released: Answer };

function answerOf(result: BatchResult | undefined, requestId: string): ItemAnswer {
  if (result?.kind === "assigned")
    return result.answer instanceof Rejection
      ? problemOf(result.answer)
      : { assigned: assignAnswer(result.answer, requestId) };
  if (result?.kind === "released")
    return { released: { status: 200, body: { requestId, ...result.answer } } };
  return result?.kind === "failed" ? problemOf(result.error) : UNFINISHED;
}

function resultBody(answer: ItemAnswer, requestId: string) {
  if (answer instanceof Problem) {
    const { status, body } = problemAnswer(answer, requestId);
    return { status, problem: body };
  }
  return "assigned" in answer
    ? { status: answer.assigned.status, assigned: answer.assigned.body }
    : { status: answer.released.status, released: answer.released.body };
}

/** Returns false for an answer that another try of the same request may change. */
function isFinal(answer: ItemAnswer): boolean {
  if (answer instanceof Problem) {
    const { code, members } = answer;
    return !(members.retryable ?? PROBLEMS[code].retryable ?? false);
  }
  return !("released" in answer) || (answer.released.body as { complete: boolean }).complete;
}

const UNFINISHED = new Problem(
  "unavailable",
  "There was no time for this request of the batch: send the batch again.",
);
