import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { formatTime } from "../../../src/base/time.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import { ensureBlocks } from "../../../src/kernel/assign/ensure-blocks.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { intervalOf } from "../../../src/net/cidr.ts";
import { putPool, putReservation } from "../../../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../../../src/nouns/pool/pool.ts";
import { network } from "../../builders.ts";
import { networkRequest } from "../../network-request.ts";
import { ensure, prefixPool, tryEnsure } from "../../prefixes.ts";
import { reclaimAll } from "../../scheduled-runs.ts";
import { judgeAnswer } from "../../simulation/retryable.ts";
import {
  addressOf,
  assigned,
  COOLDOWN_SECONDS,
  cidrOf,
  makeWorld,
  poolOf,
  reportAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../../world.ts";

const COOLDOWN_MS = 1000 * COOLDOWN_SECONDS;
const BLOCK_MIN_AGE_SECONDS = 300;
const LONGEST = { cooldownMs: COOLDOWN_MS, blockMinAgeMs: 1000 * BLOCK_MIN_AGE_SECONDS };

/** Assigns each address of the pool to a handle of its own, `h-0` and so on. */
async function fill({ calm }: World, count: number, more: Partial<AssignRequest> = {}) {
  for (let n = 0; n < count; n++) await assigned(calm, { ...requestOf(`h-${n}`, 1), ...more });
}

/** Returns the rejection of a request, after a judge has looked whether it is true. */
async function rejected(world: World, request: AssignRequest): Promise<Rejection> {
  const answer = await assign(world.calm, request);
  if (!(answer instanceof Rejection)) throw new Error("it was served");
  expect(await judgeAnswer(world, request, answer, LONGEST)).toEqual([]);
  return answer;
}

const ranged = (cidr: string): PoolSpec => ({
  ...poolOf("10.0.0.0/29", 31),
  ranges: [intervalOf(cidrOf(cidr))],
});

const late = (count = 1): AssignRequest => ({ ...requestOf("late", count), host: "host:late" });

/** The members of a rejection that ends with the cooldown of what is released now. */
const coolingNow = ({ clock }: World, cooling: number) => ({
  retryable: true,
  cooling,
  availableAt: formatTime(clock.nowMs + COOLDOWN_MS + CLOCK_SKEW_MS_MAX),
  retryAfterSeconds: (COOLDOWN_MS + CLOCK_SKEW_MS_MAX) / 1000,
});

describe("a rejection is retryable", () => {
  it("while addresses cool, and says how many and when one can be assigned", async () => {
    const world = await makeWorld();
    await fill(world, 8);
    for (const handle of ["h-0", "h-5"]) await releaseHandle(world.calm, SPACE, handle);
    const { code, detail, members } = await rejected(world, late());
    const told = coolingNow(world, 2);
    expect({ code, members }).toMatchObject({ code: "pool_exhausted", members: told });
    expect(members.pools).toMatchObject([
      { pool: "pool", code: "cooling", cooling: 2, availableAt: told.availableAt },
    ]);
    expect(detail).toContain(`one can be assigned at ${told.availableAt}`);
  });

  it("only if as many cool as are missing", async () => {
    const world = await makeWorld();
    await fill(world, 8);
    for (const handle of ["h-0", "h-5"]) await releaseHandle(world.calm, SPACE, handle);
    expect((await rejected(world, late(2))).members).toMatchObject(coolingNow(world, 2));
    const three = await rejected(world, late(3));
    expect(three.members).toMatchObject({ cooling: 2 });
    expect(three.members).not.toHaveProperty("retryable");
  });

  it("while addresses are leased, because nobody may renew them", async () => {
    const world = await makeWorld();
    await fill(world, 7);
    await assigned(world.calm, { ...requestOf("leased", 1), leaseSeconds: 60 });
    const { members } = await rejected(world, late());
    expect(members).toMatchObject({ retryable: true });
    expect(members).not.toHaveProperty("availableAt");
    await scheduledRuns(world, 2);
    await assigned(world.calm, late());
  });

  it("while an empty block of another host is younger than its minimum age, where nobody borrows", async () => {
    const settings = { strictAffinity: true, blockMinAgeSeconds: BLOCK_MIN_AGE_SECONDS };
    const world = await makeWorld(poolOf("10.0.0.0/30", 31), settings);
    await fill(world, 4);
    for (const handle of ["h-0", "h-1", "h-2", "h-3"])
      await releaseHandle(world.calm, SPACE, handle);
    const { members } = await rejected(world, late());
    const atMs = world.clock.nowMs + 1000 * BLOCK_MIN_AGE_SECONDS;
    expect(members).toMatchObject({ retryable: true, availableAt: formatTime(atMs) });
  });

  it("while addresses of a ranged pool cool", async () => {
    const world = await makeWorld(ranged("10.0.0.2/31"));
    await fill(world, 2);
    await releaseHandle(world.calm, SPACE, "h-1");
    expect((await rejected(world, late())).members).toMatchObject(coolingNow(world, 1));
  });

  it("while as many cool in several pools as are missing, though not in one of them", async () => {
    const world = await makeWorld(ranged("10.0.0.2/32"));
    await putPool(world.calm, SPACE, "other", ranged("10.0.0.5/32"), undefined);
    await fill(world, 2);
    for (const handle of ["h-0", "h-1"]) await releaseHandle(world.calm, SPACE, handle);
    expect((await rejected(world, late(2))).members).toMatchObject(coolingNow(world, 2));
  });

  it("where the address that it names is in quarantine", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31), { conflictQuarantineSeconds: 60 });
    const told = await assigned(world.calm, requestOf("h", 1));
    await reportAll(world.calm, told);
    const [{ address = "" } = {}] = told.addresses;
    const named = { ...late(), addresses: [addressOf(address)] };
    expect(await rejected(world, named)).toMatchObject({
      code: "address_quarantined",
      members: { retryable: true, retryAfterSeconds: 60 + CLOCK_SKEW_MS_MAX / 1000 },
    });
  });

  it("where the address that it names is leased", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, { ...requestOf("leased", 1), leaseSeconds: 60 });
    const [{ address = "" } = {}] = told.addresses;
    const named = { ...late(), addresses: [addressOf(address)] };
    expect(await rejected(world, named)).toMatchObject({
      code: "already_assigned",
      members: { assignedTo: "leased", retryable: true },
    });
    await scheduledRuns(world, 2);
    await assigned(world.calm, named);
  });
});

const NAMED: AssignRequest = { ...late(), addresses: [addressOf("10.0.0.1")] };

const LATE_BLOCK = { space: SPACE, host: late().host, families: [4] as const, pools: [] };

/** Returns the rejection of a host that wants a block. */
async function unensured({ calm }: World): Promise<Rejection> {
  const answer = await ensureBlocks(calm, LATE_BLOCK);
  return answer instanceof Rejection ? answer : expect.fail("it has a block");
}

/** Waits until reclaim has deleted the empty blocks that are past their minimum age. */
async function outliveBlocks(world: World): Promise<void> {
  world.clock.nowMs += COOLDOWN_MS + LONGEST.blockMinAgeMs + CLOCK_SKEW_MS_MAX;
  await scheduledRuns(world, 3);
}

describe("a rejection is retryable while a block is about to go", () => {
  it("that has the named address, is empty, and is another host's, where nobody borrows", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 31), { strictAffinity: true });
    await assigned(world.calm, { ...requestOf("h", 1), addresses: [addressOf("10.0.0.0")] });
    const { code, members } = await rejected(world, NAMED);
    expect(code).toBe("strict_affinity");
    expect(members).not.toHaveProperty("retryable");
    await releaseHandle(world.calm, SPACE, "h");
    expect((await rejected(world, NAMED)).members).toMatchObject({ retryable: true });
    await outliveBlocks(world);
    await assigned(world.calm, NAMED);
  });

  it("unless the host would then keep the named address for itself", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30), { strictAffinity: true });
    await fill(world, 1);
    await releaseHandle(world.calm, SPACE, "h-0");
    const hostReserved = { start: 2, end: 0, handle: "reserved", note: "ours" };
    const { code, members } = await rejected(world, { ...NAMED, hostReserved });
    expect(code).toBe("strict_affinity");
    expect(members).not.toHaveProperty("retryable");
    await outliveBlocks(world);
    const later = await rejected(world, { ...NAMED, hostReserved });
    expect(later.code).toBe("already_assigned");
  });

  it("that an ensured block can replace, and says when", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31), {
      blockMinAgeSeconds: BLOCK_MIN_AGE_SECONDS,
    });
    await fill(world, 1);
    expect((await unensured(world)).members).not.toHaveProperty("retryable");
    await releaseHandle(world.calm, SPACE, "h-0");
    const atMs = world.clock.nowMs + 1000 * BLOCK_MIN_AGE_SECONDS;
    expect((await unensured(world)).members).toMatchObject({
      retryable: true,
      availableAt: formatTime(atMs),
    });
    await outliveBlocks(world);
    expect(await ensureBlocks(world.calm, LATE_BLOCK)).toMatchObject([{ cidr: "10.0.0.0/31" }]);
  });

  it("whose host keeps the named address for itself, unless the other host would keep it too", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30));
    const hostReserved = { start: 2, end: 0, handle: "reserved", note: "theirs" };
    await assigned(world.calm, { ...requestOf("h", 1), hostReserved });
    const { code, members } = await rejected(world, NAMED);
    expect(code).toBe("already_assigned");
    expect(members).not.toHaveProperty("retryable");
    await releaseHandle(world.calm, SPACE, "h");
    const alike = await rejected(world, { ...NAMED, hostReserved });
    expect(alike.members).not.toHaveProperty("retryable");
    expect((await rejected(world, NAMED)).members).toMatchObject({ retryable: true });
    await outliveBlocks(world);
    await assigned(world.calm, NAMED);
  });

  it("that is the host's own, if it may have a larger one in its place", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31));
    await assigned(world.calm, { ...requestOf("h", 1), pools: ["pool"] });
    await releaseHandle(world.calm, SPACE, "h");
    await putPool(world.calm, SPACE, "other", poolOf("10.1.0.0/28", 29), undefined);
    const asked = { ...requestOf("more", 5), maxBlocksPerHost: 1 };
    expect(await rejected(world, asked)).toMatchObject({
      code: "block_limit",
      members: { retryable: true },
    });
    await outliveBlocks(world);
    await assigned(world.calm, asked);
  });
});

describe("a rejection is final", () => {
  it("where the pool has fewer addresses than are wanted, though a block is empty", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/29", 29));
    await fill(world, 1);
    await releaseHandle(world.calm, SPACE, "h-0");
    const { members } = await rejected(world, requestOf("all", 9));
    expect(members).not.toHaveProperty("retryable");
  });

  it("where no other block of the host would have more addresses than its empty one", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/28", 30));
    await fill(world, 1);
    await releaseHandle(world.calm, SPACE, "h-0");
    const { code, members } = await rejected(world, { ...requestOf("h", 5), maxBlocksPerHost: 1 });
    expect(code).toBe("block_limit");
    expect(members).not.toHaveProperty("retryable");
  });

  it("where everything is assigned and nothing is leased", async () => {
    const world = await makeWorld();
    await fill(world, 8);
    const { members } = await rejected(world, late());
    expect(members).toMatchObject({ pools: [{ code: "full" }] });
    for (const name of ["retryable", "availableAt", "cooling"])
      expect(members).not.toHaveProperty(name);
  });

  it("where a node states a network in the named prefix, though the prefix is leased", async () => {
    const { calm } = await makeWorld();
    await putPool(calm, SPACE, "pods", prefixPool("10.64.0.0/24", 24), undefined);
    await ensure(calm, "pending");
    const specific = network("10.64.0.0/24");
    const named = networkRequest("late", { specific });
    expect(await assign(calm, named)).toMatchObject({
      code: "already_assigned",
      members: { node: "pending", retryable: true },
    });
    await tryEnsure(calm, "other", { podCidrs: ["10.64.0.0/25"] });
    const final = await assign(calm, named);
    expect(final).toMatchObject({ code: "already_assigned", members: { node: "other" } });
    expect(final).not.toHaveProperty("members.retryable");
  });

  it("where what cools is reserved", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31));
    await fill(world, 2);
    await releaseHandle(world.calm, SPACE, "h-0");
    const spec = { cidrs: ["10.0.0.0/31"], intervals: [intervalOf(cidrOf("10.0.0.0/31"))] };
    await putReservation(world.calm, SPACE, "all", spec, undefined);
    expect((await rejected(world, late())).members).not.toHaveProperty("retryable");
  });
});

/**
 * Makes a world with two blocks of two addresses, of which one is reserved. Nothing else is taken in the block of the reserved one, and
 * other hosts may seize it.
 */
async function withIdleBlock(reserved: string, other: string): Promise<World> {
  const settings = { strictAffinity: true, blockMinAgeSeconds: BLOCK_MIN_AGE_SECONDS };
  const world = await makeWorld(poolOf("10.0.0.0/30", 31), settings);
  const spec = { cidrs: [reserved], intervals: [intervalOf(cidrOf(`${reserved}/32`))] };
  await putReservation(world.calm, SPACE, "one", spec, undefined);
  for (const handle of ["h-0", "h-1", "h-2"]) {
    const { addresses } = await assigned(world.calm, requestOf(handle, 1));
    if (addresses.some(({ address }) => address === other))
      await releaseHandle(world.calm, SPACE, handle);
  }
  world.clock.nowMs += LONGEST.blockMinAgeMs + CLOCK_SKEW_MS_MAX;
  await reclaimAll(world.calm); // It marks the block as idle.
  return world;
}

it("a rejection does not promise again what the request had from a block that it seized", async () => {
  const world = await withIdleBlock("10.0.0.2", "10.0.0.3");
  expect((await rejected(world, late(2))).members).not.toHaveProperty("availableAt");
  await assigned(world.calm, late(1));
});

it("a rejection promises no more blocks than the host may have", async () => {
  const settings = { strictAffinity: true, blockMinAgeSeconds: BLOCK_MIN_AGE_SECONDS };
  const world = await makeWorld(poolOf("10.0.0.0/29", 31), settings);
  await fill(world, 8);
  for (let n = 0; n < 8; n++) await releaseHandle(world.calm, SPACE, `h-${n}`);
  const asked = { ...late(5), maxBlocksPerHost: 2 };
  expect((await rejected(world, asked)).members).not.toHaveProperty("retryable");
  const { members } = await rejected(world, { ...asked, wanted: late(4).wanted });
  expect(members).toHaveProperty("availableAt");
});

it("a rejection does not promise what the host would reserve for itself", async () => {
  const world = await withIdleBlock("10.0.0.3", "10.0.0.2");
  const hostReserved = { start: 1, end: 0, handle: "reserved", note: "ours" };
  const { members } = await rejected(world, { ...late(), hostReserved });
  expect(members).not.toHaveProperty("availableAt");
  await assigned(world.calm, late());
});
