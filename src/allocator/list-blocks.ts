import { type Address, compareAddresses } from "../domain/address.ts";
import type { Block } from "../domain/block.ts";
import { addressAt, type Cidr, contains, formatCidr, intervalOf } from "../domain/cidr.ts";
import { type AffinityType, affinityTypeOf, type HostId, hostName } from "../domain/host.ts";
import type { HostReserved } from "../domain/host-reserved.ts";
import { PAGE_READS_AT_ONCE } from "../domain/limits.ts";
import { type Refusal, Unreadable } from "../domain/outcome.ts";
import type { SpaceConfiguration } from "../domain/pool.ts";
import { type Usage, usageOf } from "../domain/usage.ts";
import { notFound } from "./administration.ts";
import type { Context } from "./context.ts";
import { type Page, pageBudget } from "./page.ts";
import { inParallel } from "./parallel.ts";
import { slotRules } from "./pick.ts";
import { walkPool } from "./pool-walk.ts";

/** A block as it stands. */
export interface BlockState extends Usage {
  readonly cidr: string;
  readonly pool: string;
  /** Whose it is; both are absent where it is nobody's. */
  readonly host?: string;
  readonly affinityType?: AffinityType;
  /** What the host that claimed it keeps for itself. */
  readonly hostReserved?: HostReserved;
  readonly claimedAtMs: number;
  readonly idleSinceMs?: number;
  /** Where the blocks of one host are listed: is it another's, and does the host hold, or may it hold, addresses in it? */
  readonly borrowed?: boolean;
}

/** Where a list of blocks goes on: after an address, in a pool where pools are walked. */
export interface BlocksPosition {
  readonly pool?: string | undefined;
  readonly after: Address;
}

export interface BlocksWanted {
  readonly space: string;
  readonly pool?: string | undefined;
  readonly host?: HostId | undefined;
  readonly limit: number;
  readonly position?: BlocksPosition | undefined;
}

/**
 * A page of the blocks of a host, of a pool, or of all pools, strongly consistent. It is no snapshot: a block that is
 * claimed or given up while its reader turns the pages may be missed, or listed though it is gone.
 */
export async function listBlocks(
  context: Context,
  wanted: BlocksWanted,
): Promise<Page<BlockState, BlocksPosition> | Refusal> {
  const { space, pool, host } = wanted;
  const configuration = await context.store.readSpace(space);
  if (pool !== undefined && !configuration.pools.some(({ name }) => name === pool))
    return notFound("pool", pool);
  return host === undefined
    ? blocksOfPools(context, configuration, wanted)
    : blocksOfHost(context, configuration, { ...wanted, host });
}

/** Pool by pool in the order of their names, each in the order of addresses. */
async function blocksOfPools(
  context: Context,
  configuration: SpaceConfiguration,
  { pool: only, limit, position }: BlocksWanted,
): Promise<Page<BlockState, BlocksPosition>> {
  const items: BlockState[] = [];
  const budget = pageBudget(context);
  const pools = configuration.pools
    .filter(({ name }) => only === undefined || name === only)
    .filter(({ name }) => position?.pool === undefined || name >= position.pool)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  let next = position;
  for (const pool of pools) {
    if (next && budget.isSpent) return { items, next };
    budget.look();
    const after = pool.name === position?.pool ? position.after : undefined;
    for await (const { blocks, last } of walkPool(context, pool, after)) {
      for (const block of blocks) {
        if (next && items.length === limit) return { items, next };
        items.push(blockState(context, configuration, block));
        next = { pool: pool.name, after: addressAt(block.cidr, 0) };
      }
      next = { pool: pool.name, after: last };
      budget.look();
      if (budget.isSpent) return { items, next };
    }
    const { family, last } = intervalOf(pool.cidr);
    next = { pool: pool.name, after: { family, value: last } };
  }
  return { items };
}

/** What stands at the host's places, and what it has borrowed from, in the order of addresses. */
async function blocksOfHost(
  context: Context,
  configuration: SpaceConfiguration,
  { space, pool: only, host, limit, position }: BlocksWanted & { readonly host: HostId },
): Promise<Page<BlockState, BlocksPosition>> {
  const { store } = context;
  const [rows, loans] = await Promise.all([
    store.listRows(space, host),
    store.listLoans(space, host),
  ]);
  const lent = new Set(loans.map(({ block }) => formatCidr(block)));
  const within = configuration.pools.find(({ name }) => name === only)?.cidr;
  const named = new Map([...rows, ...loans].map(({ block }) => [formatCidr(block), block]));
  const cidrs = [...named.values()]
    .filter((cidr) => !within || contains(within, base(cidr)))
    .filter((cidr) => !position || compareAddresses(base(cidr), position.after) > 0)
    .sort((a, b) => compareAddresses(base(a), base(b)));
  const some = cidrs.slice(0, limit);
  const states = await inParallel(some, PAGE_READS_AT_ONCE, async (cidr) => {
    const block = await store.readBlock(space, cidr).catch((error: unknown) => {
      // One that cannot be read is no reason to keep the others back: it is refused where it is asked for by itself.
      if (error instanceof Unreadable) return undefined;
      throw error;
    });
    // A row may be ahead of its block, or behind it: what the block says is true.
    if (!block || (block.host !== host && !lent.has(formatCidr(cidr)))) return undefined;
    return { ...blockState(context, configuration, block), borrowed: block.host !== host };
  });
  const last = some.at(-1);
  return {
    items: states.filter((state) => state !== undefined),
    ...(last && some.length < cidrs.length && { next: { after: base(last) } }),
  };
}

/** A block by the rules of the pool that it lies in. */
export function blockState(
  context: Context,
  configuration: SpaceConfiguration,
  block: Block,
): BlockState {
  const pool = configuration.pools.find(({ cidr }) => contains(cidr, base(block.cidr)));
  return {
    cidr: formatCidr(block.cidr),
    pool: block.pool,
    ...(block.host !== undefined && {
      host: hostName(block.host),
      affinityType: affinityTypeOf(block.host),
    }),
    ...(block.hostReserved && { hostReserved: block.hostReserved }),
    ...usageOf(block, slotRules(context, configuration, pool)),
    claimedAtMs: block.claimedAtMs,
    ...(block.idleSinceMs !== undefined && { idleSinceMs: block.idleSinceMs }),
  };
}

const base = (cidr: Cidr): Address => addressAt(cidr, 0);
