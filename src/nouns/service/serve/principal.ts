import { actorOf, type BodyOf, type Event } from "../../../api/http/event.ts";
import { EVERY_SPACE, type Grant } from "../../../contract/roles.ts";

/** The grant of a caller whom the gate of a local server has let in. */
const EVERYTHING: readonly Grant[] = [{ role: "operator", space: EVERY_SPACE }];

/** Returns who sends a request, and the grants by which it is decided. With IAM its policies decide, and Plat does not know them. */
export function principalAnswer(event: Event): BodyOf<"GET /principal"> {
  const { iam, tenant, grants } = event.requestContext.authorizer ?? {};
  const known = grants ?? (iam ? undefined : EVERYTHING);
  return {
    principal: actorOf(event).principal,
    ...(tenant?.name !== undefined && { tenant: tenant.name }),
    ...(known && { grants: known }),
  };
}
