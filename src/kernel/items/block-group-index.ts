import type { PageWanted } from "../../base/listed.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { BlockGroupIndexPage } from "../../invariants/contents.ts";
import { codec, type SparseForm, set, withItem } from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import { blockGroupIndexKey, blockGroupIndexPk, partsOf } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";

/**
 * The number of block groups of a page. Two sets of this many texts of up to three characters stay
 * under 1 KB, one write unit.
 */
const GROUPS_PER_PAGE = 128n;

/**
 * A double holds a number of this many base-36 digits exactly. Any block group of an IPv4 pool has
 * fewer.
 */
const DIGITS_EXACT = 10;

/**
 * The block-group index, by the index of the group. `groups` is a superset of the block groups that
 * hold blocks; `full` is a hint.
 */
export interface BlockGroupIndex {
  readonly groups: ReadonlySet<bigint>;
  readonly full: ReadonlySet<bigint>;
}

/** A page of the index of a pool, with its name. */
interface IndexPage extends BlockGroupIndexPage, BlockGroupIndex {}

/**
 * The calls for pages of block-group indexes: which block groups may hold blocks, and which are
 * believed to be full. Each method is one call to the database.
 */
export function blockGroupIndexItems(table: Table) {
  const changing =
    (step: string, how: "add" | "drop", among: keyof BlockGroupIndex) =>
    async (space: string, poolId: string, group: bigint): Promise<Outcome<unknown>> => {
      const written = await table.write({
        step,
        key: blockGroupIndexKey(space, poolId, String(group / GROUPS_PER_PAGE)),
        when: [],
        change: { kind: "update", [how]: INDEX_PAGE.update({ [among]: new Set([group]) }).set },
      });
      return withItem(written, indexPageFrom);
    };

  return {
    async readBlockGroupIndex(
      space: string,
      poolId: string,
      options: { readonly consistent: boolean },
    ): Promise<BlockGroupIndex> {
      const pages = (await table.query(blockGroupIndexPk(space, poolId), options)).map(
        indexPageFrom,
      );
      return {
        groups: new Set(pages.flatMap(({ groups }) => [...groups])),
        full: new Set(pages.flatMap(({ full }) => [...full])),
      };
    },

    /** Returns the block groups of a pool that are believed to be full, eventually consistent. */
    async readFullGroups(space: string, poolId: string): Promise<ReadonlySet<bigint>> {
      const options = { consistent: false, only: ["full"] };
      const pages = (await table.query(blockGroupIndexPk(space, poolId), options)).map(
        indexPageFrom,
      );
      return new Set(pages.flatMap(({ full }) => [...full]));
    },

    /**
     * Returns pages of an index in the order of their names, from the first one after a page. The
     * read is eventually consistent, because its callers come back later. The answer names
     * unreadable pages beside the others.
     */
    async readIndexPages(space: string, poolId: string, { after, limit }: PageWanted<string>) {
      const items = await table.query(blockGroupIndexPk(space, poolId), {
        consistent: false,
        limit,
        ...(after !== undefined && { after }),
      });
      const next = items.length < limit ? undefined : items.at(-1)?.sk;
      return { ...readEach(items, indexPageFrom), next };
    },

    /**
     * Adds a block group to the index before its first block is written, so that a walk over the
     * index finds every block.
     */
    addGroup: changing("add-group", "add", "groups"),

    markFull: changing("mark-full", "add", "full"),

    unmarkFull: changing("unmark-full", "drop", "full"),

    async listIndexPages(space: string, poolId: string): Promise<readonly BlockGroupIndexPage[]> {
      return (await table.query(blockGroupIndexPk(space, poolId))).map(indexPageFrom);
    },

    /** Deletes a page of a deleted pool. Pool ids are unique, so no later pool uses the page. */
    async deleteIndexPage({ space, poolId, page }: BlockGroupIndexPage): Promise<void> {
      const key = blockGroupIndexKey(space, poolId, page);
      await table.write({ step: "drop-index", key, when: [], change: { kind: "delete" } });
    },
  };
}

/**
 * Returns an index of a block group as text of base 36, which is short for the usual ones. An index
 * has up to 122 bits, more than a number holds. Inverse of `groupOfText`.
 */
export const groupText = (group: bigint): string => group.toString(36);

export const groupOfText = (text: string): bigint =>
  text.length <= DIGITS_EXACT
    ? BigInt(Number.parseInt(text, 36))
    : [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);

const groupSet: SparseForm<ReadonlySet<bigint>> = {
  isSparse: true,
  write: (groups) => set.write(new Set([...groups].map(groupText))),
  read: (attributes, name) => new Set([...set.read(attributes, name)].map(groupOfText)),
};

const INDEX_PAGE = codec<IndexPage, "space" | "poolId" | "page">({
  key: ({ space, poolId, page }) => blockGroupIndexKey(space, poolId, page),
  named: ({ pk, sk }) => {
    const [, space = "", poolId = ""] = partsOf(pk);
    return { space, poolId, page: sk };
  },
  attributes: { groups: groupSet, full: groupSet },
});
export const indexPageFrom = INDEX_PAGE.from;
