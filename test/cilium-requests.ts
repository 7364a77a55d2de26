import { SPACE_DEFAULT } from "../src/api/route.ts";
import type { Rejection } from "../src/base/outcome.ts";
import type { Context } from "../src/kernel/core/context.ts";
import type { CiliumGrant, CiliumRequest } from "../src/nouns/cilium/operations/mode.ts";
import { putCiliumNode } from "../src/nouns/cilium/operations/put-cilium-node.ts";

/** PUTs of CiliumNodes, for tests and programs. */

export type Said = Partial<CiliumRequest>;

/** Returns a PUT of a CiliumNode. */
const ciliumRequest = (node: string, said: Said = {}): CiliumRequest => ({
  space: SPACE_DEFAULT,
  node,
  uid: "a",
  resourceVersion: "1",
  mode: "cluster-pool",
  withdrawAfterSeconds: 60,
  object: { ipam: {}, status: {} },
  ...said,
});

/** PUTs a CiliumNode. Returns the grant, or the rejection. */
export const tryPutCilium = (
  context: Context,
  node: string,
  said: Said = {},
): Promise<CiliumGrant | Rejection> => putCiliumNode(context, ciliumRequest(node, said));

/** The addresses of a CiliumNode in mode `crd`, and what it asks for. */
export interface ShownAddresses {
  readonly pool?: readonly string[];
  readonly used?: readonly string[];
  readonly releaseIps?: Readonly<Record<string, string>>;
  /** The addresses that it keeps spare; by default one. */
  readonly spare?: number;
}

/** Returns a PUT in mode `crd` that shows these addresses, and gives back at once. */
export function addressesShown(version: number, shown: ShownAddresses = {}): Said {
  const { pool = [], used = [], releaseIps = {}, spare = 1 } = shown;
  const entries = (texts: readonly string[]) => Object.fromEntries(texts.map((text) => [text, {}]));
  return {
    mode: "crd",
    resourceVersion: `${version}`,
    releaseAfterSeconds: 0,
    withdrawAfterSeconds: 0,
    object: {
      ipam: { pool: entries(pool), "pre-allocate": spare },
      status: { ipam: { used: entries(used), "release-ips": releaseIps } },
    },
  };
}

export type Pools = NonNullable<CiliumRequest["object"]["ipam"]["pools"]>;

/** Returns a PUT of a CiliumNode with these pools, in mode `multi-pool`. */
export const poolsRequested = (version: number, pools: Pools): Said => ({
  mode: "multi-pool",
  resourceVersion: `${version}`,
  object: { ipam: { pools }, status: {} },
});
