import { type Address, BITS, type Parsed, parsed, unreadable } from "../../net/address.ts";
import { parsePlainAddress } from "../../net/plain-form.ts";

/** An address as NetBox writes it. */
export interface NetboxAddress {
  readonly address: Address;
  /** Absent if the text has none. */
  readonly prefixLength?: number;
}

/** Reads `10.0.0.7/24`, or an address alone. */
export function parseNetboxAddress(text: string): Parsed<NetboxAddress> {
  const [host = "", length, ...rest] = text.split("/");
  const read = parsePlainAddress(host);
  if (!read.ok) return read;
  if (length === undefined) return parsed({ address: read.value });
  const prefixLength = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return rest.length === 0 && prefixLength <= BITS[read.value.family]
    ? parsed({ address: read.value, prefixLength })
    : unreadable("must be an address with a prefix length, such as 10.0.0.7/24");
}
