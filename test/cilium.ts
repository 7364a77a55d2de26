import type { CiliumGrant, CiliumRequest } from "../src/allocator/cilium/mode.ts";
import { putCiliumNode } from "../src/allocator/cilium/put-cilium-node.ts";
import { releaseCiliumNode } from "../src/allocator/cilium/release-cilium-node.ts";
import type { Context } from "../src/allocator/core/context.ts";
import { Rejection } from "../src/domain/outcome.ts";
import { SPACE } from "./world.ts";

/** CiliumNodes in a world of a test. */

type Said = Partial<CiliumRequest>;

/** Returns a PUT of a CiliumNode. */
const ciliumRequest = (node: string, said: Said = {}): CiliumRequest => ({
  space: SPACE,
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

/** Releases what a CiliumNode has. */
export async function endCilium(
  context: Context,
  node: string,
  uid = "a",
): Promise<readonly string[]> {
  const released = await releaseCiliumNode(context, { space: SPACE, node, uid });
  if (released instanceof Rejection) throw new Error(`${released.code}: ${released.detail}`);
  return released;
}
