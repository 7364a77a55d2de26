import { describe, expect, it } from "vitest";
import { sealCursor } from "../../src/api/http/cursor.ts";
import type { HttpReply } from "../../src/local/client.ts";
import { newSpace, pagesOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

/** Reads all pages of the utilization, of which the last one alone is complete. */
async function usagesOf(plat: Plat, query: Record<string, string> = {}) {
  const pages = await pagesOf(plat, "/v1/utilization", query);
  expect(pages.map(({ body }) => body.complete)).toEqual(pages.map((_, n) => !pages[n + 1]));
  return pages;
}

const poolsIn = (pages: readonly HttpReply[]) => pages.flatMap(({ body }) => body.pools);
const namesIn = (pages: readonly HttpReply[]) => poolsIn(pages).map(({ pool }) => pool);

/** Returns a space with an IPv4 pool in which a Windows host has a block, an IPv6 pool, and two overlapping reservations. */
async function spaceOfTwo() {
  const plat = newSpace();
  await plat.put("/v1/pools/six", { cidr: "2001:db8::/48" });
  await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
  const hostReserved = { start: 3, end: 1 };
  await plat.assign({ host: "n1", ipv4: 2, handle: "a", hostReserved });
  await plat.assign({ host: "n1", ipv6: 1, handle: "b" });
  await plat.put("/v1/reservations/one", { cidrs: ["10.0.0.0/25", "2001:db8::/64"] });
  await plat.put("/v1/reservations/two", { cidrs: ["10.0.0.64/26", "2001:db8::/80"] });
  return plat;
}

describe("the utilization of a space", () => {
  it("comes in pages of as many pools, or blocks of one pool, as are asked for, with the same sums in the end", async () => {
    const plat = await spaceOfTwo();
    await plat.assign({ host: "n2", ipv4: 20, handle: "c" });
    const pages = await usagesOf(plat, { limit: "1" });
    expect(pages.map((page) => namesIn([page]))).toEqual([["main"], ["six"]]);
    expect(poolsIn(pages)).toEqual(poolsIn(await usagesOf(plat)));

    const path = "/v1/pools/main/utilization";
    const whole = (await plat.get(path)).body;
    expect(whole.blocks.length).toBeGreaterThan(2);
    const blocks: unknown[] = [];
    let page = (await plat.get(path, { limit: "1" })).body;
    for (; page.next; page = (await plat.get(path, { limit: "1", cursor: page.next })).body) {
      expect(page).toMatchObject({ complete: false, blocks: { length: 1 } });
      blocks.push(...page.blocks);
    }
    const { requestId: _, ...last } = page;
    expect({ ...last, blocks: [...blocks, ...page.blocks] }).toEqual({
      ...whole,
      requestId: undefined,
    });
    for (const limit of ["0", "1001", "x"])
      expect(await plat.get(path, { limit })).toMatchObject({
        status: 400,
        body: { fields: [{ field: "?limit" }] },
      });
  });

  it("is that of each of its pools, by name, the space without blocks and all, and adds up", async () => {
    const plat = await spaceOfTwo();
    const { body } = await plat.get("/v1/utilization");
    expect(body.complete).toBe(true);
    expect(body.pools.map(({ pool }: { pool: string }) => pool)).toEqual(["main", "six"]);
    for (const told of body.pools) {
      const { pool, cidr, outsideBlocks, ...usage } = told;
      const own = (await plat.get(`/v1/pools/${pool}/utilization`)).body;
      expect(own).toMatchObject({ cidr, ...usage, outsideBlocks });
      expect(BigInt(usage.capacity)).toBe(
        [usage.inUse, usage.hostReserved, usage.reserved, usage.cooling, usage.available]
          .map(BigInt)
          .reduce((a, b) => a + b),
      );
    }
    const [main, six] = body.pools;
    expect(main).toMatchObject({ capacity: 256, inUse: 2, hostReserved: 4 });
    expect(six).toMatchObject({
      capacity: "1208925819614629174706176",
      inUse: 1,
      reserved: expect.stringMatching(/^1844674407370955161[56]$/),
    });
  });

  it("is that of the pools that are named, by name or CIDR, and then of nothing else", async () => {
    const plat = await spaceOfTwo();
    for (const pool of ["six", "2001:db8::/48"]) {
      const pages = await usagesOf(plat, { pool });
      expect(namesIn(pages)).toEqual(["six"]);
    }
    expect(namesIn(await usagesOf(plat, { pool: "six,main" }))).toEqual(["main", "six"]);
    expect(await plat.get("/v1/utilization", { pool: "six,none" })).toMatchObject({
      status: 404,
      body: { code: "not_found", detail: expect.stringContaining("none") },
    });
    expect((await plat.get("/v1/utilization", { pool: "six,six" })).status).toBe(400);
  });

  it("comes in pages over many block groups, each pool once and as a whole", async () => {
    const plat = newSpace();
    for (const n of [1, 2, 3]) {
      await plat.put(`/v1/pools/p${n}`, { cidr: `10.${n}.0.0/16`, blockSize: 28 });
      for (let i = 0; i < 20; i++)
        await plat.assign({ host: `n${i}`, address: `10.${n}.${4 * i}.1`, handle: "h" });
    }
    const pages = await usagesOf(plat);
    expect(pages.length).toBeGreaterThan(1);
    expect(namesIn(pages)).toEqual(["p1", "p2", "p3"]);
    for (const pool of poolsIn(pages))
      expect(pool).toMatchObject({ capacity: 65_536, inUse: 20, available: 65_516 });
  });

  it("goes on with the pools as they are by then", async () => {
    const plat = await spaceOfTwo();
    const of = ["utilizations", plat.space];
    const cursorAt = (position: object) => sealCursor(of, position);
    const within = {
      poolId: "of another pool",
      after: "10.0.0.128",
      sum: { inUse: "9", hostReserved: "0", reserved: "0", cooling: "0", available: "0" },
      reservedInBlocks: "9",
    };
    const anew = await plat.get("/v1/utilization", { cursor: cursorAt({ pool: "main", within }) });
    expect(anew.body.pools).toEqual((await plat.get("/v1/utilization")).body.pools);
    const later = await plat.get("/v1/utilization", { cursor: cursorAt({ pool: "nosuch" }) });
    expect(namesIn([later])).toEqual(["six"]);
  });

  it.each([{ orphansAfter: null }, { pool: "main", within: {} }])(
    "is not carried on from a place that nobody told: %j",
    async (position) => {
      const plat = await spaceOfTwo();
      const cursor = sealCursor(["utilizations", plat.space], position);
      expect(await plat.get("/v1/utilization", { cursor })).toMatchObject({
        status: 400,
        body: { fields: [{ field: "?cursor" }] },
      });
    },
  );
});
