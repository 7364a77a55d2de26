import type { Progress } from "../domain/sweep.ts";
import { mapOf, numberOf, textOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { allocationKey, allocationPlaceOf, progressKey } from "./key.ts";
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

    async writeProgress(shard: number, progress: Progress): Promise<void> {
      const item = itemFrom(shard, progress);
      await table.write({
        step: "write-progress",
        key: item,
        when: [],
        change: { kind: "put", item },
      });
    },
  };
}

/** Returns the item of a position. None of its attributes belongs to the due index. */
function itemFrom(shard: number, { due, sweep, itemsBefore, chargedFromMs }: Progress): Item {
  return {
    ...progressKey(shard),
    ...(due && { due: { ...allocationKey(due.place), at: due.dueAtMs } }),
    ...(sweep && { sweep: { ...sweep } }),
    ...(itemsBefore !== undefined && { itemsBefore }),
    ...(chargedFromMs !== undefined && { chargedFrom: chargedFromMs }),
  };
}

export const progressFrom = reading((item: Item): Progress => {
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
        ...(sweep.leftCharges === true && { leftCharges: true }),
        ...(sweep.position !== undefined && { position: textOf(sweep, "position") }),
      },
    }),
    ...(item.itemsBefore !== undefined && { itemsBefore: numberOf(item, "itemsBefore") }),
    ...(item.chargedFrom !== undefined && { chargedFromMs: numberOf(item, "chargedFrom") }),
  };
});
