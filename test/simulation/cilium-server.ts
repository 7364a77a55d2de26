import type { CiliumObject } from "../../src/domain/cilium-object.ts";

/** The CiliumNode as the API server of a cluster has it. */
export interface ServedObject {
  readonly resourceVersion: number;
  readonly pool: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
  readonly releaseIps: ReadonlyMap<string, string>;
}

/**
 * The API server of a cluster, for one CiliumNode. A write names the version that its author read, and fails if the
 * object has changed since.
 */
export class CiliumServer {
  current: ServedObject = {
    resourceVersion: 1,
    pool: new Set(),
    used: new Set(),
    releaseIps: new Map(),
  };

  /** Changes the object as it was read. Returns false if it has changed since. */
  patch(seen: ServedObject, change: Partial<ServedObject>): boolean {
    if (seen.resourceVersion !== this.current.resourceVersion) return false;
    this.current = { ...seen, ...change, resourceVersion: seen.resourceVersion + 1 };
    return true;
  }
}

/** Returns the fields of the object that Plat reads. */
export const ciliumObjectOf = (
  { pool, used, releaseIps }: ServedObject,
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
