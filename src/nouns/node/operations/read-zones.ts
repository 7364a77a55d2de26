import { shardOfSpace } from "../../../base/hash.ts";
import { CLOCK_SKEW_MS_MAX, TOMBSTONES_DUE_MAX, ZONE_READS_AT_ONCE } from "../../../base/limits.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { gracesOf, healthOf } from "../node-health.ts";
import { areTooManyGone, type NodeInZone, type ZonesHealth, zonesOf } from "../zone.ts";
import { nodeEntries } from "./node-entries.ts";

/** The health of the zones of a space, and its nodes that ended and still have something. */
export interface Zones extends ZonesHealth {
  readonly gone: {
    /** The nodes whose quarantine is over. */
    readonly due: number;
    /** Those of them that wait, because too many ended at once. */
    readonly held: number;
  };
}

/**
 * Counts the nodes of a space that clusters report, by zone. Nothing is stored for it: each node is read.
 *
 * @throws {CorruptItemError} if a report or an entry cannot be read, because the counts would be wrong
 */
export async function readZones(context: Context, space: string): Promise<Zones> {
  const entries = await nodeEntries(context, space);
  const { settings } = await configurationOf(context, space);
  const times = { nowMs: context.now(), ...gracesOf(settings) };
  const nodes = await inParallel(entries, ZONE_READS_AT_ONCE, async ({ name }) => {
    const { report, signOfLife } = await context.store.readNodeLife(space, name);
    if (!report) return [];
    const { conditions } = healthOf({ report, signOfLife }, times);
    const { zone, isExcluded } = report;
    return [{ zone, isExcluded, ready: conditions.Ready } satisfies NodeInZone];
  });
  const due = await countDue(context, space);
  const isHeld = areTooManyGone(due, entries.length, settings.goneNodesPercentMax);
  return { ...zonesOf(nodes.flat()), gone: { due, held: isHeld ? due : 0 } };
}

/** Counts the tombstones of a space whose quarantine is over, and which the repair run has not begun to free. */
async function countDue({ store, now }: Context, space: string): Promise<number> {
  const page = { untilMs: now() - CLOCK_SKEW_MS_MAX, limit: TOMBSTONES_DUE_MAX };
  const { items: due } = await store.dueTombstones(shardOfSpace(space), page);
  const ours = due.filter(({ tombstone }) => tombstone.space === space);
  const read = await inParallel(ours, ZONE_READS_AT_ONCE, ({ tombstone }) =>
    store.readTombstone(tombstone),
  );
  return read.filter((tombstone) => tombstone?.state === "quarantined").length;
}
