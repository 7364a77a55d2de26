import { type AnswerOf, type BodyOf, type Teller, timed } from "../../../api/http/event.ts";
import type { Rejection } from "../../../base/outcome.ts";
import type { Explanation } from "../../../kernel/assign/explain.ts";

type Explained = Extract<BodyOf<"POST /v1/assign">, { readonly dryRun: true }>;
const told: Teller<Explained> = timed;
const toldFamily: Teller<Explained["families"][number]> = timed;

/** Returns the answer to a dry run of an assign. A rejection is part of it, because the dry run itself succeeded. */
export const explanationAnswer = (
  { rejection, families, ...explanation }: Explanation,
  requestId: string,
): AnswerOf<"POST /v1/assign"> & AnswerOf<"POST /v1/prefixes"> => ({
  status: 200,
  body: told({
    requestId,
    dryRun: true as const,
    ...explanation,
    ...rejectionBody(rejection),
    families: families.map(({ rejection, ...family }) =>
      toldFamily({ ...family, ...rejectionBody(rejection) }),
    ),
  }),
});

/** Returns the fields that the problem would have. */
const rejectionBody = (rejection: Rejection | undefined) =>
  rejection && {
    rejection: { code: rejection.code, detail: rejection.detail, ...rejection.members },
  };
