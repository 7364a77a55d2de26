import {
  assertBorrowedBlock,
  BORROWED_BLOCK_STATES,
  type BorrowedBlock,
} from "../domain/borrowed-block.ts";
import type { Cidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import { idOf, numberOf, oneOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { BORROWED_BLOCK_PREFIX, borrowedBlockKey, hostPk, unescaped } from "./key.ts";
import { readEach } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

/**
 * The calls for entries of borrowed blocks: blocks in which a host holds slots without owning them.
 * Each method is one call to the database.
 */
export function borrowedBlockItems(table: Table) {
  const borrowedBlocks = revised(table, itemFrom, borrowedBlockFrom);
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

function itemFrom(borrowedBlock: BorrowedBlock): Item {
  assertBorrowedBlock(borrowedBlock);
  return {
    ...borrowedBlockKey(borrowedBlock.space, borrowedBlock.host, borrowedBlock.block),
    state: borrowedBlock.state,
    revision: borrowedBlock.revision,
    at: borrowedBlock.atMs,
  };
}

export const borrowedBlockFrom = reading((item: Item): BorrowedBlock => {
  const [, space, host] = item.pk.split("#").map(unescaped);
  return {
    space: space as string,
    host: host as HostId,
    block: blockInKey(item.sk),
    state: oneOf(item, "state", BORROWED_BLOCK_STATES),
    revision: idOf(item, "revision"),
    atMs: numberOf(item, "at"),
  };
}, assertBorrowedBlock);

const blockInKey = (sk: string): Cidr => cidrText(sk.slice(BORROWED_BLOCK_PREFIX.length));
