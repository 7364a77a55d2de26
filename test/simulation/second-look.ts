import { Rejection, type RejectionCode } from "../../src/base/outcome.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { type Store, withCalls } from "../../src/kernel/core/store.ts";
import { type Cidr, intervalOf, overlaps } from "../../src/net/cidr.ts";

const FOR_WANT_OF_ROOM: readonly RejectionCode[] = ["pool_exhausted", "block_limit"];

interface Judging {
  /** The CIDR of the ranged pools, if there are any. Their blocks have no host. */
  readonly shared: Cidr | undefined;
  violate(violation: Violation): void;
}

/**
 * Assigns, and checks a rejection for want of room. A request that freed the addresses of its own
 * earlier execution must read the host's blocks again before it rejects, or those of the ranged pools.
 * The freed room may be enough (I8).
 */
export async function assignJudged(
  context: Context,
  request: AssignRequest,
  { shared, violate }: Judging,
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
  const scanGroup: Store["scanGroup"] = (space, group, options) => {
    if (shared && overlaps(intervalOf(shared), intervalOf(group))) gaveBack = false;
    return context.store.scanGroup(space, group, options);
  };
  const answer = await assign(
    { ...context, store: withCalls(context.store, { changeAllocation, listPlaces, scanGroup }) },
    request,
  );
  if (answer instanceof Rejection && FOR_WANT_OF_ROOM.includes(answer.code) && gaveBack)
    violate({
      invariant: "I8",
      message: `${request.handle} was rejected (${answer.code}) for what its own earlier execution held`,
    });
  return answer;
}
