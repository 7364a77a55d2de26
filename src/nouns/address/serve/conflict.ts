import { parseBody } from "../../../api/http/body.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseAddressPath } from "../../../api/http/parameters.ts";
import { formatTime } from "../../../base/time.ts";
import type { NamedAddress } from "../../../kernel/allocations/identify-address.ts";
import type { Quarantined } from "../../../kernel/release/report-conflict.ts";
import { conflictBody } from "../contract/conflict-request.ts";
import type { Lifted } from "../operations/lift-quarantine.ts";

/** Parses a report of a conflict: the address in the path, and the proof that it is the caller's. */
export function parseConflict(event: Event): {
  readonly space: string;
  readonly named: NamedAddress;
} {
  const input = parseBody(event, conflictBody);
  const path = parseAddressPath(event);
  const { handle, generation } = input;
  return {
    space: path.space,
    named: {
      address: path.address,
      ...(handle !== undefined && { handle }),
      ...(generation && { generation }),
    },
  };
}

export const conflictAnswer = (
  { address, quarantinedUntilMs }: Quarantined,
  requestId: string,
): AnswerOf<"POST /v1/addresses/{ip}/conflict"> => ({
  status: 200,
  body: { requestId, address, quarantinedUntil: formatTime(quarantinedUntilMs) },
});

export const liftedAnswer = (
  { address, availableAtMs }: Lifted,
  requestId: string,
): AnswerOf<"DELETE /v1/addresses/{ip}/conflict"> => ({
  status: 200,
  body: {
    requestId,
    address,
    ...(availableAtMs !== undefined && { availableAt: formatTime(availableAtMs) }),
  },
});
