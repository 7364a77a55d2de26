import type { Explanation } from "../../allocator/assign/explain.ts";
import type { Refusal } from "../../domain/outcome.ts";
import type { Answer } from "../http/event.ts";

/** The answer to a dry run of an assign. A refusal is part of it: the question itself was answered. */
export function explanationAnswer(
  { requested, refusal, messages, missing, families }: Explanation,
  requestId: string,
): Answer {
  return {
    status: 200,
    body: {
      requestId,
      dryRun: true,
      requested,
      ...(refusal && { refusal: refusalOf(refusal) }),
      messages,
      missing,
      families: families.map(({ refusal, ...family }) => ({
        ...family,
        ...(refusal && { refusal: refusalOf(refusal) }),
      })),
    },
  };
}

/** The members that the problem would have. */
const refusalOf = ({ code, detail, members }: Refusal) => ({ code, detail, ...members });
