import { handleHash } from "../src/base/hash.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { inParallel } from "../src/kernel/core/parallel.ts";
import { capacityOf } from "../src/kernel/values/block.ts";
import { blocksOfGroup, groupAt } from "../src/kernel/values/block-group.ts";
import { fresh } from "../src/kernel/values/fresh.ts";
import { hostId } from "../src/kernel/values/host.ts";
import type { Slot } from "../src/kernel/values/slot.ts";
import { type Cidr, formatCidr } from "../src/net/cidr.ts";
import type { Pool } from "../src/nouns/pool/pool.ts";

const WRITES_AT_ONCE = 16;

/** Puts full blocks of another host into a block group until the given number of ranges is left. Existing blocks stay. */
export async function fillGroup(
  context: Context,
  pool: Pool,
  index: bigint,
  left: number,
): Promise<void> {
  const group = groupAt(pool, index);
  const blocks = await context.store.scanGroup(pool.space, group, { consistent: true });
  const current = new Set(blocks.map(({ cidr }) => formatCidr(cidr)));
  const absent = blocksOfGroup(pool, group).filter((cidr) => !current.has(formatCidr(cidr)));
  await inParallel(absent.slice(left), WRITES_AT_ONCE, (cidr) => putBlock(context, pool, cidr));
}

/** Leaves nothing free in a block group: a full block takes the place of each that has room. */
export async function useUpGroup(context: Context, pool: Pool, index: bigint): Promise<void> {
  const group = groupAt(pool, index);
  for (const block of await context.store.scanGroup(pool.space, group, { consistent: true })) {
    const taken = [...block.slots.values()].filter(({ kind }) => kind === "taken").length;
    if (taken < capacityOf(block)) await context.store.deleteBlock(block);
  }
  await fillGroup(context, pool, index, 0);
}

/** Puts a block of another host with the given number of taken addresses; by default all are taken. */
export async function putBlock(
  context: Context,
  pool: Pool,
  cidr: Cidr,
  taken = capacityOf({ cidr }),
): Promise<void> {
  const slot: Slot = { kind: "taken", token: fresh(context), handleHash: handleHash("somebody") };
  await context.store.createBlock({
    space: pool.space,
    cidr,
    pool: pool.name,
    poolId: pool.id,
    host: hostId("host", "somebody"),
    claimedAtMs: context.now(),
    slots: new Map(Array.from({ length: taken }, (_, n) => [n, slot])),
    epoch: fresh(context),
    revision: fresh(context),
  });
}

/** Enters block groups into the index of the pool, and marks those that are full. */
export async function enterGroups(
  context: Context,
  { space, id }: Pool,
  groups: readonly bigint[],
  isFull: (index: bigint) => boolean,
): Promise<void> {
  await inParallel(groups, WRITES_AT_ONCE, async (index) => {
    await context.store.addGroup(space, id, index);
    if (isFull(index)) await context.store.markFull(space, id, index);
  });
}
