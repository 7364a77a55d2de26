import type { Outcome } from "../domain/outcome.ts";
import type { PartialWalk, Progress, ShardWalk } from "../domain/sweep.ts";
import { mapOf, numberOf, textOf, textsOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item, Value } from "./item.ts";
import { allocationKey, allocationPlaceOf, progressKey, SWEEP_PK } from "./key.ts";
import { readEach } from "./readable-items.ts";
import type { Table } from "./table.ts";

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
      const attributes = Object.entries(attributesOf(progress));
      await table.write({
        step: "write-progress",
        key: progressKey(shard),
        when: [],
        change: {
          kind: "update",
          set: attributes.flatMap(([name, value]) =>
            value === undefined ? [] : [[[name], value] as const],
          ),
          remove: attributes.flatMap(([name, value]) => (value === undefined ? [[name]] : [])),
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

/** Returns the attributes of a position. None of them belongs to the due index. */
const attributesOf = ({
  due,
  sweep,
  itemsBefore,
  chargedFromMs,
  chargedBut,
  indexedFromMs,
  indexedBut,
}: Progress): Readonly<Record<string, Value | undefined>> => ({
  due: due && { ...allocationKey(due.place), at: due.dueAtMs },
  sweep: sweep && { ...sweep },
  itemsBefore,
  chargedFrom: chargedFromMs,
  chargedBut: chargedBut && { ...chargedBut },
  indexedFrom: indexedFromMs,
  indexedBut: indexedBut && { ...indexedBut },
});

const progressFrom = reading((item: Item): Progress => {
  const due = item.due === undefined ? undefined : mapOf(item, "due");
  const sweep = item.sweep === undefined ? undefined : mapOf(item, "sweep");
  return {
    ...(due && {
      due: {
        place: allocationPlaceOf({ pk: textOf(due, "pk"), sk: textOf(due, "sk") }),
        dueAtMs: numberOf(due, "at"),
      },
    }),
    ...(sweep && {
      sweep: {
        beganAtMs: numberOf(sweep, "beganAtMs"),
        items: numberOf(sweep, "items"),
        ...(sweep.isIndexing === true && { isIndexing: true }),
        ...(sweep.leftCharges === true && { leftCharges: true }),
        ...(sweep.uncharged !== undefined && { uncharged: textsOf(sweep, "uncharged") }),
        ...(sweep.leftIndexing === true && { leftIndexing: true }),
        ...(sweep.unindexed !== undefined && { unindexed: textsOf(sweep, "unindexed") }),
        ...(sweep.position !== undefined && { position: textOf(sweep, "position") }),
      },
    }),
    ...(item.itemsBefore !== undefined && { itemsBefore: numberOf(item, "itemsBefore") }),
    ...(item.chargedFrom !== undefined && { chargedFromMs: numberOf(item, "chargedFrom") }),
    ...(item.chargedBut !== undefined && { chargedBut: partialOf(mapOf(item, "chargedBut")) }),
    ...(item.indexedFrom !== undefined && { indexedFromMs: numberOf(item, "indexedFrom") }),
    ...(item.indexedBut !== undefined && { indexedBut: partialOf(mapOf(item, "indexedBut")) }),
    ...(item.indexAsked !== undefined && { indexAskedMs: numberOf(item, "indexAsked") }),
  };
});

const partialOf = (walk: Readonly<Record<string, Value>>): PartialWalk => ({
  fromMs: numberOf(walk, "fromMs"),
  ...(walk.spaces !== undefined && { spaces: textsOf(walk, "spaces") }),
});

export const shardWalkFrom = (item: Item): ShardWalk => {
  const { indexedFromMs, indexedBut } = progressFrom(item);
  return {
    shard: Number(item.sk),
    ...(indexedFromMs !== undefined && { indexedFromMs }),
    ...(indexedBut && { indexedBut }),
  };
};
