import type { Allocation } from "../../../kernel/values/allocation.ts";
import type { HostId } from "../../../kernel/values/host.ts";
import { isOwnedBy } from "../../../kernel/values/owner.ts";
import { type Cidr, intervalOf, overlaps } from "../../../net/cidr.ts";
import type { AddressState } from "./read-address.ts";

/** The conditions of a search. An address meets all of them, and an absent one excludes none. */
export interface AddressFilter {
  readonly pool?: string | undefined;
  /** The host that uses the address. One that an instance keeps has none. */
  readonly host?: HostId | undefined;
  readonly handle?: string | undefined;
  /** The name of an active or alternate owner, with or without its namespace. */
  readonly owner?: string | undefined;
  /** Values of attributes by their names, all of which the address has. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly state?: AddressState["state"] | undefined;
  /** The network that the address is in, or that its prefix shares addresses with. */
  readonly cidr?: Cidr | undefined;
}

/** An address that a search looks at. */
export interface SearchedAddress {
  readonly state: AddressState;
  /** The address alone, or the prefix that it stands for. */
  readonly network: Cidr;
  /** Absent if no host uses it. */
  readonly host: HostId | undefined;
}

/** Returns true if an address meets all conditions of a filter but that on its handle. */
export function passes(
  { pool, host, owner, attributes, state, cidr }: AddressFilter,
  candidate: SearchedAddress,
): boolean {
  const { attributes: has = {}, owner: owners = {}, ...address } = candidate.state;
  return (
    (pool === undefined || address.pool === pool) &&
    (host === undefined || candidate.host === host) &&
    (state === undefined || address.state === state) &&
    (!cidr || overlaps(intervalOf(cidr), intervalOf(candidate.network))) &&
    (owner === undefined || isOwnedBy(owners, owner)) &&
    Object.entries(attributes).every(([key, value]) => has[key] === value)
  );
}

/** Returns the host that uses the address of an allocation; nothing if an instance keeps it. */
export const hostOf = ({ state, host }: Pick<Allocation, "state" | "host">): HostId | undefined =>
  state === "kept" ? undefined : host;
