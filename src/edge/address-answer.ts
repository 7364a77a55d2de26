import type { AddressState } from "../allocator/read.ts";
import { formatTime } from "../domain/time.ts";
import type { Answer } from "./http.ts";

export function addressAnswer(address: AddressState, requestId: string): Answer {
  return { status: 200, body: { requestId, ...bodyOf(address) } };
}

/** A handle without addresses is not found, so there is a first one, and it names the handle. */
export function handleAnswer(addresses: readonly AddressState[], requestId: string): Answer {
  const handle = addresses[0]?.handle;
  return { status: 200, body: { requestId, handle, addresses: addresses.map(bodyOf) } };
}

/** Times in milliseconds become ISO 8601 under the name without the unit. */
function bodyOf({ assignedAtMs, availableAtMs, expiresAtMs, ...address }: AddressState) {
  return {
    ...address,
    ...(assignedAtMs !== undefined && { assignedAt: formatTime(assignedAtMs) }),
    ...(availableAtMs !== undefined && { availableAt: formatTime(availableAtMs) }),
    ...(expiresAtMs !== undefined && { expiresAt: formatTime(expiresAtMs) }),
  };
}
