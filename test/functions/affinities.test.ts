import { beforeEach, describe, expect, it } from "vitest";
import { BLOCKS_PER_CLAIM_MAX } from "../../src/kernel/affinities/claim-range.ts";
import { type newSpace, pagesOf, spaceWithPool, startAnew, textsOf } from "./plat.ts";

// A page also ends by time, which stands still here: no page is shorter on a slow machine.
beforeEach(() => {
  const nowMs = Date.now();
  startAnew({ now: () => nowMs });
});

type Plat = ReturnType<typeof newSpace>;

const path = (node: string) => `/v1/nodes/${node}/affinities`;
const claim = (
  plat: Plat,
  node: string,
  body: object,
  query: Readonly<Record<string, string>> = {},
) => plat.call("POST", path(node), { body, query });
const claimed = async (plat: Plat, node: string, cidr: string) =>
  (await claim(plat, node, { cidr })).body.blocks.map(({ status }: { status: string }) => status);
const held = async (plat: Plat, node: string) =>
  (await plat.get(path(node), { limit: "1000" })).body.affinities.map(
    ({ cidr }: { cidr: string }) => cidr,
  );
const release = (plat: Plat, node: string, query: Record<string, string> = {}) =>
  plat.delete(path(node), {}, query);
const assign = (plat: Plat, host: string, address: string, handle = `${host} ${address}`) =>
  plat.assign({ host, address, handle });

describe("the affinities of a host", () => {
  it("are its blocks of both families and what it borrows from, with state, age and use", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/120", blockSize: 124 });
    await claim(plat, "n1", { cidr: "10.0.0.0/28" });
    await plat.assign({ host: "n1", ipv4: 2, ipv6: 1, handle: "own" });
    await assign(plat, "n2", "10.0.0.200");
    await assign(plat, "n1", "10.0.0.201");
    const { status, body } = await plat.get(path("n1"));
    expect(status).toBe(200);
    expect(body).toMatchObject({ requestId: "request-1", host: "n1", affinityType: "host" });
    const own = { state: "confirmed", borrowed: false, claimedAt: expect.any(String) };
    expect(body.affinities).toHaveLength(3);
    expect(body.affinities).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...own, pool: "main", used: 2 }),
        expect.objectContaining({ ...own, pool: "six", used: 1 }),
        expect.objectContaining({ ...own, cidr: "10.0.0.192/28", borrowed: true, used: 2 }),
      ]),
    );
  });

  it("come in pages, in the order of addresses, none of them missed", async () => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", { cidr: "10.0.0.0/25" });
    const seen = (await pagesOf(plat, path("n1"), { limit: "3" })).flatMap(({ body }) =>
      body.affinities.map(({ cidr }: { cidr: string }) => cidr),
    );
    expect(seen).toEqual(await held(plat, "n1"));
    expect(seen).toHaveLength(8);
    expect((await plat.get(path("n2"), { cursor: "eyJvZiI6MX0" })).body.code).toBe(
      "invalid_request",
    );
  });
});

describe("the affinities of all hosts", () => {
  it("are the blocks that have a host, of both families, with their states", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/120", blockSize: 124 });
    await assign(plat, "n1", "10.0.0.1");
    await assign(plat, "n2", "10.0.0.2");
    await assign(plat, "n2", "2001:db8::11");
    await claim(plat, "lb", { cidr: "10.0.0.16/28", affinityType: "virtual" });
    await claim(plat, "gone", { cidr: "10.0.0.32/28" });
    await release(plat, "gone");
    const { status, body } = await plat.get("/v1/affinities");
    expect(status).toBe(200);
    const claimedAt = expect.any(String);
    const own = { affinityType: "host", pool: "main", state: "confirmed", claimedAt };
    expect(body).toEqual({
      requestId: "request-1",
      affinities: [
        { ...own, cidr: "10.0.0.0/28", host: "n1", used: 2 },
        { ...own, cidr: "10.0.0.16/28", host: "lb", affinityType: "virtual", used: 0 },
        { ...own, cidr: "2001:db8::10/124", host: "n2", pool: "six", used: 1 },
      ],
    });
    expect((await plat.get("/v1/affinities", { pool: "six" })).body.affinities).toHaveLength(1);
    expect((await plat.get("/v1/affinities", { pool: "none" })).status).toBe(404);
  });
});

describe("a claim of a range", () => {
  it("gives the host what is nobody's, and says whose the others are", async () => {
    const plat = await spaceWithPool();
    await assign(plat, "n2", "10.0.0.20");
    await assign(plat, "n1", "10.0.0.40");
    const { status, body } = await claim(plat, "n1", { cidr: "10.0.0.0/26" });
    expect(status).toBe(200);
    expect(body).toEqual({
      requestId: "request-1",
      host: "n1",
      affinityType: "host",
      pool: "main",
      blocks: [
        { cidr: "10.0.0.0/28", status: "claimed" },
        { cidr: "10.0.0.16/28", status: "not_owned", host: "n2", affinityType: "host" },
        { cidr: "10.0.0.32/28", status: "claimed" },
        { cidr: "10.0.0.48/28", status: "claimed" },
      ],
      complete: true,
      maxBlocksPerHost: 20,
    });
    expect((await claim(plat, "n1", { cidr: "10.0.0.0/26" })).body).toEqual(body);
    expect(await held(plat, "n1")).toEqual(["10.0.0.0/28", "10.0.0.32/28", "10.0.0.48/28"]);
  });

  it("takes no address, and what is claimed is assigned from", async () => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", { cidr: "10.0.0.64/28" });
    const [{ address }] = (await plat.assign({ host: "n1", ipv4: 1 })).body.addresses;
    expect(address).toMatch(/^10\.0\.0\.(6[4-9]|7\d)$/);
  });

  it("stops at the host's cap on blocks, and says so block by block", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/config", { maxBlocksPerHost: 2 });
    const { body } = await claim(plat, "n1", { cidr: "10.0.0.0/26" });
    expect(body).toMatchObject({ maxBlocksPerHost: 2, complete: true });
    const statuses = ["claimed", "claimed", "block_limit", "block_limit"];
    expect(await claimed(plat, "n1", "10.0.0.0/26")).toEqual(statuses);
    expect(await held(plat, "n1")).toHaveLength(2);
  });

  it("is rejected where it begins in no pool, in one that serves nobody, or is less than a block", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/off", { cidr: "10.1.0.0/24", disabled: true });
    const refused = async (cidr: string) => (await claim(plat, "n1", { cidr })).body;
    expect(await refused("192.0.2.0/24")).toMatchObject({ code: "no_pool_available" });
    expect(await refused("10.1.0.0/26")).toMatchObject({
      code: "no_pool_available",
      detail: "10.1.0.0/26 begins in pool off, which is disabled.",
    });
    expect(await refused("10.0.0.0/29")).toMatchObject({
      status: 400,
      code: "block_too_small",
      fields: [{ field: "cidr", value: "10.0.0.0/29" }],
      detail: "cidr 10.0.0.0/29 is smaller than a block: pool main has blocks of /28.",
    });
  });

  it("of more blocks than one request claims goes on with a cursor, which is of this range alone", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/20", blockSize: 27 });
    await plat.put("/v1/config", { maxBlocksPerHost: null });
    const first = (await claim(plat, "n1", { cidr: "10.0.0.0/20" })).body;
    expect(first).toMatchObject({ complete: false, next: expect.any(String) });
    expect(first.blocks).toHaveLength(BLOCKS_PER_CLAIM_MAX);
    const { next: cursor } = first;
    const second = (await claim(plat, "n1", { cidr: "10.0.0.0/20" }, { cursor })).body;
    expect(second).toMatchObject({ complete: true, blocks: { length: 64 } });
    expect(second).not.toHaveProperty("next");
    expect(second.blocks[0]).toEqual({ cidr: "10.0.8.0/27", status: "claimed" });
    expect(await held(plat, "n1")).toHaveLength(128);
    for (const [host, body] of [
      ["n1", { cidr: "10.0.0.0/21" }],
      ["n2", { cidr: "10.0.0.0/20" }],
      ["n1", { families: [4] }],
    ] as const)
      expect((await claim(plat, host, body, { cursor })).body).toMatchObject({
        code: "invalid_request",
        fields: [{ field: "?cursor" }],
      });
  });
});

describe("a host that is to have a block", () => {
  it("gets one of each family, and is answered the same ever after, also when it is full", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/120", blockSize: 124 });
    const { status, body } = await claim(plat, "n1", { families: [4, 6] });
    expect(status).toBe(200);
    expect(body.blocks).toMatchObject([
      { family: 4, pool: "main" },
      { family: 6, pool: "six" },
    ]);
    await plat.assign({ host: "n1", ipv4: 16, handle: "all" });
    expect((await claim(plat, "n1", { families: [6, 4] })).body.blocks).toEqual(
      body.blocks.toReversed(),
    );
    expect(await held(plat, "n1")).toHaveLength(2);
  });

  it("keeps in it what it reserves for itself, as a Windows host does", async () => {
    const plat = await spaceWithPool();
    const hostReserved = { start: 3, end: 1, handle: "windows-reserved-ipam-handle" };
    await claim(plat, "n1", { families: [4], hostReserved });
    const { body } = await plat.get("/v1/blocks", { host: "n1" });
    expect(body.blocks).toMatchObject([{ hostReservation: hostReserved }]);
  });

  it("gets it in a later pool of the list where an earlier one cannot serve it", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/other", { cidr: "10.1.0.0/24", disabled: true });
    const { body } = await claim(plat, "n1", { families: [4], pools: ["other", "main"] });
    expect(body.blocks).toMatchObject([{ pool: "main" }]);
  });

  it("is rejected where no block is free, where none is claimed by itself, and where no pool serves", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/28" });
    await assign(plat, "n2", "10.0.0.1");
    const ensure = async (body: object = {}) =>
      (await claim(plat, "n1", { families: [4], ...body })).body;
    expect(await ensure()).toMatchObject({
      code: "pool_exhausted",
      detail: "There is no block for host n1 in main (10.0.0.0/28): none is free.",
    });
    expect(await ensure({ pools: ["none"] })).toMatchObject({ code: "no_pool_available" });
    const etag = (await plat.put("/v1/config", { autoAllocateBlocks: false })).headers.etag;
    expect(etag).toBeDefined();
    expect((await ensure()).detail).toContain("autoAllocateBlocks");
  });
});

describe("a release of affinities", () => {
  it("leaves the addresses their owners', and what they are in without an owner", async () => {
    const plat = await spaceWithPool();
    await assign(plat, "n1", "10.0.0.1", "kept");
    await assign(plat, "n2", "10.0.0.2", "guest");
    const { status, body } = await release(plat, "n1", { cidr: "10.0.0.0/28" });
    expect(status).toBe(200);
    expect(body).toEqual({
      requestId: "request-1",
      host: "n1",
      complete: true,
      affinityType: "host",
      affinities: [{ cidr: "10.0.0.0/28", status: "disowned", inUse: 2, cooling: 0 }],
    });
    const block = (await plat.get("/v1/blocks/10.0.0.0/28")).body;
    expect(block.host).toBeUndefined();
    expect(block.addresses.map(({ handle }: { handle: string }) => handle)).toEqual([
      "kept",
      "guest",
    ]);
    expect((await plat.get(path("n1"))).body.affinities).toMatchObject([
      { cidr: "10.0.0.0/28", borrowed: true },
    ]);
  });

  it("of all blocks says what became of each, of both families, and again that none is left", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/config", { blockMinAgeSeconds: 0 });
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/120", blockSize: 124 });
    await assign(plat, "n1", "10.0.0.1");
    await claim(plat, "n1", { cidr: "10.0.0.16/28" });
    await claim(plat, "n1", { families: [6] });
    const { body } = await release(plat, "n1");
    expect(body.affinities).toMatchObject([
      { cidr: "10.0.0.0/28", status: "disowned" },
      { cidr: "10.0.0.16/28", status: "deleted" },
      { status: "deleted" },
    ]);
    expect((await release(plat, "n1")).body.affinities).toEqual([]);
    expect((await release(plat, "never-seen")).body.affinities).toEqual([]);
  });

  it("with mustBeEmpty keeps what is in use or cools, and lets the others go", async () => {
    const plat = await spaceWithPool({ cooldownSeconds: 60 });
    await plat.put("/v1/config", { blockMinAgeSeconds: 0 });
    await assign(plat, "n1", "10.0.0.1");
    await assign(plat, "n1", "10.0.0.17", "cools");
    await plat.release({ handle: "cools" });
    await claim(plat, "n1", { cidr: "10.0.0.32/28" });
    const { body } = await release(plat, "n1", { mustBeEmpty: "true" });
    expect(body.affinities).toEqual([
      { cidr: "10.0.0.0/28", status: "not_empty", inUse: 1, cooling: 0 },
      { cidr: "10.0.0.16/28", status: "not_empty", inUse: 0, cooling: 1 },
      { cidr: "10.0.0.32/28", status: "deleted" },
    ]);
    expect(await held(plat, "n1")).toEqual(["10.0.0.0/28", "10.0.0.16/28"]);
  });

  it("of a range says what became of each block of the host there, in pages, and leaves the others", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/20", blockSize: 27 });
    await plat.put("/v1/config", { maxBlocksPerHost: null, blockMinAgeSeconds: 0 });
    await claim(plat, "n2", { cidr: "10.0.0.0/27" });
    let cursor: string | undefined;
    do {
      const query: Readonly<Record<string, string>> = cursor ? { cursor } : {};
      cursor = (await claim(plat, "n1", { cidr: "10.0.0.0/20" }, query)).body.next;
    } while (cursor);
    const first = (await release(plat, "n1", { cidr: "10.0.0.0/20" })).body;
    expect(first.affinities).toHaveLength(64);
    expect(first.complete).toBe(false);
    expect(first.affinities[0]).toEqual({ cidr: "10.0.0.32/27", status: "deleted" });
    const { next } = first;
    const other = await release(plat, "n1", { cidr: "10.0.0.0/21", cursor: next });
    expect(other.body.code).toBe("invalid_request");
    const part = (await release(plat, "n1", { cidr: "10.0.8.128/25" })).body;
    expect(part.affinities).toHaveLength(4);
    const rest = (await release(plat, "n1", { cidr: "10.0.0.0/20", cursor: next })).body;
    expect(rest.affinities).toHaveLength(127 - 64 - 4);
    expect(rest.complete).toBe(true);
    expect(rest).not.toHaveProperty("next");
    expect(await held(plat, "n1")).toEqual([]);
    expect(await held(plat, "n2")).toEqual(["10.0.0.0/27"]);
  });

  it("of less than a block is rejected", async () => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", { cidr: "10.0.0.0/28" });
    expect((await release(plat, "n1", { cidr: "10.0.0.0/29" })).body).toMatchObject({
      status: 400,
      code: "block_too_small",
      blockSize: 28,
      fields: [{ field: "cidr", value: "10.0.0.0/29" }],
    });
    expect(await held(plat, "n1")).toEqual(["10.0.0.0/28"]);
  });

  it("of a block that is another's, or of none, changes nothing and says so", async () => {
    const plat = await spaceWithPool();
    await assign(plat, "n2", "10.0.0.1");
    for (const cidr of ["10.0.0.0/28", "10.0.0.32/28", "192.0.2.0/28"])
      expect((await release(plat, "n1", { cidr })).body.affinities).toEqual([
        { cidr, status: "not_owned" },
      ]);
    for (const cidr of ["10.0.0.0/24", "0.0.0.0/0", "::/0"])
      expect((await release(plat, "n1", { cidr })).body.affinities).toEqual([]);
    expect((await plat.get("/v1/blocks/10.0.0.0/28")).body.host).toBe("n2");
  });

  it("of a young empty block takes it from its host at once, and leaves it to the reclaimer", async () => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", { cidr: "10.0.0.0/28" });
    expect((await release(plat, "n1")).body.affinities).toMatchObject([
      { status: "disowned", inUse: 0 },
    ]);
  });
});

describe("a release of all that a host has", () => {
  it("frees what it has in its own blocks and what it borrowed, and nothing that others borrowed from it", async () => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", { cidr: "10.0.0.0/28" });
    await plat.assign({ host: "n1", ipv4: 3, handle: "a" }, "key");
    await assign(plat, "n2", "10.0.0.200", "theirs");
    await assign(plat, "n1", "10.0.0.201", "borrowed");
    const used = textsOf(await plat.get("/v1/handles/a"));
    const free = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].find(
      (address) => !used.includes(address),
    );
    await assign(plat, "n2", free as string, "guest");

    const { status, body } = await plat.release({ host: "n1" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ host: "n1", affinityType: "host", complete: true });
    expect(body.released.toSorted()).toEqual([...used, "10.0.0.201"].toSorted());
    for (const handle of ["theirs", "guest"])
      expect((await plat.get(`/v1/handles/${handle}`)).status).toBe(200);
    expect((await plat.release({ host: "n1" })).body).toMatchObject({
      released: [],
      complete: true,
    });
    const again = await plat.assign({ host: "n1", ipv4: 3, handle: "a" }, "key");
    expect(again.body.code).toBe("already_released");
  });
});
