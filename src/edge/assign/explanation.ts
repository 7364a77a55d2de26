import type { Explanation } from "../../allocator/assign/explain.ts";
import type { Rejection } from "../../domain/outcome.ts";
import type { AnswerOf } from "../http/event.ts";

/** Returns the answer to a dry run of an assign. A rejection is part of it, because the dry run itself succeeded. */
export function explanationAnswer(
  { requested, rejection, messages, missing, families }: Explanation,
  requestId: string,
): AnswerOf<"POST /v1/assign"> & AnswerOf<"POST /v1/prefixes"> {
  return {
    status: 200,
    body: {
      requestId,
      dryRun: true,
      requested,
      ...(rejection && { rejection: rejectionOf(rejection) }),
      messages,
      missing,
      families: families.map(({ rejection, ...family }) => ({
        ...family,
        ...(rejection && { rejection: rejectionOf(rejection) }),
      })),
    },
  };
}

/** Returns the fields that the problem would have. */
const rejectionOf = ({ code, detail, members }: Rejection) => ({ code, detail, ...members });
