import { cidrText } from "../../table/attribute.ts";
import { codec, id, number, revised, textAmong, under } from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import { BORROWED_BLOCK_PREFIX, borrowedBlockKey, hostIn, hostPk } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import {
  assertBorrowedBlock,
  BORROWED_BLOCK_STATES,
  type BorrowedBlock,
} from "../values/borrowed-block.ts";
import type { HostId } from "../values/host.ts";

/**
 * The calls for entries of borrowed blocks: blocks in which a host holds slots without owning them.
 * Each method is one call to the database.
 */
export function borrowedBlockItems(table: Table) {
  const borrowedBlocks = revised(table, BORROWED_BLOCK);
  return {
    async listBorrowedBlocks(space: string, host: HostId) {
      const items = await table.query(hostPk(space, host), { prefix: BORROWED_BLOCK_PREFIX });
      return readEach(items, borrowedBlockFrom);
    },

    /** Creates the entry of a borrowed block, or replaces the one seen. */
    putBorrowedBlock: (
      step: string,
      borrowedBlock: BorrowedBlock,
      seen: BorrowedBlock | undefined,
    ) =>
      seen
        ? borrowedBlocks.change(step, seen, borrowedBlock)
        : borrowedBlocks.create(step, `${step}-absent`, borrowedBlock),

    deleteBorrowedBlock: borrowedBlocks.remove,
  };
}

const BORROWED_BLOCK = codec<BorrowedBlock, "space" | "host" | "block">({
  key: ({ space, host, block }) => borrowedBlockKey(space, host, block),
  named: (key) => ({
    ...hostIn(key),
    block: cidrText(key.sk.slice(BORROWED_BLOCK_PREFIX.length)),
  }),
  attributes: {
    state: textAmong(BORROWED_BLOCK_STATES),
    revision: id,
    atMs: under("at", number),
  },
  assert: assertBorrowedBlock,
});
export const borrowedBlockFrom = BORROWED_BLOCK.from;
