import type { AddressState } from "../../allocator/read/read-address.ts";
import type { HandlePosition } from "../../allocator/read/read-handle.ts";
import type { Page } from "../../domain/listed.ts";
import { formatTime } from "../../domain/time.ts";
import { handleOf, positionBody } from "../handles/request.ts";
import { sealCursor } from "../http/cursor.ts";
import type { AnswerOf } from "../http/event.ts";
import { addressNetwork } from "./network.ts";

export function addressAnswer(
  address: AddressState,
  requestId: string,
): AnswerOf<"GET /v1/addresses/{ip}"> {
  return { status: 200, body: { requestId, ...ownedBody(address) } };
}

export function handleAnswer(
  { items, next }: Page<AddressState, HandlePosition>,
  requestId: string,
  wanted: { readonly space: string; readonly handle: string },
): AnswerOf<"GET /v1/handles/{handle+}"> {
  return {
    status: 200,
    body: {
      requestId,
      handle: wanted.handle,
      addresses: items.map(ownedBody),
      ...(next && { next: sealCursor(handleOf(wanted), positionBody(next)) }),
    },
  };
}

/** Makes the body of an address with its network. */
export const ownedBody = ({ network, ...address }: AddressState) => ({
  ...addressBody(address),
  ...addressNetwork(address.address, network),
});

type Times = Pick<
  AddressState,
  "assignedAtMs" | "availableAtMs" | "expiresAtMs" | "quarantinedUntilMs"
>;

/** Makes the answer's body. A time in milliseconds becomes ISO 8601, under the name without the unit. */
export function addressBody<State extends Times>({
  assignedAtMs,
  availableAtMs,
  expiresAtMs,
  quarantinedUntilMs,
  ...address
}: State) {
  return {
    ...address,
    ...(assignedAtMs !== undefined && { assignedAt: formatTime(assignedAtMs) }),
    ...(availableAtMs !== undefined && { availableAt: formatTime(availableAtMs) }),
    ...(expiresAtMs !== undefined && { expiresAt: formatTime(expiresAtMs) }),
    ...(quarantinedUntilMs !== undefined && { quarantinedUntil: formatTime(quarantinedUntilMs) }),
  };
}
