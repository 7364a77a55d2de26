import { BITS } from "../../domain/address.ts";
import { subtract } from "../../domain/address-set.ts";
import type { Block } from "../../domain/block.ts";
import { addressAt, type Cidr, intervalOf, sizeOf } from "../../domain/cidr.ts";
import { hostReservedIn } from "../../domain/host.ts";
import type { Rejection } from "../../domain/outcome.ts";
import { assignsPrefixes, poolNamed, type SpaceConfiguration } from "../../domain/pool.ts";
import { reservedFor, setOf } from "../../domain/pool-set.ts";
import { walkPool } from "../blocks/walk-pool.ts";
import type { Context } from "../core/context.ts";
import { notFound } from "../core/not-found.ts";
import { pageBudget } from "../core/page-budget.ts";
import { slotsInUse } from "./slots-in-use.ts";

/**
 * Returns the first free addresses of a pool in their order, strongly consistent, each as a network; of a pool of prefixes its first free
 * prefixes. A pool that serves nobody has none. If the time of a page is over, they are fewer than the pool has.
 */
export async function freeNetworks(
  context: Context,
  { space, name, limit }: { readonly space: string; readonly name: string; readonly limit: number },
): Promise<readonly Cidr[] | Rejection> {
  const configuration = await context.store.readSpace(space);
  const pool = poolNamed(configuration, name);
  if (!pool) return notFound(space, "pool", name);
  if (pool.disabled || pool.state !== "active") return [];
  const { family } = pool.cidr;
  const prefix = assignsPrefixes(pool) ? pool.blockSize : BITS[family];
  const runs = subtract(setOf(pool), reservedFor(pool, configuration));
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
