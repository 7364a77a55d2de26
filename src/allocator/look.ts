import { type Block, isEmpty, isWhollyReserved, roomIn, type SlotRules } from "../domain/block.ts";
import { blocksOfCell, cellAt, cellCount, cellOrder } from "../domain/cell.ts";
import { type Cidr, contains, formatCidr } from "../domain/cidr.ts";
import { shuffled } from "../domain/fresh.ts";
import type { HostId } from "../domain/host.ts";
import type { HostReserved } from "../domain/host-reserved.ts";
import { CELL_LOOKS_MAX } from "../domain/limits.ts";
import type { Pool } from "../domain/pool.ts";
import type { Context } from "./context.ts";

/** What the host may do with what a look finds. */
export interface LookWish {
  readonly host: HostId;
  readonly rules: SlotRules;
  /** May it claim blocks, or take them over? Then the look ends with the first free one. */
  readonly claiming: boolean;
  /** What it would keep for itself in a block that it claims. */
  readonly hostReserved?: HostReserved | undefined;
  /** How many addresses it would borrow; 0 if it may not. */
  readonly borrowing: number;
  readonly blockMinAgeMs: number;
}

/** What a bounded look at a pool has shown. It is eventually consistent: conditional writes decide. */
export interface Look {
  readonly pool: Pool;
  /** Ranges where no block stands, in the order to try. */
  readonly free: readonly Cidr[];
  /** Empty blocks of others, seen idle and past their minimum age: these may be taken over. */
  readonly idle: readonly Block[];
  /** Blocks of others with room, the roomiest first. */
  readonly lendable: readonly Block[];
  readonly cells: bigint;
  readonly cellsLooked: number;
  /** Were there cells not called full that the look did not reach? Then nothing found does not mean nothing there. */
  readonly bounded: boolean;
}

/**
 * Looks at a bounded number of cells of a pool: where a free block may be, starting where the host's name hashes to and
 * passing over cells that the map calls full; then where blocks stand, at random. When all cells are called full the
 * hints are not believed: this look decides.
 */
export async function lookAt(context: Context, pool: Pool, wish: LookWish): Promise<Look> {
  const { store, random } = context;
  const map = await store.readPoolMap(pool.space, pool.id, { consistent: false });
  const seen: Block[] = [];
  const looked = new Set<bigint>();
  let free: Cidr[] = [];
  const look = async (index: bigint): Promise<void> => {
    looked.add(index);
    const blocks = await blocksAt(context, pool, index);
    // One that a pool before this one left stands in the way, and serves nobody.
    seen.push(...blocks.filter(({ poolId }) => poolId === pool.id));
    const standing = new Set(blocks.map(({ cidr }) => formatCidr(cidr)));
    const absent = blocksOfCell(pool, cellAt(pool, index)).filter(
      (cidr) => !standing.has(formatCidr(cidr)),
    );
    if (absent.length === 0 && !map.full.has(index))
      await store.markFull(pool.space, pool.id, index);
    free = shuffled(
      absent.filter((cidr) => isOfUse(cidr, wish)),
      random,
    );
  };
  const lendable = () => lendableOf(seen, wish);
  let bounded = false;
  if (wish.claiming)
    for (const index of cellOrder(pool, wish.host, wish.rules.reserved)) {
      if (map.full.has(index)) continue;
      bounded = looked.size === CELL_LOOKS_MAX;
      if (bounded) break;
      await look(index);
      if (free.length > 0) break;
    }
  const mayHelp = () =>
    free.length > 0 ||
    idleOf(context, seen, wish).length > 0 ||
    (wish.borrowing > 0 && lendable().some((block) => roomIn(block, wish.rules) >= wish.borrowing));
  for (const index of shuffled([...map.cells], random)) {
    if (looked.size === CELL_LOOKS_MAX || mayHelp()) break;
    if (!looked.has(index)) await look(index);
  }
  return {
    pool,
    free: wish.claiming ? free : [],
    idle: idleOf(context, seen, wish),
    lendable: lendable(),
    cells: cellCount(pool),
    cellsLooked: looked.size,
    bounded: bounded && free.length === 0,
  };
}

async function blocksAt(context: Context, pool: Pool, index: bigint): Promise<Block[]> {
  const cell = cellAt(pool, index);
  const blocks = await context.store.lookAtCell(pool.space, cell, { consistent: false });
  return blocks.filter(({ cidr }) => contains(pool.cidr, { ...cidr, value: cidr.base }));
}

/** Would the host get an address of a block, if it were its own? */
const isOfUse = (cidr: Cidr, { rules, hostReserved }: LookWish): boolean =>
  !isWhollyReserved(cidr, rules.reserved, hostReserved);

function idleOf(context: Context, seen: readonly Block[], wish: LookWish): Block[] {
  if (!wish.claiming) return [];
  return seen.filter(
    (block) =>
      block.host !== wish.host &&
      block.idleSinceMs !== undefined &&
      isOfUse(block.cidr, wish) &&
      context.now() - block.claimedAtMs >= wish.blockMinAgeMs &&
      isEmpty(block, wish.rules),
  );
}

function lendableOf(seen: readonly Block[], { host, rules, borrowing }: LookWish): Block[] {
  if (borrowing === 0) return [];
  return seen
    .filter((block) => block.host !== host)
    .map((block) => ({ block, room: roomIn(block, rules) }))
    .filter(({ room }) => room > 0)
    .sort((a, b) => b.room - a.room)
    .map(({ block }) => block);
}
