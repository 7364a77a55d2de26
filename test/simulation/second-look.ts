import { assign } from "../../src/allocator/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/allocator/assign/assignment.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import type { Store } from "../../src/allocator/core/store.ts";
import { Rejection, type RejectionCode } from "../../src/domain/outcome.ts";
import type { Violation } from "../../src/domain/violation.ts";

const FOR_WANT_OF_ROOM: readonly RejectionCode[] = ["pool_exhausted", "block_limit"];

/**
 * Assigns, and checks a rejection for want of room. A request that freed the addresses of its own
 * earlier execution must read the host's blocks again before it rejects. The freed room may be
 * enough (I8).
 */
export async function assignJudged(
  context: Context,
  request: AssignRequest,
  violate: (violation: Violation) => void,
): Promise<Assignment | Rejection> {
  let gaveBack = false;
  const changeAllocation: Store["changeAllocation"] = (step, ...change) => {
    if (step === "replay-abort") gaveBack = true;
    return context.store.changeAllocation(step, ...change);
  };
  const listPlaces: Store["listPlaces"] = (...of) => {
    gaveBack = false;
    return context.store.listPlaces(...of);
  };
  const answer = await assign(
    { ...context, store: { ...context.store, changeAllocation, listPlaces } },
    request,
  );
  if (answer instanceof Rejection && FOR_WANT_OF_ROOM.includes(answer.code) && gaveBack)
    violate({
      invariant: "I8",
      message: `${request.handle} was rejected (${answer.code}) for what its own earlier execution held`,
    });
  return answer;
}
