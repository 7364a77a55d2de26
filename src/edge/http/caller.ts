import { type Actor, UNKNOWN_CALLER } from "../../domain/actor.ts";
import type { Event } from "./event.ts";

/** Returns the principal that sent a request: the ARN of an IAM user or of a role's session. `npm start` knows no principals. */
export const principalOf = ({ requestContext }: Event): string | undefined =>
  requestContext.authorizer?.iam?.userArn;

/** Returns the principal as an allocation keeps it. */
export function assignedBy(event: Event): { readonly assignedBy?: string } {
  const principal = principalOf(event);
  return principal === undefined ? {} : { assignedBy: principal };
}

/** Returns who acts in a request, as the written items name it. */
export const actorOf = (event: Event): Actor => ({
  principal: principalOf(event) ?? UNKNOWN_CALLER,
  requestId: event.requestContext.requestId,
  sourceIp: event.requestContext.http.sourceIp,
});
