import { ALLOCATIONS_ENDED_AT_ONCE } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { endAllocation } from "../../../kernel/end/end.ts";
import { freePrefix } from "../../../kernel/end/free-named.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { formatAddress } from "../../../net/address.ts";
import { addressAt, type Cidr, distinctCidrs, sameCidr } from "../../../net/cidr.ts";
import { allocationsOfNode } from "./list-prefixes.ts";
import { unstate } from "./state-ranges.ts";
import { whyNotReleased } from "./why-not-released.ts";

/** The prefixes to release: one, or all of an incarnation of a node. */
export interface PrefixRelease {
  readonly space: string;
  readonly node: string;
  readonly uid: string;
  readonly cidr?: Cidr | undefined;
}

/**
 * Releases the prefixes of one incarnation of a node, or one of them, and what it states beside them. A repeat releases nothing.
 *
 * @returns the prefixes that this call released; or `generation_conflict` for a prefix of another owner, and `invalid_request` for a
 *   CIDR that is no prefix of a pool
 */
export async function releasePrefixes(
  context: Context,
  release: PrefixRelease,
): Promise<readonly Cidr[] | Rejection> {
  const { cidr } = release;
  const allocations = await allocationsOfNode(context, release);
  const unstated = await unstate(context, release, { by: ["node", "request"], cidr });
  if (!cidr) return distinctCidrs([...(await releaseAll(context, allocations)), ...unstated]);
  const freed = await releaseOne(context, allocations, cidr);
  if (freed instanceof Rejection) return freed;
  if (freed || unstated.length > 0) return [cidr];
  return (await whyNotReleased(context, release.space, cidr, "?cidr")) ?? [];
}

async function releaseAll(
  context: Context,
  allocations: readonly Allocation[],
): Promise<readonly Cidr[]> {
  const freed: string[] = [];
  await inParallel(allocations, ALLOCATIONS_ENDED_AT_ONCE, (allocation) =>
    endAllocation(context, allocation, { settles: true, freed }),
  );
  const prefixes = allocations.flatMap(({ parts }) => parts.map(({ block }) => block));
  return prefixes.filter((cidr) => freed.includes(formatAddress(addressAt(cidr, 0))));
}

/** Frees a prefix if one of the allocations holds it. @returns whether this call freed it */
async function releaseOne(
  context: Context,
  allocations: readonly Allocation[],
  cidr: Cidr,
): Promise<boolean | Rejection> {
  for (const allocation of allocations)
    for (const part of allocation.parts) {
      if (!sameCidr(part.block, cidr)) continue;
      const freed = await freePrefix(context, allocation, part);
      if (freed instanceof Rejection) return freed;
      if (freed.isFreed) return true;
    }
  return false;
}
