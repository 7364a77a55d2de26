import { describe, expect, it } from "vitest";
import { ALLOCATIONS_PER_LOOK, PAGE_MS_MAX } from "../../../src/base/limits.ts";
import { ThrottledError } from "../../../src/base/outcome.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { WarmCache } from "../../../src/kernel/core/warm-cache.ts";
import type { Released } from "../../../src/kernel/release/bounded-release.ts";
import { ALLOCATIONS_OVER_MAX, releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { isKeptForKey } from "../../../src/kernel/values/allocation.ts";
import { ADDRESSES_RELEASED_MAX } from "../../../src/kernel/values/limits.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { formatCidr } from "../../../src/net/cidr.ts";
import { makeStore } from "../../../src/store/stack.ts";
import type { Table } from "../../../src/table/table.ts";
import { addressOfQuotaSlot, crowd, type Member, type OccupiedQuotaSlot } from "../../crowd.ts";
import { seededRandom } from "../../simulation/random.ts";
import { oneIn } from "../../simulation/sampled-calls.ts";
import { slowTable, VirtualClock } from "../../virtual-clock.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

const HANDLE = "deployment";
const CALL_MS = 8;
/** The time in milliseconds that the calls of the last allocations take after the time of the request is over. */
const LAST_ALLOCATION_MS_MAX = 8 * CALL_MS;

const KEPT: Member = { keyed: true, released: "without parts" };
const CUT_SHORT: Member = { keyed: true, released: "with parts" };
const KEYED: Member = { keyed: true };
const UNKEYED: Member = {};
const times = (count: number, member: Member) => Array<Member>(count).fill(member);

const largeWorld = () => makeWorld(poolOf("10.0.0.0/16", 26));

function contextIn(time: VirtualClock, table: Table, seed: number): Context {
  const { now, sleep } = time;
  return {
    store: makeStore(table),
    random: seededRandom(seed),
    cache: new WarmCache(),
    now,
    sleep,
  };
}

/** Repeats a release over a table of slow calls until an answer says that it is complete, and returns all answers. */
async function releasedInFull(
  world: World,
  { requestsMax, callMs = CALL_MS }: { requestsMax: number; callMs?: number },
): Promise<readonly Released[]> {
  const time = new VirtualClock(world.clock.nowMs);
  const answers: Released[] = [];
  while (!answers.at(-1)?.complete) {
    expect(answers.length).toBeLessThan(requestsMax);
    const startedAtMs = time.nowMs;
    const context = contextIn(time, slowTable(world.table, time, callMs), answers.length);
    answers.push(await time.run(() => releaseHandle(context, SPACE, HANDLE)));
    expect(time.nowMs - startedAtMs).toBeLessThanOrEqual(PAGE_MS_MAX + LAST_ALLOCATION_MS_MAX);
  }
  return answers;
}

const liveIn = (occupied: readonly OccupiedQuotaSlot[]) =>
  occupied
    .filter(({ allocation }) => allocation.state === "live")
    .map((each) => formatAddress(addressOfQuotaSlot(each)))
    .sort();
const toldOf = (answers: readonly Released[]) => answers.flatMap(({ released }) => released).sort();

const CROWDS: readonly (readonly [string, readonly Member[], requestsMax: number])[] = [
  ["10,000 kept allocations before a live one", [...times(10_000, KEPT), KEYED], 1],
  ["10,000 live allocations without a key", times(10_000, UNKEYED), 8],
  ["3,000 live allocations under keys", times(3_000, KEYED), 3],
  [
    "3,000 allocations whose release was cut short, and a live one",
    [...times(3_000, CUT_SHORT), KEYED],
    3,
  ],
  [
    "all of these",
    Array.from(
      { length: 10_000 / oneIn(4) },
      (_, n) => [KEPT, CUT_SHORT, KEYED, UNKEYED][n % 4] as Member,
    ),
    10,
  ],
];

describe("a release by handle", () => {
  // In a sample the crowd of all of them alone.
  it.each(CROWDS.slice(oneIn(CROWDS.length) - 1))(
    "comes to the end of %s, each request in its time",
    async (_, members, requestsMax) => {
      const world = await largeWorld();
      const occupied = await crowd(world, HANDLE, members);
      const answers = await releasedInFull(world, { requestsMax });
      expect(toldOf(answers)).toEqual(liveIn(occupied));
      const { allocations } = contentsIn(world);
      expect(allocations.every(isKeptForKey)).toBe(true);
      expect(allocations).toHaveLength(members.filter(({ keyed }) => keyed).length);
      // A repeat writes nothing.
      const before = new Map(world.table.items().map((item) => [`${item.pk} ${item.sk}`, item]));
      expect(await releaseHandle(world.calm, SPACE, HANDLE)).toMatchObject({
        released: [],
        complete: true,
      });
      for (const item of world.table.items())
        expect(before.get(`${item.pk} ${item.sk}`)).toBe(item);
    },
  );

  it("frees what is held first, and finishes what is over after it", async () => {
    const world = await largeWorld();
    const occupied = await crowd(world, HANDLE, [...times(2_000, CUT_SHORT), ...times(100, KEYED)]);
    const answers = await releasedInFull(world, { requestsMax: 4 });
    expect(answers.length).toBeGreaterThan(1);
    expect(toldOf(answers.slice(0, 1))).toEqual(liveIn(occupied));
  });

  it("comes to a live allocation among more kept ones than a request can look at", async () => {
    const world = await largeWorld();
    const occupied = await crowd(world, HANDLE, [...times(4_000, KEPT), ...times(5, KEYED)]);
    const time = new VirtualClock();
    // The time of a request allows ten looks, and the way through all allocations would take 32.
    const slow = slowTable(world.table, time, PAGE_MS_MAX / 10);
    const answers: Released[] = [];
    for (let n = 0; n < 40 && toldOf(answers).length < 5; n++)
      answers.push(await time.run(() => releaseHandle(contextIn(time, slow, n), SPACE, HANDLE)));
    expect(toldOf(answers)).toEqual(liveIn(occupied));
    for (const { complete } of answers) expect(complete).toBe(false);
  });

  it("begins no more when it has freed as many as an answer may have", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/16", 26), { maxBlocksPerHost: 100 });
    for (let n = 0; n < 18; n++) await assigned(world.calm, requestOf(HANDLE, 256));
    const first = await releaseHandle(world.calm, SPACE, HANDLE);
    expect(first.complete).toBe(false);
    expect(first.released.length).toBeGreaterThanOrEqual(ADDRESSES_RELEASED_MAX);
    const second = await releaseHandle(world.calm, SPACE, HANDLE);
    expect(second.complete).toBe(true);
    expect(first.released.length + second.released.length).toBe(18 * 256);
  });

  it("leaves the parts of a few allocations to the repair run, and drops them when it is repeated", async () => {
    const world = await largeWorld();
    await crowd(world, HANDLE, times(3, KEYED));
    const release = () => releaseHandle(world.calm, SPACE, HANDLE);
    expect(await release()).toMatchObject({ complete: true, released: { length: 3 } });
    expect(contentsIn(world).allocations.some(isKeptForKey)).toBe(false);
    expect(await release()).toMatchObject({ complete: true, released: [] });
    expect(contentsIn(world).allocations.every(isKeptForKey)).toBe(true);
  });

  it("reads a long handle a look at a time", async () => {
    const world = await largeWorld();
    await crowd(world, HANDLE, times(1_000, KEPT));
    const limits = new Set<number | undefined>();
    const watched: Table = {
      ...tableOf(world),
      query: (pk, options) => {
        limits.add(options?.limit);
        return world.table.query(pk, options);
      },
    };
    await releaseHandle(contextOver(watched, world.clock), SPACE, HANDLE);
    expect([...limits]).toEqual([ALLOCATIONS_PER_LOOK]);
  });

  it("says what it freed where the database stops to answer, and fails where it gave nothing back", async () => {
    const world = await largeWorld();
    const occupied = await crowd(world, HANDLE, times(20, UNKEYED));
    let writes = 0;
    const failing: Table = {
      ...tableOf(world),
      write: async (write) => {
        if (++writes > 16) throw new ThrottledError("for now");
        return world.table.write(write);
      },
    };
    const release = () => releaseHandle(contextOver(failing, world.clock), SPACE, HANDLE);
    const first = await release();
    expect(first.complete).toBe(false);
    expect(first.released.length).toBeGreaterThan(0);
    await expect(release()).rejects.toBeInstanceOf(ThrottledError);
    writes = Number.NEGATIVE_INFINITY;
    const last = await release();
    expect(last.complete).toBe(true);
    expect(toldOf([first, last])).toEqual(liveIn(occupied));
  });

  it("says that it got further as long as it ends allocations, also those that hold nothing any more", async () => {
    const world = await largeWorld();
    await crowd(world, HANDLE, times(3, KEYED));
    const release = () => releaseHandle(world.calm, SPACE, HANDLE);
    expect(await release()).toMatchObject({ released: { length: 3 }, progressed: true });
    expect(await release()).toMatchObject({ released: [], progressed: true });
    expect(await release()).toMatchObject({ released: [], progressed: false, complete: true });
  });

  it("is no failure where it finished allocations and then the database throttles, though it gave nothing back", async () => {
    const world = await largeWorld();
    await crowd(world, HANDLE, times(100, CUT_SHORT));
    let writes = 0;
    const failing: Table = {
      ...tableOf(world),
      write: async (write) => {
        if (++writes > 80) throw new ThrottledError("for now");
        return world.table.write(write);
      },
    };
    const release = () => releaseHandle(contextOver(failing, world.clock), SPACE, HANDLE);
    expect(await release()).toMatchObject({ released: [], progressed: true, complete: false });
    await expect(release()).rejects.toBeInstanceOf(ThrottledError);
  });

  it("frees all others where the database throttles one block, and says that it is not complete", async () => {
    const world = await largeWorld();
    const occupied = await crowd(world, HANDLE, times(300, UNKEYED));
    const answer = await releaseHandle(
      contextOver(rejecting(world, occupied.slice(0, 64)), world.clock),
      SPACE,
      HANDLE,
    );
    expect(toldOf([answer])).toEqual(liveIn(occupied.slice(64)));
    expect(answer.complete).toBe(false);
  });

  it("comes to all others within a few requests where each try of the first ones takes long, and is in vain", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/16", 32));
    const occupied = await crowd(world, HANDLE, times(300, UNKEYED));
    const inOrder = occupied.toSorted((a, b) =>
      a.allocation.place.id < b.allocation.place.id ? -1 : 1,
    );
    const time = new VirtualClock(world.clock.nowMs);
    // The table throttles as many allocations as a request can try in its time.
    const hot = rejecting(world, inOrder.slice(0, 64), () => time.sleep(PAGE_MS_MAX / 8));
    const slow = slowTable(hot, time, CALL_MS);
    const answers: Released[] = [];
    for (let n = 0; n < 10 && toldOf(answers).length < 300 - 64; n++)
      answers.push(await time.run(() => releaseHandle(contextIn(time, slow, n), SPACE, HANDLE)));
    expect(toldOf(answers)).toEqual(liveIn(inOrder.slice(64)));
    for (const { complete } of answers) expect(complete).toBe(false);
  });

  it("keeps no more allocations that are over than it may, and says that it is not complete", async () => {
    const world = await largeWorld();
    await crowd(world, HANDLE, times(ALLOCATIONS_OVER_MAX + 100, CUT_SHORT));
    const left = () =>
      contentsIn(world).allocations.filter((allocation) => !isKeptForKey(allocation)).length;
    expect(await releaseHandle(world.calm, SPACE, HANDLE)).toMatchObject({ complete: false });
    expect(left()).toBe(100);
    expect(await releaseHandle(world.calm, SPACE, HANDLE)).toMatchObject({ complete: true });
    expect(left()).toBe(0);
  });

  it("names an allocation that it cannot read, and frees all others", async () => {
    const world = await largeWorld();
    const occupied = await crowd(world, HANDLE, times(300, UNKEYED));
    const [first, ...others] = occupied;
    const { id, handleHash } = (first as OccupiedQuotaSlot).allocation.place;
    const partition = world.table.partitions.get(`HANDLE#${SPACE}#${handleHash}`);
    const item = partition?.get(`ID#${id}`);
    partition?.set(`ID#${id}`, { ...(item as NonNullable<typeof item>), f: 1 + Number(item?.f) });
    const answer = await releaseHandle(world.calm, SPACE, HANDLE);
    expect(toldOf([answer])).toEqual(liveIn(others));
    expect(answer.complete).toBe(false);
    expect(answer.unreadable.map(({ members }) => members.item)).toEqual([`allocation ${id}`]);
    partition?.set(`ID#${id}`, item as NonNullable<typeof item>);
  });
});

/** Returns a table that throttles every write to the blocks of `some`, after `before` has run. */
function rejecting(
  world: World,
  some: readonly OccupiedQuotaSlot[],
  before: () => Promise<unknown> = async () => {},
): Table {
  const hot = new Set(some.map((each) => formatCidr(each.cidr).split("/")[0]));
  return {
    ...tableOf(world),
    write: async (write) => {
      if (!hot.has(write.key.sk)) return world.table.write(write);
      await before();
      throw new ThrottledError("for now");
    },
  };
}
