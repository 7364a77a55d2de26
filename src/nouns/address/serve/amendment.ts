import { parseBody } from "../../../api/http/body.ts";
import {
  type AnswerOf,
  type BodyOf,
  type Event,
  type Teller,
  timed,
  withTenant,
} from "../../../api/http/event.ts";
import { parseAddressPath } from "../../../api/http/parameters.ts";
import { amendmentBody } from "../contract/amendment-request.ts";
import type { Amended, Amendment } from "../operations/amend-address.ts";

/** Parses the change to the address in the path, and the proof that the address is the caller's. */
export function parseAmendment(event: Event): {
  readonly space: string;
  readonly amendment: Amendment;
} {
  const input = parseBody(event, amendmentBody);
  const path = parseAddressPath(event);
  const { handle, generation, leaseSeconds, owner, expectedOwner } = input;
  for (const side of ["active", "alternate"] as const)
    withTenant(event, owner?.[side] ?? {}, `owner.${side}.tenant`);
  return {
    space: path.space,
    amendment: {
      address: path.address,
      ...(handle !== undefined && { handle }),
      ...(generation && { generation }),
      ...(leaseSeconds !== undefined && { leaseSeconds }),
      ...(owner && { owner: sidesOf(owner) }),
      ...(expectedOwner && { expectedOwner: sidesOf(expectedOwner) }),
    },
  };
}

/** Returns the owners (`active`, `alternate`) that the request names. */
function sidesOf<T>({
  active,
  alternate,
}: {
  readonly active?: T | undefined;
  readonly alternate?: T | undefined;
}) {
  return {
    ...(active !== undefined && { active }),
    ...(alternate !== undefined && { alternate }),
  };
}

const told: Teller<BodyOf<"PATCH /v1/addresses/{ip}">> = timed;

export const amendmentAnswer = (
  amended: Amended,
  requestId: string,
): AnswerOf<"PATCH /v1/addresses/{ip}"> => ({ status: 200, body: told({ requestId, ...amended }) });
