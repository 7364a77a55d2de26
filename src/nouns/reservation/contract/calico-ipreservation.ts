import { BITS, parseAddress } from "../../../net/address.ts";
import { cidrOf, formatCidr, parseCidr } from "../../../net/cidr.ts";
import { parsePlainInterval } from "../../../net/plain-form.ts";

/**
 * Returns the networks and the addresses of Calico's IPReservation, and the entries that are neither. Calico skips those, and
 * identifies a network by any address in it.
 *
 * @see https://docs.tigera.io/calico/latest/reference/resources/ipreservation
 */
export function calicoCidrs(entries: readonly string[]): {
  readonly cidrs: readonly string[];
  readonly skipped: readonly string[];
} {
  const cidrs: string[] = [];
  const skipped: string[] = [];
  for (const entry of entries) {
    const network = parsePlainInterval(networkOf(entry));
    if (network.ok && !entry.includes("-")) cidrs.push(network.value.text);
    else skipped.push(entry);
  }
  return { cidrs, skipped };
}

function networkOf(entry: string): string {
  const [, ip = "", digits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const address = parseAddress(ip);
  if (!address.ok || parseCidr(entry).ok) return entry;
  const { family } = address.value;
  return Number(digits) <= BITS[family] ? formatCidr(cidrOf(address.value, Number(digits))) : entry;
}
