import { describe, expect, it } from "vitest";
import type { HttpReply } from "../../src/local/client.ts";
import { newSpace, pagesOf, spaceWithPool, textsOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const cidrsOf = ({ body }: HttpReply): string[] =>
  body.blocks.map(({ cidr }: { cidr: string }) => cidr);

/** Claims the block of an address for a host by an assign of that address. */
const claim = (plat: Plat, host: string, address: string) =>
  plat.assign({ host, address, handle: `${host} ${address}` });

describe("a block", () => {
  it("is shown with its host, what its addresses are doing, and since when", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", address: "10.0.0.17", handle: "a", attributes: { pod: "p" } });
    await plat.put("/v1/reservations/some", { cidrs: ["10.0.0.16-10.0.0.18", "10.0.0.18/31"] });
    const { body } = await plat.get("/v1/blocks/10.0.0.16/28");
    expect(body).toMatchObject({
      cidr: "10.0.0.16/28",
      pool: "main",
      host: "n1",
      affinityType: "host",
      capacity: 16,
      inUse: 1,
      reserved: 3,
      cooling: 0,
      available: 12,
      addresses: [{ address: "10.0.0.17", state: "assigned", handle: "a", host: "n1" }],
    });
    expect(body.addresses[0]).toMatchObject({ borrowed: false });
    expect(body.addresses[0]).not.toHaveProperty("attributes");
    expect(body.claimedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(body).not.toHaveProperty("idleSince");
    expect((await plat.get("/v1/blocks/10.0.0.16%2F28")).body).toEqual(body);
  });

  it("tells who changed it last, and by which request", async () => {
    const plat = await spaceWithPool();
    const caller = "arn:aws:sts::123456789012:assumed-role/provisioner/i-1";
    const body = { host: "n1", address: "10.0.0.1", handle: "a" };
    const assigned = await plat.call("POST", "/v1/assign", { body, caller });
    const { changedBy } = (await plat.get("/v1/blocks/10.0.0.0/28")).body;
    const { requestId } = assigned.body;
    expect(changedBy).toEqual({ principal: caller, requestId, sourceIp: expect.any(String) });
    await plat.delete("/v1/handles/a");
    expect((await plat.get("/v1/blocks/10.0.0.0/28")).body.changedBy.principal).toBe("local");
  });

  it("shows an address that cools, whose it is no more", async () => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", "10.0.0.1");
    await plat.delete(`/v1/handles/${encodeURIComponent("n1 10.0.0.1")}`);
    const { body } = await plat.get("/v1/blocks/10.0.0.0/28");
    expect(body).toMatchObject({ inUse: 0, cooling: 1, available: 15 });
    expect(body.addresses).toEqual([
      { address: "10.0.0.1", state: "cooling", availableAt: expect.any(String) },
    ]);
  });

  it("tells its addresses page by page, each once and in order", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", ipv4: 16 });
    const [first] = cidrsOf(await plat.get("/v1/blocks"));
    const pages = await pagesOf(plat, `/v1/blocks/${first}`, { limit: "7" });
    expect(pages.map((page) => textsOf(page).length)).toEqual([7, 7, 2]);
    const base = Number(first?.split(/[./]/)[3]);
    expect(pages.flatMap(textsOf)).toEqual(
      Array.from({ length: 16 }, (_, i) => `10.0.0.${base + i}`),
    );
  });

  it.each([
    ["10.0.0.32/28", "no host has claimed it"],
    ["10.0.0.0/27", "pool main has blocks of /28"],
    ["10.1.0.0/28", "is in no pool"],
    ["::/0", "is in no pool"],
  ])("%s is not found: %s", async (cidr, reason) => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", "10.0.0.1");
    expect(await plat.get(`/v1/blocks/${cidr}`)).toMatchObject({
      status: 404,
      body: { code: "not_found", detail: expect.stringContaining(reason) },
    });
  });
});

describe("the blocks of a space", () => {
  /** Returns a space with blocks in two pools, claimed out of order, in more than one block group of the first pool. */
  async function spaceWithBlocks() {
    const plat = newSpace();
    await plat.put("/v1/pools/b-main", { cidr: "10.0.0.0/20", blockSize: 28 });
    await plat.put("/v1/pools/a-six", { cidr: "2001:db8::/64" });
    for (const address of ["10.0.15.1", "10.0.0.33", "2001:db8::7:1", "10.0.4.1", "10.0.0.1"])
      await claim(plat, "n1", address);
    await claim(plat, "n2", "10.0.0.17");
    return plat;
  }
  const ALL = [
    "2001:db8::7:0/122",
    "10.0.0.0/28",
    "10.0.0.16/28",
    "10.0.0.32/28",
    "10.0.4.0/28",
    "10.0.15.0/28",
  ];

  it("are listed pool by pool, by name, and in the order of addresses", async () => {
    const plat = await spaceWithBlocks();
    const { body, ...reply } = await plat.get("/v1/blocks");
    expect(cidrsOf({ ...reply, body })).toEqual(ALL);
    expect(body).not.toHaveProperty("next");
    expect(cidrsOf(await plat.get("/v1/blocks", { pool: "b-main" }))).toEqual(ALL.slice(1));
    expect(cidrsOf(await plat.get("/v1/blocks", { pool: "a-six" }))).toEqual(ALL.slice(0, 1));
  });

  it("are listed on after the last one, with what has been claimed meanwhile", async () => {
    const plat = await spaceWithBlocks();
    const { body } = await plat.get("/v1/blocks", { limit: "3" });
    await claim(plat, "n3", "10.0.0.49");
    const rest = await plat.get("/v1/blocks", { cursor: body.next });
    expect(cidrsOf(rest)).toEqual(["10.0.0.32/28", "10.0.0.48/28", "10.0.4.0/28", "10.0.15.0/28"]);
  });

  it("are listed over more block groups than one page looks at", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/16", blockSize: 28 });
    const addresses = Array.from({ length: 40 }, (_, i) => `10.0.${4 * i}.1`);
    for (const address of addresses) await claim(plat, address, address);
    const pages = await pagesOf(plat, "/v1/blocks");
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(cidrsOf)).toEqual(addresses.map((a) => a.replace(/1$/, "0/28")));
  });

  it("of a pool that is not there are not found", async () => {
    const plat = await spaceWithPool();
    expect(await plat.get("/v1/blocks", { pool: "none" })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect((await newSpace().get("/v1/blocks")).body).toMatchObject({ blocks: [] });
  });

  it("do not go on with a cursor of other filters, of another list, or of none", async () => {
    const plat = await spaceWithBlocks();
    const { next } = (await plat.get("/v1/blocks", { limit: "1" })).body;
    for (const [path, query] of [
      ["/v1/blocks", { pool: "b-main" }],
      ["/v1/blocks", { host: "n1" }],
      ["/v1/blocks/10.0.0.0/28", {}],
      ["/v1/handles/h", {}],
      ["/v1/pools/b-main/utilization", {}],
    ] as const)
      expect(await plat.get(path, { ...query, cursor: next })).toMatchObject({
        status: 400,
        body: { code: "invalid_request", fields: [{ field: "?cursor" }] },
      });
    expect(await newSpace().get("/v1/blocks", { cursor: next })).toMatchObject({
      status: 400,
      body: { code: "invalid_request", fields: [{ field: "?cursor" }] },
    });
  });
});

describe("the blocks of a host", () => {
  it("are those it is affine to, and those it borrows from, marked as borrowed", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/29", blockSize: 30 });
    await claim(plat, "owner", "10.0.0.1");
    await claim(plat, "guest", "10.0.0.5");
    await claim(plat, "guest", "10.0.0.2");
    const { body } = await plat.get("/v1/blocks", { host: "guest" });
    expect(body.blocks).toMatchObject([
      { cidr: "10.0.0.0/30", host: "owner", borrowed: true, inUse: 2 },
      { cidr: "10.0.0.4/30", host: "guest", borrowed: false, inUse: 1 },
    ]);
    const owner = await plat.get("/v1/blocks", { host: "owner" });
    expect(owner.body.blocks).toMatchObject([{ cidr: "10.0.0.0/30", borrowed: false }]);
    expect((await plat.get("/v1/blocks", { host: "stranger" })).body.blocks).toEqual([]);
  });

  it("are of one pool where one is named, and of both families where none is", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
    await plat.assign({ host: "n1", ipv4: 1, ipv6: 1 });
    expect(cidrsOf(await plat.get("/v1/blocks", { host: "n1" }))).toHaveLength(2);
    const six = await plat.get("/v1/blocks", { host: "n1", pool: "six" });
    expect(six.body.blocks).toMatchObject([{ pool: "six" }]);
  });

  it("come in pages, each block once", async () => {
    const plat = await spaceWithPool();
    const addresses = [2, 0, 4, 1, 3].map((i) => `10.0.0.${16 * i}`);
    for (const address of addresses) await claim(plat, "n1", address);
    const pages = await pagesOf(plat, "/v1/blocks", { host: "n1", limit: "2" });
    expect(pages.map((page) => cidrsOf(page).length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(cidrsOf)).toEqual([0, 1, 2, 3, 4].map((i) => `10.0.0.${16 * i}/28`));
  });

  it("are not those of a virtual owner of its name", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "lb", affinityType: "virtual", ipv4: 1 });
    expect(cidrsOf(await plat.get("/v1/blocks", { host: "lb" }))).toEqual([]);
    const { body } = await plat.get("/v1/blocks", { host: "lb", affinityType: "virtual" });
    expect(body.blocks).toMatchObject([{ host: "lb", affinityType: "virtual" }]);
  });
});

describe("the addresses of a handle", () => {
  it("come in pages, each address once, over all of its requests", async () => {
    const plat = await spaceWithPool();
    const told: string[] = [];
    for (const [host, count, key] of [
      ["n1", 20, "k1"],
      ["n2", 1, undefined],
      ["n2", 7, undefined],
    ] as const)
      told.push(...textsOf(await plat.assign({ host, ipv4: count, handle: "h" }, key)));
    for (const limit of ["1", "3", "8", "28", "1000"]) {
      const pages = await pagesOf(plat, "/v1/handles/h", { limit });
      expect(pages.flatMap(textsOf).toSorted()).toEqual(told.toSorted());
      for (const page of pages) {
        expect(textsOf(page).length).toBeLessThanOrEqual(Number(limit));
        expect(page.body.handle).toBe("h");
      }
    }
  });

  it("end a page earlier when their attributes are large", async () => {
    const plat = await spaceWithPool();
    const attributes = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`a${i}`, "x".repeat(1_000)]),
    );
    await plat.assign({ host: "n1", ipv4: 100, handle: "h", attributes });
    const pages = await pagesOf(plat, "/v1/handles/h");
    expect(pages.flatMap(textsOf)).toHaveLength(100);
    for (const { body } of pages) expect(JSON.stringify(body).length).toBeLessThan(6_000_000);
    expect(pages.length).toBeGreaterThan(1);
  });

  it("go on after what was released while its reader turned the page", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", ipv4: 6, handle: "h" });
    const first = await plat.get("/v1/handles/h", { limit: "3" });
    await plat.release({ addresses: [{ address: textsOf(first)[2], handle: "h" }] });
    const rest = await plat.get("/v1/handles/h", { limit: "3", cursor: first.body.next });
    expect(new Set([...textsOf(first), ...textsOf(rest)]).size).toBe(6);
    await plat.delete("/v1/handles/h");
    const gone = await plat.get("/v1/handles/h", { cursor: first.body.next });
    expect(gone).toMatchObject({ status: 200, body: { handle: "h", addresses: [] } });
    expect((await plat.get("/v1/handles/h")).status).toBe(404);
  });
});

describe("the utilization of a pool", () => {
  it("counts the whole pool, block by block and where there is none, and adds up", async () => {
    const plat = await spaceWithPool();
    await claim(plat, "n1", "10.0.0.1");
    await claim(plat, "n1", "10.0.0.2");
    await claim(plat, "n2", "10.0.0.17");
    await plat.delete(`/v1/handles/${encodeURIComponent("n2 10.0.0.17")}`);
    await plat.put("/v1/reservations/a", { cidrs: ["10.0.0.0-10.0.0.3", "10.0.0.128/25"] });
    await plat.put("/v1/reservations/b", { cidrs: ["10.0.0.2-10.0.0.4", "10.0.0.192/26"] });
    const { body } = await plat.get("/v1/pools/main/utilization");
    const counts = { hostReserved: 0, inUse: 2, reserved: 131, cooling: 1, available: 122 };
    expect(body).toMatchObject({
      ...{ requestId: "request-1", pool: "main", cidr: "10.0.0.0/24", complete: true },
      ...{ capacity: 256, ...counts },
      blocks: [
        { cidr: "10.0.0.0/28", capacity: 16, inUse: 2, reserved: 3, cooling: 0, available: 11 },
        { cidr: "10.0.0.16/28", capacity: 16, inUse: 0, reserved: 0, cooling: 1, available: 15 },
      ],
      outsideBlocks: { capacity: 224, inUse: 0, reserved: 128, cooling: 0, available: 96 },
    });
  });

  it("of a pool that numbers cannot count is told as decimal text, exactly", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/48" });
    await plat.put("/v1/reservations/some", { cidrs: ["2001:db8::/64", "2001:db8::1"] });
    await plat.assign({ host: "n1", ipv6: 1 });
    const { body } = await plat.get("/v1/pools/six/utilization");
    expect(body).toMatchObject({
      capacity: "1208925819614629174706176",
      inUse: 1,
      reserved: "18446744073709551616",
      cooling: 0,
      available: "1208907372870555465154559",
    });
  });

  it("of a pool with more block groups than a page looks at comes in pages, the last with the sums", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/16", blockSize: 28 });
    await plat.put("/v1/reservations/some", { cidrs: ["10.0.0.0-10.0.3.255", "10.0.200.0/24"] });
    for (let i = 0; i < 40; i++) await claim(plat, `n${i}`, `10.0.${4 * i}.1`);
    const pages = await pagesOf(plat, "/v1/pools/main/utilization");
    expect(pages.map(({ body }) => body.complete)).toEqual([false, true]);
    const [first, last] = pages.map(({ body }) => body);
    expect(first.inUse).toBe(first.blocks.length);
    expect(first.capacity).toBe(16 * first.blocks.length);
    expect(first).not.toHaveProperty("outsideBlocks");
    expect(first.blocks.length + last.blocks.length).toBe(40);
    expect(last).toMatchObject({
      capacity: 65_536,
      inUse: 40,
      reserved: 1024 - 1 + 256,
      cooling: 0,
      available: 65_536 - 40 - 1023 - 256,
    });
  });

  it("is not carried on over a pool it does not fit", async () => {
    const plat = await spaceWithPool();
    const { body } = await plat.get("/v1/pools/main/utilization");
    expect(body).not.toHaveProperty("next");
    const position = {
      poolId: "another",
      after: "10.0.0.1",
      sum: { inUse: "1", hostReserved: "0", reserved: "0", cooling: "0", available: "0" },
      reservedInBlocks: "0",
    };
    const of = ["utilization", plat.space, "main"];
    const cursor = Buffer.from(JSON.stringify({ of, position })).toString("base64url");
    expect(await plat.get("/v1/pools/main/utilization", { cursor })).toMatchObject({
      status: 400,
      body: { code: "invalid_request", fields: [{ field: "?cursor" }] },
    });
  });

  it("of a pool that is not there is not found", async () => {
    expect((await newSpace().get("/v1/pools/none/utilization")).status).toBe(404);
  });
});
