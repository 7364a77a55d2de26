import { describe, expect, it } from "vitest";
import { spaceWithPool, textsOf } from "./plat.ts";

/** A pool of two blocks of four addresses. */
const SMALL = { cidr: "10.0.0.0/29", blockSize: 30 };
const ALL_OF_SMALL = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `10.0.0.${i}`);
/** A pool of two blocks of two addresses. */
const SMALL_6 = { cidr: "2001:db8::/126", blockSize: 127 };

interface Assigned {
  readonly address: string;
  readonly block: string;
  readonly generation: string;
}

const blocksOf = (body: { addresses: Assigned[] }) =>
  new Set(body.addresses.map(({ block }) => block));

async function smallSpace(settings: object = {}) {
  const plat = await spaceWithPool(SMALL);
  await plat.put("/v1/config", { cooldownSeconds: 0, ...settings });
  return plat;
}

async function dualSpace() {
  const plat = await smallSpace();
  await plat.put("/v1/pools/six", SMALL_6);
  return plat;
}

describe("a request for both families", () => {
  it("is answered with both, IPv4 first, and its handle has both", async () => {
    const plat = await dualSpace();
    const { status, body } = await plat.assign({ host: "n1", ipv4: 2, ipv6: 1, handle: "h" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ requested: 3, messages: [] });
    expect(body.addresses).toMatchObject([
      { family: 4, pool: "main" },
      { family: 4, pool: "main" },
      { family: 6, pool: "six" },
    ]);
    expect((await plat.get("/v1/handles/h")).body.addresses).toHaveLength(3);
    const { addresses } = body;
    const released = await plat.release({
      addresses: addresses.map(({ address, generation }: Assigned) => ({ address, generation })),
    });
    for (const { status } of released.body.results) expect(status).toBe("released");
    expect((await plat.get("/v1/handles/h")).status).toBe(404);
  });

  it("may go without one that no pool serves, if it says so, and is told the same under its key", async () => {
    const plat = await smallSpace();
    const request = { host: "n1", ipv4: 2, ipv6: 3, handle: "h", allowPartial: true };
    const once = await plat.assign(request, "key-1");
    const missing = [{ family: 6, count: 3, code: "no_pool_available" }];
    expect(once).toMatchObject({ status: 200, body: { requested: 5, missing } });
    expect(once.body.messages).toEqual([expect.stringMatching(/^2 of 5 .*main is IPv4/)]);
    expect(once.body.addresses).toHaveLength(2);
    await plat.put("/v1/pools/six", SMALL_6);
    const again = await plat.assign(request, "key-1");
    expect(again.body).toMatchObject({ missing, addresses: once.body.addresses });
    const dry = await plat.assign({ ...request, pools: ["main"], dryRun: true });
    expect(dry.body).toMatchObject({
      missing,
      families: [
        { family: 4, blocks: [{ count: 2 }] },
        { family: 6, blocks: [], rejection: { code: "no_pool_available" } },
      ],
    });
  });

  it("that is rejected is told what is missing of each, and why", async () => {
    const plat = await smallSpace();
    const short = await plat.assign({ host: "n1", ipv4: 9, ipv6: 2, allowPartial: true });
    expect(short.body.missing).toEqual([
      { family: 6, count: 2, code: "no_pool_available" },
      { family: 4, count: 1, code: "pool_exhausted" },
    ]);
    const refused = await plat.assign({ host: "n2", ipv4: 1, ipv6: 2, allowPartial: true });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
    expect(refused.body.missing).toEqual([
      { family: 4, count: 1, code: "pool_exhausted" },
      { family: 6, count: 2, code: "no_pool_available" },
    ]);
  });

  it("has what its handle has under a limit, also of a family that no pool serves any more", async () => {
    const plat = await dualSpace();
    const request = { host: "n1", ipv4: 1, ipv6: 1, handle: "vm", limitPerHandle: 1 };
    const once = await plat.assign(request);
    const pool = await plat.get("/v1/pools/six");
    await plat.put("/v1/pools/six", { ...SMALL_6, disabled: true }, pool.headers.etag);
    const partial = { ...request, allowPartial: true };
    const again = await plat.assign(partial);
    expect(again.body).toMatchObject({ missing: [], messages: [], addresses: once.body.addresses });
    await plat.release({ addresses: [{ address: textsOf(once)[0], handle: "vm" }] });
    const keyed = await plat.assign(partial, "key-1");
    expect(keyed.body).toMatchObject({ missing: [], addresses: [{ family: 4 }, { family: 6 }] });
    expect((await plat.assign(partial, "key-1")).body.addresses).toEqual(keyed.body.addresses);
  });

  it("is served by the pools that it names for each, and where it names none by those for everybody", async () => {
    const plat = await dualSpace();
    const byName = { assignmentMode: "Manual", blockSize: 30 };
    await plat.put("/v1/pools/four-too", { ...byName, cidr: "10.1.0.0/29" });
    const poolsOf = async (named: object) => {
      const { body } = await plat.assign({ host: "n1", ipv4: 1, ipv6: 1, dryRun: true, ...named });
      return (
        body.rejection?.pools.map(
          ({ family, pool, code }: Record<string, unknown>) => `${family} ${pool} ${code}`,
        ) ?? body.families.map(({ blocks }: { blocks: { pool: string }[] }) => blocks[0]?.pool)
      );
    };
    expect(await poolsOf({})).toEqual(["main", "six"]);
    expect(await poolsOf({ ipv4Pools: ["four-too"] })).toEqual(["four-too", "six"]);
    expect(await poolsOf({ ipv6Pools: ["six"] })).toEqual(["main", "six"]);
    expect(await poolsOf({ ipv4Pools: ["10.1.0.0/29"], ipv6Pools: ["2001:db8::/126"] })).toEqual([
      "four-too",
      "six",
    ]);
    expect(await poolsOf({ ipv4Pools: ["six"], ipv6Pools: ["gone"] })).toEqual([
      "4 six family",
      "6 gone not_found",
    ]);
    const address = await plat.assign({ host: "n1", address: "10.1.0.1", ipv6Pools: ["six"] });
    expect(address.status).toBe(200);
    const other = await plat.assign({ host: "n1", address: "10.0.0.1", ipv4Pools: ["four-too"] });
    expect(other.body.pools).toMatchObject([{ pool: "main", code: "not_named" }]);
  });
});

describe("a request for more than one block has", () => {
  it("is told that it was freed, as soon as one of its addresses was", async () => {
    const plat = await smallSpace();
    const request = { host: "n1", ipv4: 6, handle: "h" };
    const { body } = await plat.assign(request, "key-1");
    const [{ address, generation }] = body.addresses;
    await plat.release({ addresses: [{ address, generation }] });
    expect(await plat.assign(request, "key-1")).toMatchObject({
      status: 409,
      body: { code: "already_released", released: [address] },
    });
  });

  it("may be for more addresses than one write can take, of one block or of many", async () => {
    for (const blockSize of [24, 28]) {
      const plat = await spaceWithPool({ cidr: "10.0.0.0/20", blockSize });
      const assigned = await plat.assign({ host: "n1", ipv4: 250, handle: "h" });
      expect(new Set(textsOf(assigned)).size).toBe(250);
      expect((await plat.delete("/v1/handles/h")).body.released).toHaveLength(250);
    }
  });
});

describe("a request for more than there is", () => {
  it("is told how many pools were tried; where everything was seen it need not come again", async () => {
    const plat = await smallSpace();
    await plat.put("/v1/pools/second", { cidr: "10.0.1.0/29", blockSize: 31 });
    await plat.assign({ host: "n1", ipv4: 8, pools: ["main"] });
    const inSecond = await plat.assign({ host: "n1", ipv4: 8 });
    expect(inSecond.body.addresses).toHaveLength(8);
    const refused = await plat.assign({ host: "n1", ipv4: 1 });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "pool_exhausted", retryable: false, poolsTried: 2, poolsServing: 2 },
    });
    expect(refused.body.pools).toMatchObject([
      { pool: "main", groups: "1", groupsLooked: 1 },
      { pool: "second", groups: "1", groupsLooked: 1 },
    ]);
  });

  it("that allows less is given what there is, and told why it is not all", async () => {
    const plat = await smallSpace();
    const assigned = await plat.assign({ host: "n1", ipv4: 9, allowPartial: true });
    expect(assigned).toMatchObject({ status: 200, body: { requested: 9 } });
    expect(textsOf(assigned)).toEqual(ALL_OF_SMALL);
    expect(assigned.body.messages).toEqual([expect.stringContaining("main (10.0.0.0/29)")]);
    expect(assigned.body.missing).toEqual([{ family: 4, count: 1, code: "pool_exhausted" }]);
  });
});

describe("the cap on the blocks of a host", () => {
  it("of the space holds where it is the stricter, and the rejection names it and the blocks there are", async () => {
    const plat = await smallSpace({ strictAffinity: true, maxBlocksPerHost: 1 });
    const own = { maxBlocksPerHost: 2 };
    const refused = await plat.assign({ host: "n1", ipv4: 5, handle: "h", ...own });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: "block_limit", blocks: 1, maxBlocksPerHost: 1 },
    });
    expect((await plat.get("/v1/handles/h")).status).toBe(404);
    const served = await plat.assign({ host: "n1", ipv4: 4, ...own });
    expect(blocksOf(served.body).size).toBe(1);
  });

  it("may be none at all, which is read back as it was set; a request may still have its own", async () => {
    const plat = await spaceWithPool({ blockSize: 31 });
    await plat.put("/v1/config", { maxBlocksPerHost: null, strictAffinity: true });
    expect((await plat.get("/v1/config")).body).toMatchObject({ maxBlocksPerHost: null });
    const asked = { host: "n1", ipv4: 50 };
    const capped = await plat.assign({ ...asked, maxBlocksPerHost: 24 });
    expect(capped.body).toMatchObject({ code: "block_limit", blocks: 24, maxBlocksPerHost: 24 });
    const { body } = await plat.assign({ ...asked, maxBlocksPerHost: null });
    expect(blocksOf(body).size).toBe(25);
  });
});

describe("where blocks are not claimed by themselves", () => {
  it("a host without a block is rejected, and told which setting it is", async () => {
    const plat = await smallSpace({ autoAllocateBlocks: false });
    const refused = await plat.assign({ host: "n1", ipv4: 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
    expect(refused.body.detail).toContain("autoAllocateBlocks");
  });
});
