import { blockFrom, heldFrom } from "../kernel/items/block.ts";
import { fullPoolFrom } from "../kernel/items/full-pool.ts";
import { hostName } from "../kernel/values/host.ts";
import { hostEvents, slotEvents } from "../kernel/values/slot-events.ts";
import { formatCidr } from "../net/cidr.ts";
import { jobFrom } from "../nouns/job/item.ts";
import { poolUsageFrom } from "../nouns/utilization/item.ts";
import { percentUsed } from "../nouns/utilization/pool-usage.ts";
import type { ItemChange } from "../table/change-log.ts";
import { isMap, sameValue } from "../table/clause.ts";
import type { Item, Value } from "../table/item.ts";
import { kindNameOf } from "../table/kinds.ts";
import type { Draft } from "./draft.ts";
import { poolDrafts } from "./pool-drafts.ts";

/**
 * Returns what a change did, in order. The slots of a block are the truth of what is assigned, so only they assign
 * and release. `understood` adds what changed of an allocation.
 *
 * @throws {CorruptItemError} if this version cannot read the item
 */
export function draftsOf(change: ItemChange): readonly Draft[] {
  const draftsFrom = FROM_KIND[kindNameOf(change.key) ?? ""];
  return draftsFrom ? draftsFrom(change) : [];
}

const FROM_KIND: Readonly<Record<string, (change: ItemChange) => readonly Draft[]>> = {
  BLOCK: blockDrafts,
  "SPACE/POOL": poolDrafts,
  USAGE: usageDrafts,
  FULLPOOLS: fullDrafts,
  JOBS: jobDrafts,
};

function blockDrafts(change: ItemChange): readonly Draft[] {
  const { before: was, after: is } = change;
  const [before, after] = [changedSlots(was, is), changedSlots(is, was)];
  const block = after ? blockFrom(after) : before && blockFrom(before);
  if (!block) return [];
  // Both have the same place and pool, so the one before is not read as a whole.
  const held = [after ? before && heldFrom(before) : block, after ? block : undefined] as const;
  const { space, pool } = block;
  const cidr = formatCidr(block.cidr);
  return [
    ...slotEvents(...held).map((event) => ({ kind: "slot", block, event }) as const),
    ...hostEvents(...held).map(
      ({ kind, host }) =>
        ({
          kind: "whole",
          type: kind === "claimed" ? "BlockClaimed" : "BlockReleased",
          space,
          subject: host,
          detail: { block: cidr, pool, host: hostName(host) },
        }) as const,
    ),
  ];
}

/**
 * Returns a block's item without the slots that the other has too. Those are most of them, and
 * decoding them takes longest.
 */
function changedSlots(item: Item | undefined, other: Item | undefined): Item | undefined {
  const [slots, others] = [item?.slots, other?.slots];
  if (!item || !slots || !others || !isMap(slots) || !isMap(others)) return item;
  const changed: Record<string, Value> = {};
  for (const ordinal in slots) {
    const tag = slots[ordinal];
    if (tag !== undefined && !sameValue(tag, others[ordinal])) changed[ordinal] = tag;
  }
  return { ...item, slots: changed };
}

function jobDrafts(change: ItemChange): readonly Draft[] {
  const [before, after] = both(change, jobFrom);
  if (after?.kind !== "pool.drain" || after.state !== "done" || before?.state === "done") return [];
  const { space, pool, id } = after;
  return [{ kind: "whole", type: "PoolDrained", space, subject: id, detail: { pool, job: id } }];
}

/** Returns what a change made of an item: before it, and after it. */
export const both = <T>({ before, after }: ItemChange, from: (item: Item) => T) =>
  [before && from(before), after && from(after)] as const;

/** Returns the thresholds that the use of a pool crossed between two passes, and whether nothing is left since. */
function usageDrafts({ before, after }: ItemChange): readonly Draft[] {
  if (!after) return [];
  const was = before && poolUsageFrom(before);
  const is = poolUsageFrom(after);
  const { space, pool, usage, threshold } = is;
  const common = { kind: "whole", space, subject: is.poolId } as const;
  const isExhausted = usage.available === 0n && was !== undefined && was.usage.available > 0n;
  return [
    ...(threshold === was?.threshold
      ? []
      : [
          {
            ...common,
            type: "PoolThresholdCrossed",
            detail: {
              pool,
              percentUsed: percentUsed(usage),
              before: was?.threshold ?? null,
              after: threshold ?? null,
            },
          } as const,
        ]),
    ...(isExhausted ? [{ ...common, type: "PoolExhausted", detail: { pool } } as const] : []),
  ];
}

/** Returns the pool that a request found full. The hint stays until the pool has room again. */
function fullDrafts({ before, after }: ItemChange): readonly Draft[] {
  if (before || !after) return [];
  const { space, poolId } = fullPoolFrom(after);
  return [{ kind: "full", space, poolId }];
}
