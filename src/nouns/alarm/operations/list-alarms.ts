import { EVERY_SHARD } from "../../../base/hash.ts";
import type { CorruptItemError } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { type CrossedAlarm, crossedAlarms } from "../alarm.ts";

/** The alarms of a space, and the usages that cannot be read. */
export interface AlarmList {
  readonly alarms: readonly CrossedAlarm[];
  readonly unreadable: readonly CorruptItemError[];
}

/** Returns the thresholds that are crossed now, from the table alone: those of the pools of a space, and of what is due. */
export async function listAlarms({ store, now }: Context, space: string): Promise<AlarmList> {
  const { pools } = await store.readSpace(space);
  const { items, unreadable } = await store.listPoolUsages(space);
  const usages = items.filter(({ poolId }) => pools.some(({ id }) => id === poolId));
  const nowMs = now();
  const due = await inParallel(EVERY_SHARD, EVERY_SHARD.length, (shard) =>
    store.dueAllocations(shard, { untilMs: nowMs, limit: 1 }),
  );
  const [oldest] = due.flat().sort((a, b) => a.dueAtMs - b.dueAtMs);
  const sorted = usages.toSorted((a, b) => (a.pool < b.pool ? -1 : 1));
  return { alarms: crossedAlarms(sorted, oldest?.dueAtMs, nowMs), unreadable };
}
