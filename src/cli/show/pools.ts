import type { Session } from "../invocation/cli.ts";
import { countText, withShare } from "../output/count.ts";
import { progressing } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { noteIfEmpty } from "../resource/none.ts";
import { type BlockUsage, readUsage, readUsageOfBlocks } from "../space/usage.ts";

interface Row extends BlockUsage {
  readonly kind: "pool" | "block";
  readonly pool: string | undefined;
  /** The reason why a pool serves no requests. */
  readonly state?: string | undefined;
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
  { header: "STATE", value: ({ state }) => state, wide: "if empty", isState: true },
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
    blocks ? readUsageOfBlocks(client) : readUsage(client),
  );
  const { pools, orphans, unreadable = [] } = document;
  const rows: Row[] = [
    ...pools.flatMap(({ blocks = [], disabled, ...pool }): Row[] => [
      { kind: "pool", ...pool, state: pool.state ?? (disabled ? "disabled" : undefined) },
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
