import type * as v from "valibot";
import { PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import { found, isRejection, NotPlat, type PlatClient } from "../../client/index.ts";
import type { orphansRead, utilizationRead } from "../../contract/answers.ts";
import { atOnce } from "../api/at-once.ts";
import { type BlockSummary, listBlocks } from "../api/blocks.ts";
import type { Session } from "../invocation/cli.ts";
import type { Column } from "../output/column.ts";
import { type Count, countText, withShare } from "../output/count.ts";
import { progressing } from "../output/progress.ts";
import { noteIfEmpty } from "../resource/none.ts";

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
interface BlockUsage extends Usage, Partial<Pick<BlockSummary, "host" | "affinityType">> {}

/** The counts of a pool, and on request of its blocks. */
interface PoolUsage extends Usage {
  readonly pool: string;
  readonly blocks?: readonly BlockUsage[];
}

interface Row extends BlockUsage {
  readonly kind: "pool" | "block";
  readonly pool: string | undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: "KIND", value: ({ kind }) => kind },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "TOTAL", value: ({ capacity }) => countText(capacity) },
  { header: "IN USE", value: ({ inUse, capacity }) => withShare(inUse, capacity) },
  {
    header: "HOST-RESERVED",
    value: ({ hostReserved, capacity }) => withShare(hostReserved, capacity),
    wide: true,
  },
  {
    header: "RESERVED",
    value: ({ reserved, capacity }) => withShare(reserved, capacity),
    wide: true,
  },
  { header: "COOLING", value: ({ cooling, capacity }) => withShare(cooling, capacity), wide: true },
  { header: "FREE", value: ({ available, capacity }) => withShare(available, capacity) },
  { header: "UNIT", value: ({ unit = "addresses" }) => unit, wide: true },
];

/** The columns of blocks: only these have a host. */
const WITH_HOSTS: readonly Column<Row>[] = [
  ...COLUMNS,
  { header: "HOST", value: ({ host }) => host, wide: true },
  { header: "AFFINITY", value: ({ affinityType }) => affinityType, wide: true },
];

/**
 * Prints the utilization of each pool, with blocks below their pools, and at the end blocks of no pool. Only a caller with a role in every
 * space can search for these.
 */
export async function showPools(
  session: Session,
  { blocks }: { readonly blocks: boolean },
): Promise<void> {
  const { client, print, io } = session;
  const document = await progressing(io, "pools", () =>
    blocks ? poolsWithBlocks(client) : poolsAlone(client),
  );
  const { pools, orphans, unreadable = [] } = document;
  const rows: Row[] = [
    ...pools.flatMap(({ blocks = [], ...pool }): Row[] => [
      { kind: "pool", ...pool },
      ...blocks.map((block) => ({ kind: "block" as const, pool: pool.pool, ...block })),
    ]),
    ...(orphans ?? []).map((block) => ({ ...block, kind: "block" as const, pool: undefined })),
  ];
  const names = rows.map(({ kind, pool, cidr }) => (kind === "pool" ? `${pool}` : cidr));
  print({ columns: blocks ? WITH_HOSTS : COLUMNS, rows, document, names });
  if (blocks && !orphans)
    io.err(
      "Note: blocks of no pool are not shown; a search for them requires the role reader in every space.\n",
    );
  if (unreadable.length > 0)
    io.err(
      `Note: blocks that cannot be read, and may belong to no pool: ${unreadable.length}. See plat check.\n`,
    );
  await noteIfEmpty(session, rows, "pools");
}

interface SpaceUsage {
  readonly pools: readonly PoolUsage[];
  /** Absent if the caller may not search for them. */
  readonly orphans?: readonly (Usage & { readonly pool: string })[];
  /** Blocks that cannot be read, or whose pool cannot. */
  readonly unreadable?: OrphanPage["unreadable"];
}

type OrphanPage = v.InferOutput<typeof orphansRead>;
type PoolPage = v.InferOutput<typeof utilizationRead>;

async function poolsAlone(client: PlatClient): Promise<SpaceUsage> {
  const pools: PoolUsage[] = [];
  for await (const page of client.pages.readUtilizations()) pools.push(...page.pools);
  return { pools };
}

async function poolsWithBlocks(client: PlatClient): Promise<SpaceUsage> {
  const { pools: all } = await poolsAlone(client);
  const read = await atOnce(all, PAGE_READS_AT_ONCE, ({ pool }) =>
    found(poolWithBlocks(client, pool)),
  );
  const pools = read.filter((pool) => pool !== undefined);
  const owned = new Map((await listBlocks(client)).map((block) => [block.cidr, block]));
  return {
    pools: pools.map(({ blocks = [], ...pool }) => ({
      ...pool,
      blocks: blocks.map((block) => ({ ...block, ...ownerIn(owned.get(block.cidr)) })),
    })),
    ...(await orphansOf(client)),
  };
}

/** Returns the owner of a block; nothing for one that no host owns, or that was claimed after the list was read. */
const ownerIn = ({ host, affinityType }: Partial<BlockSummary> = {}) => ({
  ...(host !== undefined && { host }),
  ...(affinityType !== undefined && { affinityType }),
});

/** Searches for blocks of the space to which nothing leads. Returns nothing to a caller who may not. */
async function orphansOf(client: PlatClient): Promise<Omit<SpaceUsage, "pools">> {
  const orphans: (Usage & { readonly pool: string })[] = [];
  const unreadable: NonNullable<OrphanPage["unreadable"]> = [];
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

/**
 * Reads a pool with its blocks. Each page has the blocks that it counted, and the last page has the sums of the whole
 * pool.
 */
async function poolWithBlocks(client: PlatClient, name: string): Promise<PoolUsage> {
  const read: PoolPage[] = [];
  for await (const page of client.pages.readUtilization({ name })) read.push(page);
  const { requestId: _, complete: __, next: ___, ...pool } = read.at(-1) as PoolPage;
  return { ...pool, blocks: read.flatMap(({ blocks }) => blocks) };
}
