import type { Outcome } from "../../base/outcome.ts";
import { textOf } from "../../table/attribute.ts";
import {
  type FlatForm,
  flat,
  mark,
  number,
  optional,
  record,
  text,
  texts,
  under,
} from "../../table/codec.ts";
import { readEach, reading } from "../../table/format.ts";
import type { Item } from "../../table/item.ts";
import { allocationKey, allocationPlaceIn, progressKey, SWEEP_PK } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import type { Due } from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import type { PartialWalk, Progress, ShardWalk, Sweep } from "../values/sweep.ts";

/** The calls for the position of the repair run in each shard. */
export function progressItems(table: Table) {
  return {
    /**
     * Returns the position in a shard, eventually consistent. An older position only repeats work.
     */
    async readProgress(shard: number): Promise<Progress | undefined> {
      const item = await table.get(progressKey(shard), { consistent: false });
      return item && progressFrom(item);
    },

    /** Returns what is known of the walks of all shards, eventually consistent. An unreadable position says nothing. */
    async listWalks(): Promise<readonly ShardWalk[]> {
      const items = await table.query(SWEEP_PK, { consistent: false });
      return readEach(items, shardWalkFrom).items;
    },

    /** Writes all of a position but for what its operators asked. */
    async writeProgress(shard: number, progress: Progress): Promise<void> {
      const attributes = OWN.write(progress);
      await table.write({
        step: "write-progress",
        key: progressKey(shard),
        when: [],
        change: {
          kind: "update",
          set: Object.entries(attributes).map(([name, value]) => [[name], value] as const),
          remove: OWN.names.filter((name) => attributes[name] === undefined).map((name) => [name]),
        },
      });
    },

    /** Returns the key that seals cursors, if there is one. It lies beside the position in one shard. */
    async readCursorKey(): Promise<string | undefined> {
      const item = await table.get(progressKey(CURSOR_KEY_SHARD));
      return item && cursorKeyIn(item);
    },

    /** Keeps the key that seals cursors. Cursors under an earlier one become invalid. */
    keepCursorKey: (key: string): Promise<Outcome<unknown>> =>
      table.write({
        step: "cursor-key",
        key: progressKey(CURSOR_KEY_SHARD),
        when: [],
        change: { kind: "update", set: [[["cursorKey"], key]] },
      }),

    /** Asks the walk of a shard to enter allocations in indexes, after an index was added. */
    askForIndexing: (shard: number, askedMs: number): Promise<Outcome<unknown>> =>
      table.write({
        step: "ask-indexing",
        key: progressKey(shard),
        when: [],
        change: { kind: "update", set: [[["indexAsked"], askedMs]] },
      }),
  };
}

const CURSOR_KEY_SHARD = 0;

const cursorKeyIn = reading((item: Item) =>
  item.cursorKey === undefined ? undefined : textOf(item, "cursorKey"),
);

const place: FlatForm<AllocationPlace> = {
  isFlat: true,
  write: (place) => ({ ...allocationKey(place) }),
  read: (due) => allocationPlaceIn({ pk: textOf(due, "pk"), sk: textOf(due, "sk") }),
};

const partial = record<PartialWalk>({ fromMs: number, spaces: optional(texts) });

/** The fields that the repair run writes. None of their attributes belongs to the due index. */
const OWN = flat<Omit<Progress, "indexAskedMs">>({
  due: optional(
    record<Due>({
      place,
      dueAtMs: under("at", number),
    }),
  ),
  sweep: optional(
    record<Sweep>({
      beganAtMs: number,
      items: number,
      isIndexing: optional(mark),
      leftCharges: optional(mark),
      uncharged: optional(texts),
      leftIndexing: optional(mark),
      unindexed: optional(texts),
      position: optional(text),
    }),
  ),
  itemsBefore: optional(number),
  chargedFromMs: under("chargedFrom", optional(number)),
  chargedBut: optional(partial),
  indexedFromMs: under("indexedFrom", optional(number)),
  indexedBut: optional(partial),
});

/** The field that operators write, each alone. */
const ASKED = flat<Pick<Progress, "indexAskedMs">>({
  indexAskedMs: under("indexAsked", optional(number)),
});

const progressFrom = reading(
  (item: Item): Progress => ({ ...OWN.read(item), ...ASKED.read(item) }),
);

export const shardWalkFrom = (item: Item): ShardWalk => {
  const { indexedFromMs, indexedBut } = progressFrom(item);
  return {
    shard: Number(item.sk),
    ...(indexedFromMs !== undefined && { indexedFromMs }),
    ...(indexedBut && { indexedBut }),
  };
};
