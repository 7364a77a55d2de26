import { Rejection } from "../src/base/outcome.ts";
import type { Context } from "../src/kernel/core/context.ts";
import type { CiliumGrant } from "../src/nouns/cilium/operations/mode.ts";
import { releaseCiliumNode } from "../src/nouns/cilium/operations/release-cilium-node.ts";
import {
  addressesShown,
  type Pools,
  poolsRequested,
  type Said,
  type ShownAddresses,
  tryPutCilium,
} from "./cilium-requests.ts";
import { stoppedBefore } from "./simulation/crash-points.ts";
import { contextOver, SPACE, type World } from "./world.ts";

/** CiliumNodes in a world of a test. */

/** PUTs a CiliumNode that is granted something. */
async function putCilium(context: Context, node: string, said: Said = {}): Promise<CiliumGrant> {
  const grant = await tryPutCilium(context, node, said);
  if (grant instanceof Rejection) throw new Error(`${grant.code}: ${grant.detail}`);
  return grant;
}

/** PUTs a CiliumNode that shows these prefixes, in mode `cluster-pool`. Returns those that it has. */
export async function showPrefixes(
  context: Context,
  node: string,
  podCIDRs: readonly string[] = [],
  said: Said = {},
): Promise<readonly string[]> {
  const object = { ipam: { podCIDRs }, status: {} };
  return (await putCilium(context, node, { object, ...said })).ipam.podCIDRs ?? [];
}

/** PUTs a CiliumNode that shows these addresses, in mode `crd`. Returns those that it has. */
export async function showAddresses(
  context: Context,
  node: string,
  version: number,
  shown: ShownAddresses = {},
): Promise<readonly string[]> {
  const { ipam } = await putCilium(context, node, addressesShown(version, shown));
  return Object.keys(ipam.pool ?? {});
}

/** Releases what a CiliumNode has. Returns it, or the rejection. */
export const tryEndCilium = (
  context: Context,
  node: string,
  uid = "a",
): Promise<readonly string[] | Rejection> =>
  releaseCiliumNode(context, { space: SPACE, node, uid });

/** Releases what a CiliumNode has. */
export async function endCilium(
  context: Context,
  node: string,
  uid = "a",
): Promise<readonly string[]> {
  const released = await tryEndCilium(context, node, uid);
  if (released instanceof Rejection) throw new Error(`${released.code}: ${released.detail}`);
  return released;
}

/** PUTs a CiliumNode with these pools, in mode `multi-pool`. Returns the prefixes that it has, by Cilium's pools. */
export async function putPools(
  context: Context,
  node: string,
  version: number,
  pools: Pools,
  uid = "a",
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { ipam } = await putCilium(context, node, { ...poolsRequested(version, pools), uid });
  const allocated = ipam.pools?.allocated ?? [];
  return Object.fromEntries(allocated.map(({ pool, cidrs = [] }) => [pool, cidrs]));
}

/** Begins a request, and stops it before a step. */
export async function stopped<T>(
  { table, clock }: World,
  at: string,
  request: (context: Context) => Promise<T>,
) {
  const late = stoppedBefore(table, (step) => step === at);
  const result = request(contextOver(late.table, clock, 2));
  await late.stops;
  return {
    goOn: () => {
      late.goOn();
      return result;
    },
  };
}
