import { describe, expect, it } from "vitest";
import { Rejection } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { groupOf } from "../../../src/kernel/values/block-group.ts";
import {
  type LendingHint,
  lendingSaid,
  numberOfGroup,
} from "../../../src/kernel/values/lending.ts";
import { FULL_KNOWN_MS_MAX } from "../../../src/kernel/values/limits.ts";
import { reclaimAll } from "../../scheduled-runs.ts";
import {
  assigned,
  cidrOf,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

/** Four block groups of 64 blocks with two addresses each. */
const SIZE = 512;
const full = async (changes: Partial<ReturnType<typeof poolOf>> = {}): Promise<World> => {
  const world = await makeWorld({ ...poolOf("10.0.0.0/23", 31), ...changes });
  for (let n = 0; n < SIZE / 2; n++) await assigned(world.calm, owned(n));
  return world;
};
const owned = (n: number): AssignRequest => ({
  ...requestOf(`pod-${n}`, 2),
  host: `host:node-${n}`,
});
const late = { ...requestOf("late", 1), host: "host:late" as const };

const hintsIn = (world: World): readonly LendingHint[] =>
  contentsIn(world).lending.flatMap(({ hints }) =>
    [...hints.values()].flatMap((hint) => hint ?? []),
  );
const saidIn = (world: World) => hintsIn(world).map((hint) => lendingSaid(hint, world.clock.nowMs));

/** Returns a table that collects the steps of its writes. */
function noting(world: World) {
  const steps: string[] = [];
  const table = {
    ...tableOf(world),
    write: (write: Parameters<World["table"]["write"]>[0]) => {
      steps.push(write.step);
      return tableOf(world).write(write);
    },
  };
  return { context: contextOver(table, world.clock, 9), steps };
}

describe("the write that takes the last address of a block", () => {
  it("notes with how many addresses the block is full, and a write before it does not", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/23", 31));
    await assigned(world.calm, { ...requestOf("a", 1), host: "host:one" });
    expect(contentsIn(world).blocks.map(({ fullWith }) => fullWith)).toEqual([undefined]);
    await assigned(world.calm, { ...requestOf("b", 1), host: "host:one" });
    expect(contentsIn(world).blocks).toMatchObject([{ fullWith: 2 }]);
  });
});

describe("a release", () => {
  it("tells that its group can lend if the block was full, by one write; a later one of the same block tells nothing", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/23", 31));
    for (const handle of ["a", "b"])
      await assigned(world.calm, { ...requestOf(handle, 1), host: "host:one" });
    const first = noting(world);
    await releaseHandle(first.context, SPACE, "a");
    expect(first.steps.filter((step) => step === "note-lending")).toHaveLength(1);
    expect(saidIn(world)).toEqual(["open"]);
    const [block] = contentsIn(world).blocks;
    const [page] = contentsIn(world).lending;
    expect([...(page?.hints.keys() ?? [])]).toEqual([
      numberOfGroup(groupOf(block?.cidr ?? cidrOf("10.0.0.0/31"))),
    ]);
    const second = noting(world);
    await releaseHandle(second.context, SPACE, "b");
    expect(second.steps).not.toContain("note-lending");
  });

  it("leads the next host that can only borrow to the address, though all groups were said to have nothing", async () => {
    const world = await full({ cooldownSeconds: 0 });
    await reclaimAll(world.calm);
    expect(saidIn(world)).toEqual(["shut", "shut", "shut", "shut"]);
    expect(await assign(contextOver(tableOf(world), world.clock, 3), late)).toBeInstanceOf(
      Rejection,
    );
    for (const n of [7, 250]) {
      await releaseHandle(world.calm, SPACE, `pod-${n}`);
      const told = await assign(contextOver(tableOf(world), world.clock, n), {
        ...late,
        handle: `late-${n}`,
        wanted: [{ family: 4, count: 2 }],
      });
      expect(told).not.toBeInstanceOf(Rejection);
      expect((told as Assignment).addresses).toMatchObject([
        { borrowed: true },
        { borrowed: true },
      ]);
    }
  });
});

describe("that a group has nothing", () => {
  it("is believed for a minute; that it has something until somebody finds nothing", () => {
    const atMs = 1_000_000;
    expect(lendingSaid({ atMs }, atMs + FULL_KNOWN_MS_MAX - 1)).toBe("shut");
    expect(lendingSaid({ atMs }, atMs + FULL_KNOWN_MS_MAX)).toBe("unknown");
    expect(lendingSaid({ atMs, freeAtMs: atMs + 30_000 }, atMs + 29_999)).toBe("shut");
    expect(lendingSaid({ atMs, freeAtMs: atMs + 30_000 }, atMs + 30_000)).toBe("open");
    expect(lendingSaid({ atMs, freeAtMs: atMs }, atMs + 10 * FULL_KNOWN_MS_MAX)).toBe("open");
    // The clock of the reader is behind that of the writer.
    expect(lendingSaid({ atMs, freeAtMs: atMs }, atMs - 2_000)).toBe("open");
    expect(lendingSaid(undefined, atMs)).toBe("unknown");
  });

  it("is corrected by the request that finds otherwise, and by the reclaimer", async () => {
    const world = await full({ cooldownSeconds: 0 });
    await reclaimAll(world.calm);
    const [page] = contentsIn(world).lending;
    if (!page) throw new Error("no hint was written");
    const { nowMs } = world.clock;
    const open = { atMs: nowMs, freeAtMs: nowMs };
    const hints = new Map([...page.hints.keys()].map((number) => [number, open]));
    await world.calm.store.noteLending({ ...page, hints });
    expect(await assign(contextOver(tableOf(world), world.clock, 3), late)).toBeInstanceOf(
      Rejection,
    );
    expect(saidIn(world).filter((said) => said === "shut")).toHaveLength(3);
    world.clock.nowMs += 1_000;
    await reclaimAll(world.calm);
    expect(saidIn(world)).toEqual(["shut", "shut", "shut", "shut"]);
  });

  it("is written of a group with a block that two callers filled together after the block has its note", async () => {
    const world = await full();
    const [block] = contentsIn(world).blocks;
    if (!block) throw new Error("there is no block");
    const item = world.table.items().find(({ fullWith, slots }) => fullWith === 2 && slots);
    if (!item) throw new Error("no block has a note");
    await world.table.write({
      step: "test",
      key: item,
      when: [],
      change: { kind: "update", remove: [["fullWith"]] },
    });
    expect(contentsIn(world).blocks.filter(({ fullWith }) => fullWith === undefined)).toHaveLength(
      1,
    );
    await reclaimAll(world.calm);
    expect(contentsIn(world).blocks.filter(({ fullWith }) => fullWith === undefined)).toHaveLength(
      0,
    );
    expect(saidIn(world)).toEqual(["shut", "shut", "shut", "shut"]);
  });

  it("ends with the first cooldown in the group", async () => {
    const world = await full({ cooldownSeconds: 30 });
    await releaseHandle(world.calm, SPACE, "pod-9");
    await reclaimAll(world.calm);
    const cooling = hintsIn(world).filter(({ freeAtMs }) => freeAtMs !== undefined);
    expect(cooling).toHaveLength(1);
    expect((cooling[0]?.freeAtMs ?? 0) - world.clock.nowMs).toBeGreaterThan(30_000);
    world.clock.nowMs = cooling[0]?.freeAtMs ?? 0;
    expect(saidIn(world).filter((said) => said === "open")).toHaveLength(1);
    expect(await assign(contextOver(tableOf(world), world.clock, 5), late)).not.toBeInstanceOf(
      Rejection,
    );
  });
});
