import { shardedRun } from "../src/api/events/scheduled-run.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { repair } from "../src/maintenance/repair/repair.ts";
import { markTable } from "../src/restore/mark-table.ts";
import { markerOfEnvironment, ownMarkerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, identifyReplica, type Wiring } from "../src/wiring.ts";

const marker = ownMarkerOfEnvironment();
/** One shard does for all what the table needs as a whole. */
const SHARD_FOR_ALL = 0;
const CURSOR_KEY_BYTES = 32;

/** Runs once over some shards; the next run of their schedule continues where this one stopped. */
export const repairOver = (wiring: Wiring) =>
  shardedRun("repair", wiring, async (plat, shard) => {
    const { guard: table } = wiring;
    const isForAll = shard === SHARD_FOR_ALL;
    const failures =
      table && isForAll ? await markTable({ table, identifyReplica, marker, now: plat.now }) : [];
    if (isForAll) await ensureCursorKey(plat);
    const done = await repair(plat, shard);
    return { ...done, failures: [...failures, ...done.failures] };
  });

export const handler = deployed(repairOver, markerOfEnvironment());

/** Makes the key that seals cursors, once for a table. A function that only reads writes none (decision 118). */
async function ensureCursorKey(plat: Context): Promise<void> {
  if ((await plat.store.readCursorKey()) !== undefined) return;
  const key = Buffer.from(plat.random.bytes(CURSOR_KEY_BYTES)).toString("base64url");
  await plat.store.keepCursorKey(key);
}
