import { TableFrozenError } from "../base/outcome.ts";
import type { TableGuard } from "../table/guarded-table.ts";
import type { Marker } from "../table/parameter-marker.ts";
import type { TableIdentity, TableRegister } from "../table/register.ts";
import {
  freezeTable,
  moveMark,
  readRegister,
  registerReplica,
  registerTable,
} from "../table/register-item.ts";
import type { Table } from "../table/table.ts";

/** A scheduled run marks the table when the last mark is older than this. */
export const MARK_MS_MIN = 600_000;

interface Marked {
  readonly table: Table & TableGuard;
  /** Describes the replica of the table in another Region. */
  readonly identifyReplica: (region: string) => Promise<TableIdentity>;
  readonly marker: Marker | undefined;
  readonly now: () => number;
}

const WENT_BACK = "went back in time: the marker beside it is later than its own mark";

/**
 * Names a table in its register if that names none, and its replicas in other Regions beside it. Every ten minutes it marks the table with the time. The marker beside it has the time of the last mark; each run brings it there, because one may have been cut off before.
 *
 * The table gets each mark first. So a marker that is later than the mark of the table says that the table went back in time. Then the table is frozen.
 *
 * @returns the failures on the way: a marker out of reach freezes nothing
 * @throws {TableFrozenError} if it froze the table
 */
export async function markTable(marked: Marked): Promise<readonly unknown[]> {
  try {
    const register = await readRegister(marked.table);
    await name(marked, register);
    if (marked.marker) await mark(marked, register, marked.marker);
    return [];
  } catch (error) {
    if (error instanceof TableFrozenError) throw error;
    return [error];
  }
}

/** Only a table that serves comes here. So its replicas are as good as it is: the database itself lists them. */
async function name({ table, identifyReplica }: Marked, { ids }: TableRegister): Promise<void> {
  const { replicas, ...own } = await table.identify();
  if (Object.keys(ids).length === 0) await registerTable(table, own);
  for (const region of replicas)
    if (ids[region] === undefined) await registerReplica(table, own, await identifyReplica(region));
}

async function mark(
  { table, now }: Marked,
  { markedAtMs = 0 }: TableRegister,
  marker: Marker,
): Promise<void> {
  const besideMs = (await marker.read()) ?? 0;
  if (besideMs === markedAtMs && now() < markedAtMs + MARK_MS_MIN) return;
  // Read after the marker, because another run may write both between the two reads.
  const { markedAtMs: seenMs } = await readRegister(table);
  if (besideMs > (seenMs ?? 0)) {
    await freezeTable(table, WENT_BACK);
    throw new TableFrozenError(`the table ${WENT_BACK}`);
  }
  if (seenMs !== undefined && now() < seenMs + MARK_MS_MIN) {
    if (besideMs < seenMs) await marker.write(seenMs);
    return;
  }
  const nextMs = Math.max(now(), (seenMs ?? 0) + 1);
  const { outcome } = await moveMark(table, seenMs, nextMs);
  if (outcome === "done") await marker.write(nextMs);
}
