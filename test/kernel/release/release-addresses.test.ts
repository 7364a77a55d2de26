import { expect, it } from "vitest";
import { RELEASES_PER_REQUEST_MAX } from "../../../src/base/limits.ts";
import { ThrottledError } from "../../../src/base/outcome.ts";
import { releaseAddresses } from "../../../src/kernel/release/release-addresses.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { parseGeneration } from "../../../src/kernel/values/generation.ts";
import type { Table } from "../../../src/table/table.ts";
import { addressOfQuotaSlot, crowd } from "../../crowd.ts";
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

const HANDLE = "deployment";

/** Assigns one handle as many addresses as one request can name. */
async function crowded() {
  const world = await makeWorld(poolOf("10.0.0.0/16", 26));
  const occupied = await crowd(world, HANDLE, Array(RELEASES_PER_REQUEST_MAX).fill({}));
  return {
    world,
    named: occupied.map((each) => ({ address: addressOfQuotaSlot(each), handle: HANDLE })),
  };
}

/** Returns a table whose writes take 100 ms each, one after the other. */
const slowed = (world: World): Table => ({
  ...tableOf(world),
  write: (write) => {
    world.clock.nowMs += 100;
    return world.table.write(write);
  },
});

it("a release of many addresses ends in its time, says which are unfinished, and is finished by repeats of itself", async () => {
  const { world, named } = await crowded();
  const slow = slowed(world);
  const told = new Map<number, string>();
  for (let times = 0; told.size < named.length; times++) {
    const startedAtMs = world.clock.nowMs;
    const context = contextOver(slow, world.clock, times);
    const { results, complete } = await releaseAddresses(context, SPACE, named);
    expect(world.clock.nowMs - startedAtMs).toBeLessThan(6_000);
    expect(results).toHaveLength(named.length);
    expect(complete).toBe(results.every(({ status }) => status !== "unfinished"));
    for (const [n, { status }] of results.entries())
      if (status === "released") {
        expect(told.has(n)).toBe(false);
        told.set(n, status);
      }
    expect(times).toBeLessThan(100);
  }
});

it("a release of an address that cannot be carried out for the moment keeps nobody from the others", async () => {
  const { world, named } = await crowded();
  let writes = 0;
  const failing: Table = {
    ...tableOf(world),
    write: async (write) => {
      if (++writes === 21) throw new ThrottledError("for now");
      return world.table.write(write);
    },
  };
  const { results, complete } = await releaseAddresses(
    contextOver(failing, world.clock),
    SPACE,
    named,
  );
  expect(complete).toBe(false);
  const counts = (status: string) => results.filter((each) => each.status === status).length;
  expect(counts("released")).toBeGreaterThan(5);
  expect(counts("released") + counts("unfinished")).toBe(named.length);
});

it("a release of addresses none of which can be carried out fails", async () => {
  const { world, named } = await crowded();
  const failing: Table = {
    ...tableOf(world),
    write: async () => {
      throw new ThrottledError("for now");
    },
  };
  const release = () => releaseAddresses(contextOver(failing, world.clock), SPACE, named);
  await expect(release()).rejects.toBeInstanceOf(ThrottledError);
});

it("a generation that was altered: deletes no allocation that names other blocks", async () => {
  const world = await makeWorld();
  const told = await assigned(world.calm, requestOf("deployment", 4));
  const lone = told.addresses.map(({ address, generation }) => {
    const altered = parseGeneration(generation.replace(".h", ".i"));
    if (!altered.ok) throw new Error(altered.problem);
    return { address: altered.value.address, generation: altered.value, text: address };
  });
  const { results } = await releaseAddresses(world.calm, SPACE, lone.slice(0, 2));
  expect(results).toMatchObject([{ status: "released" }, { status: "released" }]);
  const { released } = await releaseHandle(world.calm, SPACE, "deployment");
  expect(released).toEqual(lone.slice(2).map(({ text }) => text));
});
