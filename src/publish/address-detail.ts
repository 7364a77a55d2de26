import { formatTime } from "../base/time.ts";
import { type Allocation, type Part, poolOfPart } from "../kernel/values/allocation.ts";
import type { Block } from "../kernel/values/block.ts";
import { type Address, formatAddress } from "../net/address.ts";
import { addressAt, formatCidr } from "../net/cidr.ts";
import { ownerOf } from "../nouns/address/operations/read-address.ts";
import type { Json } from "./json.ts";

/** The fields of an event about an address and its owner, under the names that the API has for them. */
export type AddressDetail = Readonly<Record<string, Json>> & {
  /** The address; in an event of a prefix, the prefix. */
  readonly address: string;
};

/** Returns the place of a slot: what its block tells of it. */
export function addressDetailOf(
  block: Pick<Block, "cidr" | "pool" | "whole">,
  ordinal: number,
): AddressDetail {
  const address = addressAt(block.cidr, ordinal);
  const cidr = formatCidr(block.cidr);
  return {
    address: block.whole ? cidr : formatAddress(address),
    family: address.family,
    ...(!block.whole && { block: cidr }),
    pool: block.pool,
  };
}

/** Returns the fields of a map as its JSON has them: those that are undefined are left out. */
function told(map: object): Readonly<Record<string, Json>> {
  const fields: Record<string, Json> = {};
  for (const [name, value] of Object.entries(map))
    if (value !== undefined) fields[name] = isMap(value) ? told(value) : value;
  return fields;
}

const isMap = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns what an allocation tells of one of its addresses, and of its owner. */
export function ownedDetail(
  { allocation, part }: { readonly allocation: Allocation; readonly part: Part },
  block: Pick<Block, "cidr" | "pool" | "whole" | "host">,
  ordinal: number,
): AddressDetail {
  const address: Address = addressAt(block.cidr, ordinal);
  const {
    state: _,
    prefix: __,
    assignedAtMs,
    expiresAtMs,
    ...owner
  } = ownerOf({ allocation, part }, address, block);
  return {
    ...addressDetailOf(block, ordinal),
    pool: poolOfPart(part, block),
    ...told(owner),
    assignedAt: formatTime(assignedAtMs),
    ...(expiresAtMs !== undefined && { expiresAt: formatTime(expiresAtMs) }),
  };
}
