import type { Address } from "../domain/address.ts";
import { countWithin, formatCidr, intervalOf, sizeOf } from "../domain/cidr.ts";
import { Refusal } from "../domain/outcome.ts";
import { NO_USAGE, sumOf, type Usage, usageOf, usageOutsideBlocks } from "../domain/usage.ts";
import { notFound } from "./administration.ts";
import type { Context } from "./context.ts";
import { pageBudget } from "./page.ts";
import { slotRules } from "./pick.ts";
import { walkPool } from "./pool-walk.ts";

/** What is counted so far, and where counting goes on. */
export interface UtilizationPosition {
  /** The pool's id: a pool that was made anew under the name is counted anew. */
  readonly poolId: string;
  readonly after: Address;
  /** Of the blocks before: nothing of the space between them. */
  readonly sum: Usage;
  /** Addresses of these blocks that are in a reservation, whatever they are doing. */
  readonly reservedInBlocks: bigint;
}

export interface Utilization {
  readonly pool: string;
  readonly cidr: string;
  /** Of the blocks so far; of the whole pool, once `outside` is there. */
  readonly usage: Usage;
  /** The blocks of this page, in order of address. */
  readonly blocks: readonly ({ readonly cidr: string } & Usage)[];
  /** The part of the pool where no block stands; known when every block is counted. */
  readonly outside?: Usage;
  /** Where the next page goes on; absent when every block is counted. */
  readonly next?: UtilizationPosition;
}

/**
 * A page of what the addresses of a pool are doing, block by block, with the sums so far; the last page has the sums of the
 * whole pool, the space without blocks in it (as Calico counts). Overlapping reservations count once. Strongly consistent
 * block by block, but no snapshot of the pool.
 */
export async function utilization(
  context: Context,
  {
    space,
    name,
    position,
  }: {
    readonly space: string;
    readonly name: string;
    readonly position?: UtilizationPosition | undefined;
  },
): Promise<Utilization | Refusal> {
  const configuration = await context.store.readSpace(space);
  const pool = configuration.pools.find((each) => each.name === name);
  if (!pool) return notFound("pool", name);
  // Sums that are not of this pool would make nonsense of its own.
  if (position && (position.poolId !== pool.id || position.sum.capacity > sizeOf(pool.cidr)))
    return foreign(name);
  const rules = slotRules(context, configuration, pool);
  const blocks: ({ cidr: string } & Usage)[] = [];
  const budget = pageBudget(context);
  let sum = position?.sum ?? NO_USAGE;
  let reservedInBlocks = position?.reservedInBlocks ?? 0n;
  const told = { pool: name, cidr: formatCidr(pool.cidr), blocks };
  for await (const stretch of walkPool(context, pool, position?.after)) {
    for (const block of stretch.blocks) {
      const usage = usageOf(block, rules);
      sum = sumOf(sum, usage);
      reservedInBlocks += countWithin(intervalOf(block.cidr), rules.reserved);
      blocks.push({ cidr: formatCidr(block.cidr), ...usage });
    }
    budget.look();
    const next = { poolId: pool.id, after: stretch.last, sum, reservedInBlocks };
    if (budget.isSpent) return { ...told, usage: sum, next };
  }
  const inBlocks = { capacity: sum.capacity, reserved: reservedInBlocks };
  const outside = usageOutsideBlocks(pool.cidr, rules.reserved, inBlocks);
  return { ...told, usage: sumOf(sum, outside), outside };
}

function foreign(name: string): Refusal {
  const problem = `is not of the pool ${name} as it is now; begin without one`;
  return new Refusal("invalid_request", `?cursor ${problem}.`, {
    fields: [{ field: "?cursor", problem }],
  });
}
