import { formatCidr } from "../domain/cidr.ts";
import { hostName } from "../domain/host.ts";
import { hostEvents, slotEvents } from "../domain/slot-events.ts";
import { allocationFrom } from "../store/allocation.ts";
import { blockFrom } from "../store/block.ts";
import type { ItemChange } from "../store/change-log.ts";
import { isMap, sameValue } from "../store/clause.ts";
import type { Item } from "../store/item.ts";
import { jobFrom } from "../store/job.ts";
import { kindNameOf } from "../store/kinds.ts";
import type { Draft } from "./draft.ts";
import { ownerDrafts } from "./owner-drafts.ts";
import { poolDrafts } from "./pool-drafts.ts";
import { fullDrafts, usageDrafts } from "./usage-drafts.ts";

/**
 * Returns what a change did, in order. The slots of a block are the truth of what is assigned, so only they assign
 * and release.
 *
 * @throws {CorruptItemError} if this version cannot read the item
 */
export function draftsOf(change: ItemChange): readonly Draft[] {
  const draftsFrom = FROM_KIND[kindNameOf(change.key) ?? ""];
  return draftsFrom ? draftsFrom(change) : [];
}

const FROM_KIND: Readonly<Record<string, (change: ItemChange) => readonly Draft[]>> = {
  BLOCK: blockDrafts,
  HANDLE: (change) => ownerDrafts(...both(change, allocationFrom)),
  "SPACE/POOL": poolDrafts,
  USAGE: usageDrafts,
  FULLPOOLS: fullDrafts,
  JOBS: jobDrafts,
};

function blockDrafts(change: ItemChange): readonly Draft[] {
  const { before: was, after: is } = change;
  const [before, after] = [changedSlots(was, is), changedSlots(is, was)].map(
    (item) => item && blockFrom(item),
  );
  const block = after ?? before;
  if (!block) return [];
  const { space, pool } = block;
  const cidr = formatCidr(block.cidr);
  return [
    ...slotEvents(before, after).map((event) => ({ kind: "slot", block, event }) as const),
    ...hostEvents(before, after).map(
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
  const changed = Object.entries(slots).filter(
    ([ordinal, tag]) => !sameValue(tag, others[ordinal]),
  );
  return { ...item, slots: Object.fromEntries(changed) };
}

function jobDrafts(change: ItemChange): readonly Draft[] {
  const [before, after] = both(change, jobFrom);
  if (after?.kind !== "pool.drain" || after.state !== "done" || before?.state === "done") return [];
  const { space, pool, id } = after;
  return [{ kind: "whole", type: "PoolDrained", space, subject: id, detail: { pool, job: id } }];
}

const both = <T>({ before, after }: ItemChange, from: (item: Item) => T) =>
  [before && from(before), after && from(after)] as const;
