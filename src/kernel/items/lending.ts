import { codec, type FlatForm } from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import type { AttributePath } from "../../table/item.ts";
import {
  fullPoolsPk,
  LENDING_PREFIX,
  lendingKey,
  lendingPrefix,
  partsOf,
  spaceIn,
} from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { GROUPS_PER_LENDING_PAGE, type LendingHint, type LendingPage } from "../values/lending.ts";
import { groupOfText, groupText } from "./block-group-index.ts";

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

    async noteLending(page: LendingPage): Promise<void> {
      const { hints } = page;
      const remove = [...hints].flatMap(([number, hint]): AttributePath[] =>
        hint ? [] : [[nameOfHint(number)]],
      );
      const change = { ...LENDING.update({ hints }), ...(remove.length > 0 && { remove }) };
      await table.write({ step: "note-lending", key: LENDING.key(page), when: [], change });
    },

    /** Deletes a page of a pool that is gone. `step` names the step of the protocol. */
    async deleteLending(
      step: string,
      { space, poolId, page }: Pick<LendingPage, "space" | "poolId" | "page">,
    ): Promise<void> {
      const key = lendingKey(space, poolId, groupText(page));
      await table.write({ step, key, when: [], change: { kind: "delete" } });
    },
  };
}

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

/** Returns the name of the attribute of a hint. */
const nameOfHint = (number: bigint): string =>
  `${GROUP}${groupText(number % GROUPS_PER_LENDING_PAGE)}`;

/** The hints by their places on the page, because the page is in the key. */
const hintsOn: FlatForm<LendingPage["hints"]> = {
  isFlat: true,
  write: (hints) =>
    Object.fromEntries(
      [...hints].flatMap(([number, hint]) => (hint ? [[nameOfHint(number), hintText(hint)]] : [])),
    ),
  read: (item) => {
    const first = pageIn(String(item.sk)).page * GROUPS_PER_LENDING_PAGE;
    return new Map(
      Object.entries(item).flatMap(([name, value]) =>
        name.startsWith(GROUP) && typeof value === "string"
          ? [[first + groupOfText(name.slice(GROUP.length)), hintFrom(value)]]
          : [],
      ),
    );
  },
};

/** Returns the pool and the number of a page, by its sort key. */
function pageIn(sk: string): Pick<LendingPage, "poolId" | "page"> {
  const [poolId = "", page = ""] = partsOf(sk.slice(LENDING_PREFIX.length));
  return { poolId, page: groupOfText(page) };
}

const LENDING = codec<LendingPage, "space" | "poolId" | "page">({
  key: ({ space, poolId, page }) => lendingKey(space, poolId, groupText(page)),
  named: (key) => ({ space: spaceIn(key), ...pageIn(key.sk) }),
  attributes: { hints: hintsOn },
});
export const lendingFrom = LENDING.from;
