import type { Outcome } from "../domain/outcome.ts";
import type { Progress, ShardWalk } from "../domain/sweep.ts";
import { mapOf, numberOf, textOf } from "./attribute.ts";
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

/** Returns the attributes of a position. None of them belongs to the due index. */
const attributesOf = ({
  due,
  sweep,
  itemsBefore,
  chargedFromMs,
  unchargedFromMs,
  indexedFromMs,
  unindexedFromMs,
}: Progress): Readonly<Record<string, Value | undefined>> => ({
  due: due && { ...allocationKey(due.place), at: due.dueAtMs },
  sweep: sweep && { ...sweep },
  itemsBefore,
  chargedFrom: chargedFromMs,
  unchargedFrom: unchargedFromMs,
  indexedFrom: indexedFromMs,
  unindexedFrom: unindexedFromMs,
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
        ...flagsOf(sweep),
        ...(sweep.position !== undefined && { position: textOf(sweep, "position") }),
      },
    }),
    ...(item.itemsBefore !== undefined && { itemsBefore: numberOf(item, "itemsBefore") }),
    ...(item.chargedFrom !== undefined && { chargedFromMs: numberOf(item, "chargedFrom") }),
    ...(item.unchargedFrom !== undefined && { unchargedFromMs: numberOf(item, "unchargedFrom") }),
    ...(item.indexedFrom !== undefined && { indexedFromMs: numberOf(item, "indexedFrom") }),
    ...(item.unindexedFrom !== undefined && {
      unindexedFromMs: numberOf(item, "unindexedFrom"),
    }),
    ...(item.indexAsked !== undefined && { indexAskedMs: numberOf(item, "indexAsked") }),
  };
});

const flagsOf = (sweep: Readonly<Record<string, Value>>) =>
  Object.fromEntries(FLAGS.flatMap((name) => (sweep[name] === true ? [[name, true]] : [])));

const FLAGS = ["isIndexing", "leftCharges", "cannotCharge", "leftIndexing", "cannotIndex"] as const;

export const shardWalkFrom = (item: Item): ShardWalk => {
  const { indexedFromMs } = progressFrom(item);
  return { shard: Number(item.sk), ...(indexedFromMs !== undefined && { indexedFromMs }) };
};
