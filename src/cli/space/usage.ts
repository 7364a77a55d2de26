import { PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import { type Answer, found, isRejection, NotPlat, type PlatClient } from "../../client/index.ts";
import type { Count } from "../output/count.ts";
import { atOnce } from "./at-once.ts";
import { allBlocks, type BlockStatus } from "./blocks.ts";
import { readPools } from "./configuration.ts";
import { knownIn } from "./lists.ts";

interface Usage {
  readonly cidr: string;
  readonly unit?: "prefixes" | undefined;
  readonly capacity: Count;
  readonly inUse: Count;
  readonly hostReserved: Count;
  readonly reserved: Count;
  readonly cooling: Count;
  readonly available: Count;
}

/** The counts of a block, and the host that owns it. */
export interface BlockUsage extends Usage, Partial<Pick<BlockStatus, "host" | "affinityType">> {}

/** The counts of a pool, and on request of its blocks. */
interface PoolUsage extends Usage {
  readonly pool: string;
  /** Absent unless the pool serves no requests because of it. */
  readonly state?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly blocks?: readonly BlockUsage[];
}

/** The counts of a space. */
export interface SpaceUsage {
  readonly pools: readonly PoolUsage[];
  /** Absent if the caller may not search for them. */
  readonly orphans?: readonly (Usage & { readonly pool: string })[];
  /** Blocks that cannot be read, or whose pool cannot. */
  readonly unreadable?: Answer<"listOrphans">["unreadable"];
}

/** Reads the counts of the pools. */
export async function readUsage(client: PlatClient): Promise<SpaceUsage> {
  const [pools, known] = await Promise.all([
    poolsIn(client.pages.readUtilizations()),
    readPools(client),
  ]);
  const settings = new Map(known.map(({ name, state, disabled }) => [name, { state, disabled }]));
  return { pools: pools.map((pool) => ({ ...pool, ...settings.get(pool.pool) })) };
}

/** Returns how many addresses of a pool are assigned. */
export async function assignedInPool(client: PlatClient, name: string): Promise<bigint> {
  const pools = await poolsIn(client.pages.readUtilizations({ pool: [name] }));
  return pools
    .filter(({ pool }) => pool === name)
    .reduce((sum, { inUse }) => sum + BigInt(inUse), 0n);
}

const poolsIn = async (pages: AsyncIterable<Answer<"readUtilizations">>) =>
  (await knownIn(pages, ({ pools }) => pools)).items;

/** Reads the counts of the pools and of their blocks, and those of blocks of no pool. */
export async function readUsageOfBlocks(client: PlatClient): Promise<SpaceUsage> {
  const { pools: all } = await readUsage(client);
  const read = await atOnce(all, PAGE_READS_AT_ONCE, async ({ pool, state, disabled }) => {
    const whole = await found(poolWithBlocks(client, pool));
    return whole && { ...whole, state, disabled };
  });
  const pools = read.filter((pool) => pool !== undefined);
  const owned = new Map((await allBlocks(client)).map((block) => [block.cidr, block]));
  return {
    pools: pools.map(({ blocks = [], ...pool }) => ({
      ...pool,
      blocks: blocks.map((block) => ({ ...block, ...ownerIn(owned.get(block.cidr)) })),
    })),
    ...(await orphansOf(client)),
  };
}

/**
 * Reads a pool with its blocks. Each page has the blocks that it counted, and the last page has the sums of the whole
 * pool.
 */
async function poolWithBlocks(client: PlatClient, name: string): Promise<PoolUsage> {
  const read: Answer<"readUtilization">[] = [];
  for await (const page of client.pages.readUtilization({ name })) read.push(page);
  const {
    requestId: _,
    complete: __,
    next: ___,
    ...pool
  } = read.at(-1) as Answer<"readUtilization">;
  return { ...pool, blocks: read.flatMap(({ blocks }) => blocks) };
}

/** Returns the owner of a block; nothing for one that no host owns, or that was claimed after the list was read. */
const ownerIn = ({ host, affinityType }: Partial<BlockStatus> = {}) => ({
  ...(host !== undefined && { host }),
  ...(affinityType !== undefined && { affinityType }),
});

/** Searches for blocks of the space to which nothing leads. Returns nothing to a caller who may not. */
async function orphansOf(client: PlatClient): Promise<Omit<SpaceUsage, "pools">> {
  const orphans: (Usage & { readonly pool: string })[] = [];
  const unreadable: NonNullable<SpaceUsage["unreadable"]> = [];
  const isOurs = ({ space }: { readonly space: string }) => space === client.space;
  try {
    for await (const page of client.pages.listOrphans()) {
      orphans.push(...page.orphans.filter(isOurs));
      unreadable.push(...(page.unreadable ?? []).filter(isOurs));
    }
  } catch (error) {
    const isDenied = error instanceof NotPlat && error.status === 403;
    if (isDenied || isRejection(error, "forbidden")) return {};
    throw error;
  }
  return { orphans, ...(unreadable.length > 0 && { unreadable }) };
}
