import type { AddressState } from "../../allocator/read/read-address.ts";
import type { HandlePosition } from "../../allocator/read/read-handle.ts";
import { formatAddress } from "../../domain/address.ts";
import { formatCidr } from "../../domain/cidr.ts";
import type { Page } from "../../domain/listed.ts";
import type { NetworkOfAddress } from "../../domain/pool-network.ts";
import { formatTime } from "../../domain/time.ts";
import { handleOf, positionBody } from "../handles/request.ts";
import { sealCursor } from "../http/cursor.ts";
import type { AnswerOf } from "../http/event.ts";

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

/** Returns the network of an address as answers write it; nothing if it is not known. */
export const addressNetwork = (address: string, network: NetworkOfAddress | undefined) =>
  network && {
    cidr: `${address}/${network.prefixLength}`,
    ...(network.gateway && { gateway: formatAddress(network.gateway) }),
    ...(network.routes && {
      routes: network.routes.map(({ dst, gw }) => ({
        dst: formatCidr(dst),
        gw: formatAddress(gw),
      })),
    }),
    ...(network.dns && { dns: network.dns.map(formatAddress) }),
    ...(network.domain !== undefined && { domain: network.domain }),
    ...(network.vlan !== undefined && { vlan: network.vlan }),
    ...(network.mtu !== undefined && { mtu: network.mtu }),
    ...(network.labels && { labels: network.labels }),
  };
