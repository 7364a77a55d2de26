import type { MapPage } from "../domain/contents.ts";
import type { Outcome } from "../domain/outcome.ts";
import { setOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { poolMapKey, poolMapPk, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import { sorted } from "./readable-items.ts";
import type { Table } from "./table.ts";

/** Cells of a page: two sets of so many texts of up to three characters stay under 1 KB, one write unit. */
const CELLS_PER_PAGE = 128n;

/** So many digits of base 36 are a whole number that a double holds exactly; any cell of an IPv4 pool has fewer. */
const DIGITS_EXACT = 10;

/** The pool map, by cell index. `cells` is a superset of the cells that hold blocks; `full` is a hint. */
export interface PoolMap {
  readonly cells: ReadonlySet<bigint>;
  readonly full: ReadonlySet<bigint>;
}

/** A part of a map, under its name. */
interface PoolMapPage extends PoolMap {
  readonly page: string;
}

/** Pages of pool maps: which cells may hold blocks, and which are believed full. Each method is one call. */
export function poolMapItems(table: Table) {
  const change = async (
    step: string,
    space: string,
    poolId: string,
    cell: bigint,
    how: "add" | "drop",
    set: "cells" | "full",
  ): Promise<Outcome<unknown>> => {
    const written = await table.write({
      step,
      key: poolMapKey(space, poolId, String(cell / CELLS_PER_PAGE)),
      when: [],
      change: { kind: "update", [how]: [[[set], new Set([cellText(cell)])]] },
    });
    return withItem(written, mapPageFrom);
  };

  return {
    async readPoolMap(
      space: string,
      poolId: string,
      options: { readonly consistent: boolean },
    ): Promise<PoolMap> {
      const pages = (await table.query(poolMapPk(space, poolId), options)).map(mapPartFrom);
      return {
        cells: new Set(pages.flatMap(({ cells }) => [...cells])),
        full: new Set(pages.flatMap(({ full }) => [...full])),
      };
    },

    /** The cells that are called full: eventually consistent. */
    async readFullCells(space: string, poolId: string): Promise<ReadonlySet<bigint>> {
      const options = { consistent: false, only: ["full"] };
      const pages = (await table.query(poolMapPk(space, poolId), options)).map(mapPartFrom);
      return new Set(pages.flatMap(({ full }) => [...full]));
    },

    /**
     * Some pages after one, in the order of their names: eventually consistent, for who comes by again. Those that cannot be
     * read are named beside the others.
     */
    async readMapPages(
      space: string,
      poolId: string,
      { after, limit }: { readonly after: string | undefined; readonly limit: number },
    ) {
      const items = await table.query(poolMapPk(space, poolId), {
        consistent: false,
        limit,
        ...(after !== undefined && { after }),
      });
      const { read, unreadable } = sorted(items, mapPartFrom);
      return { pages: read, unreadable, next: items.length < limit ? undefined : items.at(-1)?.sk };
    },

    /** Enters a cell before its first block is put, so that whoever must see every block does. */
    addCell: (space: string, poolId: string, cell: bigint) =>
      change("add-cell", space, poolId, cell, "add", "cells"),

    markFull: (space: string, poolId: string, cell: bigint) =>
      change("mark-full", space, poolId, cell, "add", "full"),

    unmarkFull: (space: string, poolId: string, cell: bigint) =>
      change("unmark-full", space, poolId, cell, "drop", "full"),

    async listMapPages(space: string, poolId: string): Promise<readonly MapPage[]> {
      return (await table.query(poolMapPk(space, poolId))).map(mapPageFrom);
    },

    /** Of a pool that is gone: ids are never given twice, so nobody will ask for the page again. */
    async deleteMapPage({ space, poolId, page }: MapPage): Promise<void> {
      const key = poolMapKey(space, poolId, page);
      await table.write({ step: "drop-map", key, when: [], change: { kind: "delete" } });
    },
  };
}

export const mapPageFrom = reading((item: Item): MapPage => {
  const [, space, poolId] = item.pk.split("#").map(unescaped);
  const cells = new Set([...setOf(item, "cells")].map(cellOf));
  return { space: space as string, poolId: poolId as string, page: item.sk, cells };
});

const mapPartFrom = reading(
  (item: Item): PoolMapPage => ({
    page: item.sk,
    cells: new Set([...setOf(item, "cells")].map(cellOf)),
    full: new Set([...setOf(item, "full")].map(cellOf)),
  }),
);

/** An index has up to 122 bits, more than a number holds; as a text of base 36 the usual ones are short. Inverse of `cellOf`. */
export const cellText = (cell: bigint): string => cell.toString(36);

export const cellOf = (text: string): bigint =>
  text.length <= DIGITS_EXACT
    ? BigInt(Number.parseInt(text, 36))
    : [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
