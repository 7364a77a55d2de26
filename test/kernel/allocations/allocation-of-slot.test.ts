import { beforeAll, describe, expect, it } from "vitest";
import { handleHash } from "../../../src/base/hash.ts";
import { PAGE_READS_AT_ONCE } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseAddress } from "../../../src/kernel/release/release-address.ts";
import { releaseHost } from "../../../src/kernel/release/release-host.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { amendAddress } from "../../../src/nouns/address/operations/amend-address.ts";
import { readAddress } from "../../../src/nouns/address/operations/read-address.ts";
import { readBlock } from "../../../src/nouns/block/operations/read-block.ts";
import type { Item } from "../../../src/table/item.ts";
import { allocationPk } from "../../../src/table/key.ts";
import type { Table } from "../../../src/table/table.ts";
import { addressOfQuotaSlot, crowd, type OccupiedQuotaSlot } from "../../crowd.ts";
import { sweepAll } from "../../scheduled-runs.ts";
import {
  assigned,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

const ALLOCATIONS = 10_000;
const HANDLE = "deployment";

/** Counts the allocations of the handle that a walk reads. */
async function allocationsRead(world: World, walk: (context: Context) => Promise<unknown>) {
  const pk = allocationPk(SPACE, handleHash(HANDLE));
  let items = 0;
  const counting: Table = {
    ...tableOf(world),
    get: async (key) => {
      if (key.pk === pk) items++;
      return world.table.get(key);
    },
    query: async (of, options) => {
      const found = await world.table.query(of, options);
      if (of === pk) items += found.length;
      return found;
    },
  };
  await walk(contextOver(counting, world.clock, 5));
  return items;
}

describe(`where a handle has ${ALLOCATIONS} allocations`, () => {
  let world: World;
  let occupied: readonly OccupiedQuotaSlot[];
  beforeAll(async () => {
    world = await makeWorld(poolOf("10.0.0.0/16", 26), { maxBlocksPerHost: 1_000 });
    const members = Array.from({ length: ALLOCATIONS }, (_, n) => ({ keyed: n % 2 === 0 }));
    occupied = await crowd(world, HANDLE, members);
  });
  const at = (n: number) => addressOfQuotaSlot(occupied[n] as OccupiedQuotaSlot);

  it("a read of an address reads one allocation", async () => {
    for (const n of [0, 7_001])
      expect(
        await allocationsRead(world, async (context) =>
          expect(await readAddress(context, SPACE, at(n))).toMatchObject({ handle: HANDLE }),
        ),
      ).toBe(1);
  });

  it("a change of an address under its handle reads it to find it, and once more to change it", async () => {
    const change = { address: at(1), handle: HANDLE, owner: { alternate: null } };
    const read = await allocationsRead(world, (context) => amendAddress(context, SPACE, change));
    expect(read).toBe(2);
  });

  it("a release of an address under its handle reads one allocation", async () => {
    for (const n of [64, 65])
      expect(
        await allocationsRead(world, async (context) =>
          expect(
            await releaseAddress(context, SPACE, { address: at(n), handle: HANDLE }),
          ).toMatchObject({ status: "released" }),
        ),
      ).toBe(1);
  });

  it("a read of a block reads an allocation for each of its addresses", async () => {
    const { cidr } = occupied[128] as OccupiedQuotaSlot;
    const read = await allocationsRead(world, (context) =>
      readBlock(context, { space: SPACE, cidr, limit: 1_000 }),
    );
    expect(read).toBe(64);
  });

  it("a release of all that a host has borrowed in a block reads an allocation for each address of the block", async () => {
    const { cidr } = occupied[192] as OccupiedQuotaSlot;
    await releaseAddress(world.calm, SPACE, { address: at(192), handle: HANDLE });
    world.clock.nowMs += 60_000;
    const guest = { ...requestOf("guest", 1), host: "host:node-2", addresses: [at(192)] } as const;
    await assigned(world.calm, guest);
    const { items: borrowedBlocks } = await world.calm.store.listBorrowedBlocks(SPACE, guest.host);
    expect(borrowedBlocks.map(({ block }) => block)).toEqual([cidr]);
    const read = await allocationsRead(world, async (context) =>
      expect(await releaseHost(context, SPACE, guest.host)).toMatchObject({
        released: ["10.0.0.192"],
      }),
    );
    expect(read).toBe(63);
  });

  it("a request under a limit reads the allocations of its quota slots", async () => {
    const limited = { ...requestOf(HANDLE, 2), host: "host:node-3", limitPerHandle: 2 } as const;
    const first = await assigned(world.calm, limited);
    const read = await allocationsRead(world, async (context) =>
      expect(await assigned(context, limited)).toEqual(first),
    );
    expect(read).toBe(1);
  });
});

it("a whole sweep of the repair run reads as many allocations as it reads at once to find that a borrowed block is needed", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/16", 26));
  const [first] = await crowd(world, HANDLE, Array(1_000).fill({}));
  const { cidr: block } = first as OccupiedQuotaSlot;
  const borrowedBlock = {
    space: SPACE,
    host: "host:node-1",
    block,
    state: "confirmed",
    atMs: 0,
  } as const;
  await world.calm.store.putBorrowedBlock(
    "borrowed",
    { ...borrowedBlock, revision: "revision" },
    undefined,
  );
  world.clock.nowMs += 100_000;
  const read = await allocationsRead(world, sweepAll);
  expect(read).toBe(PAGE_READS_AT_ONCE);
});

describe("an address whose token was made before tokens led to their allocations", () => {
  const small = async () => {
    const world = await makeWorld(poolOf("10.0.0.0/16", 26));
    const members = Array.from({ length: 20 }, (_, n) => ({ keyed: n % 2 === 0, older: n < 10 }));
    return { world, occupied: await crowd(world, HANDLE, members) };
  };

  it("is released with all of its host, though another allocation of its handle cannot be read", async () => {
    const { world, occupied } = await small();
    const [unread] = occupied as [OccupiedQuotaSlot];
    const { id, keyed, handleHash } = unread.allocation.place;
    const partition = world.table.partitions.get(allocationPk(SPACE, handleHash));
    const sk = `${keyed ? "KEY" : "ID"}#${id}`;
    const item = partition?.get(sk) as Item;
    partition?.set(sk, { ...item, f: Number(item.f) + 1 });
    const { released, complete, unreadable } = await releaseHost(
      world.calm,
      SPACE,
      unread.allocation.host,
    );
    const others = occupied.filter((each) => each !== unread);
    expect(released.toSorted()).toEqual(
      others.map((each) => formatAddress(addressOfQuotaSlot(each))).toSorted(),
    );
    expect(complete).toBe(false);
    expect(unreadable.map(({ members }) => members.item)).toEqual([`allocation ${id}`]);
    partition?.set(sk, item);
  });

  it("is read, and released under its handle, as any other", async () => {
    const { world, occupied } = await small();
    for (const [n, each] of occupied.entries()) {
      const address = addressOfQuotaSlot(each);
      const state = await readAddress(world.calm, SPACE, address);
      expect(state).toMatchObject({ handle: HANDLE, state: "assigned" });
      const result = await releaseAddress(world.calm, SPACE, { address, handle: HANDLE });
      expect(result, `${n}`).toMatchObject({ status: "released" });
    }
  });

  it("costs a block one list of the handle beside the reads of the others", async () => {
    const { world, occupied } = await small();
    const { cidr } = occupied[0] as OccupiedQuotaSlot;
    const read = await allocationsRead(world, async (context) => {
      const block = await readBlock(context, { space: SPACE, cidr, limit: 1_000 });
      if (block instanceof Rejection) throw new Error(block.detail);
      const { items } = block.addresses;
      expect(items.filter(({ handle }) => handle === HANDLE)).toHaveLength(20);
    });
    expect(read).toBe(20 + 10);
  });
});
