import { sealCursor } from "../../../api/http/cursor.ts";
import { type AnswerOf, type BodyOf, type Teller, timed } from "../../../api/http/event.ts";
import type { Page } from "../../../base/listed.ts";
import { formatAddress } from "../../../net/address.ts";
import { formatCidr } from "../../../net/cidr.ts";
import type { NetworkOfAddress } from "../../pool/network.ts";
import type { AddressRead, AddressState } from "../operations/read-address.ts";
import type { HandlePosition } from "../operations/read-handle.ts";
import { handleOfCursor, positionBody } from "./handle.ts";

const toldAlone: Teller<BodyOf<"GET /v1/addresses/{ip}">> = timed;

export const addressAnswer = (
  { keptOut, ...address }: AddressRead,
  requestId: string,
): AnswerOf<"GET /v1/addresses/{ip}"> => ({
  status: 200,
  body: toldAlone({ requestId, ...ownedBody(address), ...(keptOut && { keptOut }) }),
});

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
      ...(next && { next: sealCursor(handleOfCursor(wanted), positionBody(next)) }),
    },
  };
}

const told: Teller<BodyOf<"GET /v1/handles/{handle+}">["addresses"][number]> = timed;

/** Makes the body of an address with its network. */
export const ownedBody = ({ network, ...address }: AddressState) =>
  told({ ...address, ...addressNetwork(address.address, network) });

/** Returns the network of an address as answers write it; nothing if it is not known. */
export const addressNetwork = (address: string, network: NetworkOfAddress | undefined) =>
  network && networkBody(address, network);

const networkBody = (
  address: string,
  { prefixLength, gateway, routes, dns, ...settings }: NetworkOfAddress,
) => ({
  cidr: `${address}/${prefixLength}`,
  ...(gateway && { gateway: formatAddress(gateway) }),
  ...(routes && {
    routes: routes.map(({ dst, gw }) => ({ dst: formatCidr(dst), gw: formatAddress(gw) })),
  }),
  ...(dns && { dns: dns.map(formatAddress) }),
  ...settings,
});
