import type { AnswerOf } from "../../../api/http/event.ts";
import { PROBLEMS, Problem, problemAnswer, problemOf } from "../../../api/schema/problem.ts";
import { cut } from "../../../api/schema/schema.ts";
import { Rejection } from "../../../base/outcome.ts";
import type { BatchResult } from "../../../kernel/batch/batch.ts";
import type { AddressesReleased } from "../../../kernel/release/release-addresses.ts";
import { assignmentBody } from "./assign.ts";
import type { BatchRequest } from "./batch.ts";

/**
 * The bytes of all results in an answer as it is sent. A function can send 6,291,556 bytes, with the headers
 * (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
 */
const SENT_BYTES_MAX = 6_000_000;
/** The characters of a problem's `detail`, and of the messages of an assign, in an answer that would be too long. */
const TEXT_CHARACTERS_MAX = 240;
/** The bytes of a problem's lists and objects together in such an answer. */
const LISTS_BYTES_MAX = 600;

/** Answers each request of a batch, in their order. A function can send the answer: a long one is shortened. */
export const batchAnswer = (
  results: readonly BatchResult[],
  requestId: string,
  request: BatchRequest,
): AnswerOf<"POST /v1/batch"> => answeredIn(results, requestId, request, fitted);

/** Answers each request of a batch that a function makes for a request of its own, whole. */
export const wholeBatchAnswer = (
  results: readonly BatchResult[],
  requestId: string,
  request: BatchRequest,
): AnswerOf<"POST /v1/batch"> => answeredIn(results, requestId, request, (told) => told);

/** Answers each request, with results that are made to fit. */
function answeredIn(
  results: readonly BatchResult[],
  requestId: string,
  { entries, asLines }: BatchRequest,
  fitting: typeof fitted,
): AnswerOf<"POST /v1/batch"> {
  const served = results.values();
  const answered = entries.map(({ read, ...sent }, index) => ({
    sent: { index, ...sent },
    answer: read instanceof Problem ? read : answerOf(served.next().value, requestId),
  }));
  const told = fitting(
    answered.map(({ sent, answer }) => ({ ...sent, ...resultBody(answer, requestId) })),
  );
  if (asLines) return { status: 200, body: told, lines: true };
  const complete = answered.every(({ answer }) => isFinal(answer));
  return { status: 200, body: { requestId, results: told, complete } };
}

/** The body of one result, without what its sender finds it by. */
interface ResultBody {
  readonly status: number;
  readonly assigned?: ReturnType<typeof assignmentBody>;
  readonly released?: AddressesReleased & { readonly requestId: string };
  readonly problem?: ProblemBody;
}
type ProblemBody = ReturnType<typeof problemAnswer>["body"];

/**
 * Shortens results whose answer would be larger than a function can send. It shortens the reasons first, then leaves out
 * routes and labels, and never loses an address: nothing else tells the sender what its requests got.
 */
function fitted<Result extends ResultBody>(results: readonly Result[]): readonly Result[] {
  if (canSend(results)) return results;
  const brief = results.map(withBriefReasons);
  return canSend(brief) ? brief : brief.map(withoutLong);
}

/** Returns true if a function can send these results. Its answer is JSON with the body as a text, which may have twice as many bytes. */
const canSend = (results: readonly unknown[]): boolean =>
  2 * bytesOf(results) <= SENT_BYTES_MAX ||
  bytesOf(results.map((result) => JSON.stringify(result))) <= SENT_BYTES_MAX;

const bytesOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0);

function withBriefReasons<Result extends ResultBody>(result: Result): Result {
  const { assigned, problem } = result;
  if (problem) return { ...result, problem: briefly(problem) };
  if (!assigned) return result;
  const messages =
    assigned.messages.length > 0 ? [cut(assigned.messages.join(" "), TEXT_CHARACTERS_MAX)] : [];
  return { ...result, assigned: { ...assigned, messages } };
}

/**
 * Returns a problem with the start of its `detail`, which says so, and with as much of its lists and objects as there is
 * room for: the short ones whole, then the first entries of a longer list.
 */
function briefly({ detail, ...members }: ProblemBody): ProblemBody {
  let left = LISTS_BYTES_MAX;
  /** Takes the room of a value, if there is so much. */
  const takesRoom = (value: unknown) => {
    const bytes = bytesOf([value]);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  const briefOf = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || takesRoom(value)) return value;
    const first: unknown[] = [];
    for (const entry of Array.isArray(value) ? value : []) {
      if (!takesRoom(entry)) break;
      first.push(entry);
    }
    return first.length > 0 ? first : undefined;
  };
  const sized = Object.entries<unknown>(members).map(
    ([name, value]) => [bytesOf([[value]]), name, value] as const,
  );
  const kept = sized
    .toSorted(([a], [b]) => a - b)
    .map(([, name, value]) => [name, briefOf(value)] as const);
  const brief = Object.fromEntries(kept.filter(([, value]) => value !== undefined));
  const isWhole =
    detail.length <= TEXT_CHARACTERS_MAX && sized.every(([, name, value]) => brief[name] === value);
  return {
    ...(brief as Omit<ProblemBody, "detail">),
    detail: isWhole ? detail : `${cut(detail, TEXT_CHARACTERS_MAX)} ${CUT_SHORT}`,
  };
}

const CUT_SHORT =
  "The answer to the batch has no room for more; the request alone gets the whole reason.";

function withoutLong<Result extends ResultBody>(result: Result): Result {
  const { assigned } = result;
  if (!assigned?.addresses.some(({ routes, labels }) => routes ?? labels)) return result;
  const addresses = assigned.addresses.map(({ routes: _, labels: __, ...address }) => address);
  return {
    ...result,
    assigned: { ...assigned, addresses, messages: [...assigned.messages, LEFT_OUT] },
  };
}

const LEFT_OUT =
  "The answer has no routes and labels of pools, because the answer to the batch has too many addresses; a read of the handle has them.";

/** The answer to one request: why it failed, or the body that it would have had alone. */
type ItemAnswer =
  | Problem
  | { readonly assigned: ReturnType<typeof assignmentBody> }
  | { readonly released: AddressesReleased & { readonly requestId: string } };

function answerOf(result: BatchResult | undefined, requestId: string): ItemAnswer {
  if (result?.kind === "assigned")
    return result.answer instanceof Rejection
      ? problemOf(result.answer)
      : { assigned: assignmentBody(result.answer, requestId) };
  if (result?.kind === "released") return { released: { requestId, ...result.answer } };
  return result?.kind === "failed" ? problemOf(result.error) : UNFINISHED;
}

function resultBody(answer: ItemAnswer, requestId: string): ResultBody {
  if (!(answer instanceof Problem)) return { status: 200, ...answer };
  const { status, body } = problemAnswer(answer, requestId);
  return { status, problem: body };
}

/** Returns false for an answer that another try of the same request may change. */
function isFinal(answer: ItemAnswer): boolean {
  if (answer instanceof Problem) {
    const { code, members } = answer;
    return !(members.retryable ?? PROBLEMS[code].retryable ?? false);
  }
  return !("released" in answer) || answer.released.complete;
}

const UNFINISHED = new Problem(
  "unavailable",
  "There was no time for this request of the batch: send the batch again.",
);
