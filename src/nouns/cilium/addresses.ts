import { type Address, type Family, formatAddress } from "../../net/address.ts";
import { parsePlainAddress } from "../../net/plain-form.ts";
import type { CiliumAddress, CiliumObject } from "./object.ts";

/** The addresses that a CiliumNode names in mode `crd`, each by its canonical text. Keys that are no addresses are left out. */
export interface CiliumAddresses {
  /** `spec.ipam.pool`: the addresses that the node may use. */
  readonly pool: ReadonlyMap<string, CiliumAddress>;
  /** `status.ipam.used`. */
  readonly used: ReadonlyMap<string, CiliumAddress>;
  /** `status.ipam.release-ips`: the state of the handshake. */
  readonly releaseIps: ReadonlyMap<string, string>;
}

/** Reads the addresses of a CiliumNode. */
export const ciliumAddressesOf = ({ ipam, status }: CiliumObject): CiliumAddresses => ({
  pool: byAddress(ipam.pool),
  used: byAddress(status.ipam?.used),
  releaseIps: byAddress(status.ipam?.["release-ips"]),
});

/** Returns the family of the text of an address. */
export const familyOf = (text: string): Family => (text.includes(":") ? 6 : 4);

/** Returns the addresses of some canonical texts. */
export const addressesByText = (texts: Iterable<string>): ReadonlyMap<string, Address> =>
  new Map([...texts].flatMap((text) => read(text).map((address) => [text, address])));

const byAddress = <T>(named: Readonly<Record<string, T>> = {}): ReadonlyMap<string, T> =>
  new Map(
    Object.entries(named).flatMap(([key, value]) =>
      read(key).map((address) => [formatAddress(address), value]),
    ),
  );

function read(text: string): readonly Address[] {
  const address = parsePlainAddress(text);
  return address.ok ? [address.value] : [];
}
