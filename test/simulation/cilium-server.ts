import type { CiliumObject } from "../../src/nouns/cilium/object.ts";

/** The fields of an object, and its version. */
export type Versioned<Fields extends object> = Fields & { readonly resourceVersion: number };

/**
 * An object as the API server of a cluster has it. A write names the version that its author read, and fails if the object has changed
 * since.
 */
export class ServedObject<Fields extends object> {
  current: Versioned<Fields>;

  constructor(fields: Fields) {
    this.current = { ...fields, resourceVersion: 1 };
  }

  /** Changes the object as it was read. Returns false if it has changed since. */
  patch(seen: Versioned<Fields>, change: Partial<Fields>): boolean {
    if (seen.resourceVersion !== this.current.resourceVersion) return false;
    this.current = { ...seen, ...change, resourceVersion: seen.resourceVersion + 1 };
    return true;
  }
}

/** The fields of a CiliumNode in mode `crd`. */
export interface AddressFields {
  readonly pool: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
  readonly releaseIps: ReadonlyMap<string, string>;
}

/** Returns the CiliumNode of a new node in mode `crd`. */
export const newAddressObject = () =>
  new ServedObject<AddressFields>({ pool: new Set(), used: new Set(), releaseIps: new Map() });

/** Returns the fields of the object that Plat reads. */
export const ciliumObjectOf = (
  { pool, used, releaseIps }: AddressFields,
  watermarks: CiliumObject["ipam"],
): CiliumObject => ({
  ipam: { ...watermarks, pool: Object.fromEntries([...pool].map((ip) => [ip, {}])) },
  status: {
    ipam: {
      used: Object.fromEntries([...used].map((ip) => [ip, { owner: "shop/pod" }])),
      "release-ips": Object.fromEntries(releaseIps),
    },
  },
});
