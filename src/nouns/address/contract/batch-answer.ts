import * as v from "valibot";
import { requestId } from "../../../api/answer-parts.ts";
import { problem } from "../../../api/problem-answer.ts";
import { assignment } from "./assignment-answer.ts";
import { addressesReleased } from "./release-answer.ts";

export const batchResult = v.strictObject({
  index: v.pipe(v.number(), v.integer(), v.description("The index of the request in the batch")),
  line: v.optional(
    v.pipe(v.number(), v.integer(), v.description("Its line in a body of NDJSON, from 1")),
  ),
  idempotencyKey: v.optional(
    v.pipe(v.string(), v.description("Its key, if it was sent with a valid one")),
  ),
  status: v.pipe(
    v.number(),
    v.integer(),
    v.description("The status that the request would have had if it had come alone"),
  ),
  assigned: v.optional(v.pipe(assignment, v.description("The answer of an assign that succeeded"))),
  released: v.optional(
    v.pipe(
      addressesReleased,
      v.description("The answer of a release, with a result for each address"),
    ),
  ),
  problem: v.optional(
    v.pipe(
      problem,
      v.description(
        "The reason why the request was rejected. In an answer that would be too long it is cut short, and `detail` says so",
      ),
    ),
  ),
});

export const batchDone = v.strictObject({
  requestId,
  results: v.pipe(v.array(batchResult), v.description("In the order of the requests")),
  complete: v.pipe(
    v.boolean(),
    v.description(
      "Whether each request has a final answer. If not, send the same batch again: requests that have one get the same",
    ),
  ),
});
