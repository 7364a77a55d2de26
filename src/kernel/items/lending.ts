import { readEach, reading } from "../../table/format.ts";
import type { Item, Path, Value } from "../../table/item.ts";
import {
  fullPoolsPk,
  LENDING_PREFIX,
  lendingKey,
  lendingPrefix,
  unescaped,
} from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { GROUPS_PER_LENDING_PAGE, type LendingHint, type LendingPage } from "../values/lending.ts";
import { groupOf, groupText } from "./block-group-index.ts";

/** The prefix of an attribute of a page: the hint of one block group, by its place on the page. */
const GROUP = "g";

/**
 * The calls for hints of what block groups can lend, in the partition of the space's full pools. A
 * page is one item. Each method is one call to the database.
 */
export function lendingItems(table: Table) {
  return {
    async listLending(space: string, poolId?: string): Promise<readonly LendingPage[]> {
      const prefix = lendingPrefix(poolId);
      const items = await table.query(fullPoolsPk(space), { consistent: false, prefix });
      return readEach(items, lendingFrom).items;
    },

    async noteLending({ space, poolId, page, hints }: LendingPage): Promise<void> {
      const key = lendingKey(space, poolId, groupText(page));
      const set: (readonly [Path, Value])[] = [];
      const remove: Path[] = [];
      for (const [number, hint] of hints) {
        const path: Path = [`${GROUP}${groupText(number % GROUPS_PER_LENDING_PAGE)}`];
        if (hint) set.push([path, hintText(hint)]);
        else remove.push(path);
      }
      const change = { kind: "update", set, ...(remove.length > 0 && { remove }) } as const;
      await table.write({ step: "note-lending", key, when: [], change });
    },

    /** Deletes a page of a pool that is gone. `step` names the step of the protocol. */
    async dropLending(
      step: string,
      { space, poolId, page }: Pick<LendingPage, "space" | "poolId" | "page">,
    ): Promise<void> {
      const key = lendingKey(space, poolId, groupText(page));
      await table.write({ step, key, when: [], change: { kind: "delete" } });
    },
  };
}

export const lendingFrom = reading((item: Item): LendingPage => {
  const [, space = ""] = item.pk.split("#").map(unescaped);
  const [poolId = "", place = ""] = item.sk.slice(LENDING_PREFIX.length).split("#").map(unescaped);
  const page = groupOf(place);
  const hints = new Map<bigint, LendingHint>();
  for (const [name, value] of Object.entries(item))
    if (name.startsWith(GROUP) && typeof value === "string")
      hints.set(
        page * GROUPS_PER_LENDING_PAGE + groupOf(name.slice(GROUP.length)),
        hintFrom(value),
      );
  return { space, poolId, page, hints };
});

/** The last part of a hint whose group may get something at a time that is not known. */
const MAY_FREE = "m";

/**
 * Returns a hint as text: its times in seconds of base 36. A time to come is rounded up, because
 * nothing is there before it.
 */
function hintText({ atMs, freeAtMs, mayFree }: LendingHint): string {
  const at = Math.floor(atMs / 1000);
  const free = freeAtMs !== undefined && (freeAtMs <= atMs ? at : Math.ceil(freeAtMs / 1000));
  const times = [at, ...(free === false ? [] : [free])].map((time) => time.toString(36));
  return [...times, ...(mayFree ? [MAY_FREE] : [])].join(".");
}

function hintFrom(text: string): LendingHint {
  const parts = text.split(".");
  const times = parts.filter((part) => part !== MAY_FREE);
  const [atMs, freeAtMs] = times.map((part) => 1000 * Number.parseInt(part, 36));
  if (atMs === undefined || Number.isNaN(atMs) || Number.isNaN(freeAtMs ?? 0))
    throw new Error("its hint of a block group has no time");
  return {
    atMs,
    ...(freeAtMs !== undefined && { freeAtMs }),
    ...(times.length < parts.length && { mayFree: true }),
  };
}
