import type { Contents } from "../domain/contents.ts";
import { rowFrom } from "./affinity.ts";
import { blockFrom } from "./block.ts";
import { jobFrom } from "./job.ts";
import { AFFINITY_PREFIX, JOBS_PK, LOAN_PREFIX, NODE_SK } from "./key.ts";
import { loanFrom } from "./loan.ts";
import { namespaceFrom } from "./namespace.ts";
import { nodeEntryFrom, nodeFrom } from "./node.ts";
import { planFrom } from "./plan.ts";
import { mapPageFrom } from "./pool-map.ts";
import { recordFrom } from "./record.ts";
import { seatFrom } from "./seat.ts";
import { poolFrom, reservationFrom } from "./space.ts";
import type { Item, Key, Table } from "./table.ts";

/** A page of the whole table; `next` is opaque and names where the following page begins. */
export function scanning(table: Table) {
  return {
    async scanPage(limit: number, after?: string) {
      const page = await table.scan(limit, after ? (JSON.parse(after) as Key) : undefined);
      return {
        contents: contentsOf(page.items),
        ...(page.next && { next: JSON.stringify(page.next) }),
      };
    },
  };
}

/** Sorts items by kind. An item that cannot be read is reported and stops nothing. */
export function contentsOf(items: readonly Item[]): Contents {
  const unreadable: { key: string; reason: string }[] = [];
  const reading = <T>(chosen: (item: Item) => boolean, from: (item: Item) => T): T[] =>
    items.filter(chosen).flatMap((item) => {
      try {
        return [from(item)];
      } catch (error) {
        unreadable.push({ key: `${item.pk} ${item.sk}`, reason: String(error) });
        return [];
      }
    });
  return {
    blocks: reading(({ pk }) => pk.startsWith("BLOCK#"), blockFrom),
    rows: reading(
      ({ pk, sk }) => pk.startsWith("HOST#") && sk.startsWith(AFFINITY_PREFIX),
      rowFrom,
    ),
    loans: reading(({ pk, sk }) => pk.startsWith("HOST#") && sk.startsWith(LOAN_PREFIX), loanFrom),
    seats: reading(({ pk }) => pk.startsWith("LIMIT#"), seatFrom),
    records: reading(({ pk }) => pk.startsWith("HANDLE#"), recordFrom),
    pools: reading(({ pk, sk }) => pk.startsWith("SPACE#") && sk.startsWith("POOL#"), poolFrom),
    reservations: reading(
      ({ pk, sk }) => pk.startsWith("SPACE#") && sk.startsWith("RESERVATION#"),
      reservationFrom,
    ),
    plans: reading(({ pk }) => pk.startsWith("PLAN#"), planFrom),
    maps: reading(({ pk }) => pk.startsWith("POOLMAP#"), mapPageFrom),
    jobs: reading(({ pk }) => pk === JOBS_PK, jobFrom),
    nodes: reading(({ pk, sk }) => pk.startsWith("HOST#") && sk === NODE_SK, nodeFrom),
    nodeEntries: reading(({ pk }) => pk.startsWith("NODES#"), nodeEntryFrom),
    namespaces: reading(({ pk }) => pk.startsWith("NAMESPACE#"), namespaceFrom),
    unreadable,
  };
}
