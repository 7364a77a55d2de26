import type { Rejection } from "../../../base/outcome.ts";
import { walkPool } from "../../../kernel/blocks/walk-pool.ts";
import { notFound, pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Block } from "../../../kernel/values/block.ts";
import { hostReservedIn } from "../../../kernel/values/host.ts";
import { BITS } from "../../../net/address.ts";
import { sharedBy, subtract } from "../../../net/address-set.ts";
import { addressAt, type Cidr, type Interval, intervalOf, sizeOf } from "../../../net/cidr.ts";
import { slotsInUse } from "../../address/operations/slots-in-use.ts";
import { isForApplications } from "../application-pools.ts";
import { poolNamed, type SpaceConfiguration } from "../configuration.ts";
import { keptOutOf } from "../network.ts";
import { assignsPrefixes } from "../pool.ts";
import { addressSetOf, reservedFor } from "../set.ts";

/** The free addresses of a pool to return, of a part of it or of all. */
export interface FreeWanted {
  readonly space: string;
  readonly name: string;
  readonly limit: number;
  readonly within?: Interval | undefined;
}

/**
 * Returns the first free addresses of a pool in their order, strongly consistent, each as a network; of a pool of prefixes its first free
 * prefixes. A pool that serves nobody, or applications only, has none. If the time of a page is over, they are fewer than the pool has.
 */
export async function freeNetworks(
  context: Context,
  { space, name, limit, within }: FreeWanted,
): Promise<readonly Cidr[] | Rejection> {
  const configuration = await context.store.readSpace(space);
  const pool = poolNamed(configuration, name);
  if (!pool) return notFound(space, "pool", name);
  if (pool.disabled || pool.state !== "active" || isForApplications(pool)) return [];
  const { family } = pool.cidr;
  const prefix = assignsPrefixes(pool) ? pool.blockSize : BITS[family];
  const free = subtract(addressSetOf(pool), reservedFor(pool, configuration));
  const runs = within ? sharedBy(free, [within]) : free;
  const step = sizeOf({ family, base: 0n, prefix });
  const found: Cidr[] = [];
  const collect = (from: bigint, to: bigint, used: ReadonlySet<bigint>) => {
    for (const { first, last } of runs) {
      const end = last < to ? last : to;
      for (let base = first > from ? first : from; base <= end; base += step) {
        if (found.length === limit) return;
        if (!used.has(base)) found.push({ family, base, prefix });
      }
    }
  };
  const budget = pageBudget(context);
  let from = pool.cidr.base;
  for await (const { blocks, last } of walkPool(context, pool, undefined)) {
    budget.look();
    collect(
      from,
      last.value,
      new Set(blocks.flatMap((block) => usedIn(context, configuration, block, step))),
    );
    from = last.value + 1n;
    if (found.length === limit || budget.isSpent) return found;
  }
  collect(from, intervalOf(pool.cidr).last, new Set());
  return found;
}

/** Returns the first addresses that a subnet would assign which is made of an assigned prefix, where nobody has one yet. */
export async function freeInPrefix(
  context: Context,
  { space, cidr, limit }: { readonly cidr: Cidr } & Pick<FreeWanted, "space" | "limit">,
): Promise<readonly Cidr[]> {
  const { reserved } = await context.store.readSpace(space);
  const runs = subtract([intervalOf(cidr)], keptOutOf({ cidr, kind: "subnet" }), reserved);
  const { family } = cidr;
  const found: Cidr[] = [];
  for (const { first, last } of runs)
    for (let base = first; base <= last && found.length < limit; base += 1n)
      found.push({ family, base, prefix: BITS[family] });
  return found;
}

/** Returns the addresses of a block that nobody can get now, at most one in each step: all of one that cannot be read. */
function usedIn(
  context: Context,
  configuration: SpaceConfiguration,
  block: Block,
  step: bigint,
): readonly bigint[] {
  const ordinals = block.unreadable
    ? new Array(Number(sizeOf(block.cidr) / step)).keys()
    : [
        ...slotsInUse(context, configuration, block).map(({ ordinal }) => ordinal),
        ...hostReservedIn(block),
      ];
  return [...ordinals].map((ordinal) => addressAt(block.cidr, ordinal).value);
}
