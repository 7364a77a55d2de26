import type { AnswerOf } from "../../../api/http/event.ts";
import { PROBLEMS, Problem, problemAnswer, problemOf } from "../../../api/schema/problem.ts";
import { Rejection } from "../../../base/outcome.ts";
import type { BatchResult } from "../../../kernel/batch/batch.ts";
import type { AddressesReleased } from "../../../kernel/release/release-addresses.ts";
import { assignmentBody } from "./assign.ts";
import type { BatchRequest } from "./batch.ts";

/** Answers each request of a batch, in their order. */
export function batchAnswer(
  results: readonly BatchResult[],
  requestId: string,
  { entries, asLines }: BatchRequest,
): AnswerOf<"POST /v1/batch"> {
  const served = results.values();
  const answered = entries.map(({ read, ...sent }, index) => ({
    sent: { index, ...sent },
    answer: read instanceof Problem ? read : answerOf(served.next().value, requestId),
  }));
  const told = answered.map(({ sent, answer }) => ({ ...sent, ...resultBody(answer, requestId) }));
  if (asLines) return { status: 200, body: told, lines: true };
  const complete = answered.every(({ answer }) => isFinal(answer));
  return { status: 200, body: { requestId, results: told, complete } };
}

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

function resultBody(answer: ItemAnswer, requestId: string) {
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
