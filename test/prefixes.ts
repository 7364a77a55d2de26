import { Rejection } from "../src/base/outcome.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { formatCidr } from "../src/net/cidr.ts";
import { poolNameOf } from "../src/nouns/cilium/object.ts";
import { putPool } from "../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../src/nouns/pool/pool.ts";
import {
  ensurePrefixes,
  type NodePrefixes,
  type PrefixesWanted,
} from "../src/nouns/prefix/operations/ensure-prefixes.ts";
import { releaseByHandle } from "../src/nouns/prefix/operations/release-by-handle.ts";
import { releasePrefixes } from "../src/nouns/prefix/operations/release-prefixes.ts";
import { network } from "./builders.ts";
import { type NetworkAsked, networkRequest } from "./network-request.ts";
import { poolOf, SPACE } from "./world.ts";

/** Nodes and their prefixes, in a world of a test. */

export const CONFIRM_SECONDS = 60;

/** Returns a pool of prefixes of this length. */
export const prefixPool = (cidr: string, length: number): PoolSpec => ({
  ...poolOf(cidr, length),
  assign: "prefixes",
  allowedUses: [],
});

/** Adds a pool of four prefixes of each family. */
export async function putPrefixPools(context: Context): Promise<void> {
  await putPool(context, SPACE, "v4", prefixPool("10.64.0.0/22", 24), undefined);
  await putPool(context, SPACE, "v6", prefixPool("fd00:64::/62", 64), undefined);
}

/** Adds the pools of Cilium's pool mars: of two networks of IPv4, and one of IPv6. */
export async function putMars(context: Context): Promise<void> {
  for (const [cidr, length] of [
    ["10.65.0.0/26", 27],
    ["10.65.1.0/26", 27],
    ["fd00:65::/118", 120],
  ] as const) {
    const pool = { ...prefixPool(cidr, length), assignmentMode: "Manual" as const };
    await putPool(context, SPACE, poolNameOf("mars", cidr), pool, undefined);
  }
}

interface Said extends Partial<Pick<PrefixesWanted, "allocator" | "pools">> {
  readonly uid?: string;
  readonly podCidrs?: readonly string[];
  readonly aliases?: readonly string[];
}

/** Ensures that a node has its prefixes. */
export const tryEnsure = (
  context: Context,
  node: string,
  { uid = "a", podCidrs = [], aliases = [], ...said }: Said = {},
): Promise<NodePrefixes | Rejection> =>
  ensurePrefixes(context, {
    space: SPACE,
    node,
    uid,
    allocator: "RangeAllocator",
    pools: [],
    confirmSeconds: CONFIRM_SECONDS,
    ...said,
    podCidrs: podCidrs.map(network),
    aliases: aliases.map(network),
  });

/** Returns the prefixes that a node has after a request. */
export async function ensure(
  context: Context,
  node: string,
  said: Said = {},
): Promise<readonly string[]> {
  const answer = await tryEnsure(context, node, said);
  if (answer instanceof Rejection) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer.prefixes.map(({ cidr }) => formatCidr(cidr));
}

/** Releases the prefixes of a node, or one of them. */
export async function free(
  context: Context,
  node: string,
  { uid = "a", cidr }: { readonly uid?: string; readonly cidr?: string } = {},
): Promise<readonly string[]> {
  const named = { space: SPACE, node, uid, ...(cidr !== undefined && { cidr: network(cidr) }) };
  const released = await releasePrefixes(context, named);
  if (released instanceof Rejection) throw new Error(`${released.code}: ${released.detail}`);
  return released.map(formatCidr);
}

/** Assigns a prefix to a handle, and returns it. */
export async function assignNetwork(
  context: Context,
  named: string,
  asked: NetworkAsked = {},
): Promise<string> {
  const answer = await assign(context, networkRequest(named, asked));
  if (answer instanceof Rejection) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer.addresses[0]?.block ?? "";
}

/** Releases the prefixes of a handle. */
export async function freeNetworks(context: Context, handle: string): Promise<readonly string[]> {
  const released = await releaseByHandle(context, { space: SPACE, handle });
  if (released instanceof Rejection) throw new Error(`${released.code}: ${released.detail}`);
  return released.released.map(formatCidr);
}
