import { type Address, formatAddress, parseAddress } from "../net/address.ts";
import {
  currentOf,
  fieldsBody,
  HANDLE_FIELD,
  type HeldAddress,
  HOST_FIELD,
  NETBOX_HANDLES,
  NETBOX_HOST,
} from "./fields.ts";
import { addressId } from "./ids.ts";
import { type Network, networkWith } from "./networks.ts";
import { nestedVrf } from "./vrfs.ts";

/** The place of an address in the answers: its space, the networks of the space, and the URL of the dialect. */
export interface Around {
  readonly space: string;
  readonly networks: readonly Network[];
  readonly base: string;
}

/** Returns the states that NetBox knows as IP addresses. Nobody has the others. */
export const isAssigned = ({ state, prefix }: HeldAddress): boolean =>
  (state === "assigned" || state === "kept") && prefix === undefined;

/** The parts of an IP address of NetBox that filters look at. */
export interface AddressBody {
  readonly id: number;
  readonly address: string;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Returns the address itself. */
export function addressOf({ address }: HeldAddress): Address {
  const read = parseAddress(address);
  if (!read.ok) throw new Error(`${address} is no address`);
  return read.value;
}

/** Returns an IP address of NetBox; nothing if it has no id. */
export function addressBody(
  held: HeldAddress,
  { space, networks, base }: Around,
): AddressBody | undefined {
  const address = addressOf(held);
  const network = networkWith(networks, address);
  const id = network && addressId(space, network.cidr, address);
  if (!network || id === undefined) return undefined;
  const text = held.cidr ?? `${formatAddress(address)}/${network.cidr.prefix}`;
  const { handle = "", host = "", assignedAt = null } = held;
  const own = {
    ...(!handle.startsWith(NETBOX_HANDLES) && { [HANDLE_FIELD]: handle }),
    ...(host !== NETBOX_HOST && host !== "" && { [HOST_FIELD]: host }),
  };
  return {
    id,
    url: `${base}ipam/ip-addresses/${id}/`,
    display: text,
    family: { value: address.family, label: `IPv${address.family}` },
    address: text,
    vrf: nestedVrf(space, base),
    assigned_object_type: null,
    assigned_object_id: null,
    assigned_object: null,
    nat_inside: null,
    nat_outside: [],
    ...fieldsBody(currentOf(held), base, own),
    created: assignedAt,
    last_updated: assignedAt,
  };
}
