import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { grantedUnderLimit } from "../../../kernel/assign/quota.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll, inParallel } from "../../../kernel/core/parallel.ts";
import { isBlockOf } from "../../../kernel/values/block-group.ts";
import { ciliumPoolHandle, ciliumPoolOfHandle } from "../../../kernel/values/handle.ts";
import { type Cidr, sameCidr } from "../../../net/cidr.ts";
import { assignsPrefixes } from "../../pool/pool.ts";
import { allocationsOnHost, blocksOnHost } from "../../prefix/operations/list-prefixes.ts";
import { type GrantedPrefix, prefixesOf } from "../../prefix/operations/node-prefix.ts";
import type { PoolPrefix } from "../multi-pool.ts";

/** A prefix that a node holds of one of Cilium's pools. */
export interface GrantedPoolPrefix extends PoolPrefix, Omit<GrantedPrefix, "pool"> {}

interface OfNode {
  readonly space: string;
  readonly node: string;
  readonly uid: string;
}

/**
 * Returns the prefixes that one incarnation of a node has of all of Cilium's pools, also of those that no object names any more.
 *
 * @param named the pools that are known, so that their prefixes are not looked for
 * @returns the prefixes; or `request_in_progress` if another request takes some
 */
export async function prefixesOfPools(
  context: Context,
  of: OfNode,
  named: Iterable<string>,
): Promise<readonly GrantedPoolPrefix[] | Rejection> {
  const known = new Set(named);
  const [blocks, prefixes] = await awaitAll(
    blocksOnHost(context, of),
    prefixesUnder(context, of, known),
  );
  if (prefixes instanceof Rejection) return prefixes;
  const others = blocks.filter((block) => !prefixes.some(({ cidr }) => sameCidr(cidr, block)));
  const found = await poolsOfBlocks(context, of, others);
  const more = await prefixesUnder(context, of, new Set(found.filter((pool) => !known.has(pool))));
  return more instanceof Rejection ? more : [...prefixes, ...more];
}

/** Returns the prefixes that a node has of one of Cilium's pools; or `request_in_progress`. */
export async function prefixesOfPool(
  context: Context,
  { space, node, uid }: OfNode,
  pool: string,
): Promise<readonly GrantedPoolPrefix[] | Rejection> {
  const handle = ciliumPoolHandle(node, uid, pool);
  const granted = await grantedUnderLimit(context, { space, handle });
  return granted instanceof Rejection
    ? granted
    : granted.flatMap(prefixesOf).map((prefix) => ({ ...prefix, pool }));
}

/** Returns Cilium's pools of which one incarnation of a node has a prefix. */
export const poolsOnHost = async (context: Context, of: OfNode): Promise<readonly string[]> =>
  poolsOfBlocks(context, of, await blocksOnHost(context, of));

async function poolsOfBlocks(
  context: Context,
  of: OfNode,
  blocks: readonly Cidr[],
): Promise<readonly string[]> {
  const { pools } = await configurationOf(context, of.space);
  const ofPrefixes = pools.filter(assignsPrefixes);
  const prefixes = blocks.filter((cidr) => ofPrefixes.some((pool) => isBlockOf(pool, cidr)));
  const allocations = await allocationsOnHost(context, of, prefixes);
  return allocations.flatMap(({ handle }) => {
    const owner = ciliumPoolOfHandle(handle);
    return owner?.node === of.node && owner.uid === of.uid ? [owner.pool] : [];
  });
}

async function prefixesUnder(
  context: Context,
  of: OfNode,
  pools: ReadonlySet<string>,
): Promise<readonly GrantedPoolPrefix[] | Rejection> {
  const found = await inParallel([...pools], PAGE_READS_AT_ONCE, (pool) =>
    prefixesOfPool(context, of, pool),
  );
  const rejection = found.find((each) => each instanceof Rejection);
  return rejection ?? found.flatMap((each) => (each instanceof Rejection ? [] : each));
}
