import { describe, expect, it } from "vitest";
import { sealCursor } from "../../src/api/http/cursor.ts";
import { newSpace, textsOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;

const CIDR = { cidr: "10.0.0.0/24", blockSize: 28 };

/** Returns a space in which two teams have sets of one range, which split its first block. */
async function twoTeams(): Promise<Plat> {
  const plat = newSpace();
  await plat.put("/v1/config", { cooldownSeconds: 0 });
  await plat.put("/v1/pools/red", { ...CIDR, ranges: ["10.0.0.2-10.0.0.5"] });
  await plat.put("/v1/pools/blue", {
    ...CIDR,
    ranges: ["10.0.0.6-10.0.0.20"],
    excludes: ["10.0.0.10"],
    gateway: "10.0.0.1",
    routes: [{ dst: "192.168.0.0/16", gw: "10.0.0.1" }],
  });
  return plat;
}

const etagOf = async (plat: Plat, name: string) =>
  (await plat.get(`/v1/pools/${name}`)).headers.etag;

describe("a pool with ranges", () => {
  it("is answered with its sets merged and in order", async () => {
    const plat = newSpace();
    const created = await plat.put("/v1/pools/red", {
      ...CIDR,
      ranges: ["10.0.0.20", "10.0.0.4-10.0.0.7", "10.0.0.0/30"],
      excludes: ["10.0.0.6-10.0.0.6"],
    });
    expect(created).toMatchObject({ status: 201 });
    const { body, headers } = await plat.get("/v1/pools/red");
    expect(body).toMatchObject({
      ranges: ["10.0.0.0-10.0.0.7", "10.0.0.20"],
      excludes: ["10.0.0.6"],
      allowedUses: ["Workload"],
    });
    expect((await plat.get("/v1/pools")).body.pools).toEqual([body]);
    const again = await plat.put("/v1/pools/red", body, headers.etag);
    expect(again).toMatchObject({ status: 200 });
    expect(again.headers.etag).toBe(headers.etag);
  });

  it.each<[string, object]>([
    ["an address that another pool has", { ...CIDR, ranges: ["10.0.0.5"] }],
    ["another block size in the same range", { ...CIDR, blockSize: 27, ranges: ["10.0.0.99"] }],
    ["a range that overlaps and differs", { cidr: "10.0.0.0/25", ranges: ["10.0.0.99"] }],
    ["a whole range in which pools have sets", { cidr: "10.0.0.0/16" }],
  ])("is rejected with %s", async (_, pool) => {
    const plat = await twoTeams();
    const refused = await plat.put("/v1/pools/other", pool);
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_overlap" } });
    expect((await plat.get("/v1/pools/other")).status).toBe(404);
  });

  it("never gains nor loses the field", async () => {
    const plat = await twoTeams();
    const { body, headers } = await plat.get("/v1/pools/blue");
    const { ranges: _, excludes: __, gateway: ___, ...whole } = body;
    expect(await plat.put("/v1/pools/blue", whole, headers.etag)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", fields: [{ field: "ranges" }] },
    });
    const plain = await plat.put("/v1/pools/plain", { cidr: "10.1.0.0/24" });
    const gained = { cidr: "10.1.0.0/24", ranges: ["10.1.0.1"] };
    expect(await plat.put("/v1/pools/plain", gained, plain.headers.etag)).toMatchObject({
      status: 400,
      body: { fields: [{ field: "ranges" }] },
    });
  });

  it("is widened by what no other pool has, and serves it", async () => {
    const plat = await twoTeams();
    const { body } = await plat.get("/v1/pools/red");
    const taken = { ...body, ranges: ["10.0.0.2-10.0.0.6"] };
    expect(await plat.put("/v1/pools/red", taken, await etagOf(plat, "red"))).toMatchObject({
      status: 409,
      body: { code: "pool_overlap", fields: [{ field: "ranges" }] },
    });
    const wider = { ...body, ranges: ["10.0.0.2-10.0.0.5", "10.0.0.30"] };
    expect(await plat.put("/v1/pools/red", wider, await etagOf(plat, "red"))).toMatchObject({
      status: 200,
      body: { ranges: ["10.0.0.2-10.0.0.5", "10.0.0.30"] },
    });
    const { body: got } = await plat.assign({ host: "n1", ipv4: 5, pools: ["red"] });
    expect(got.addresses.map(({ address }: { address: string }) => address)).toContain("10.0.0.30");
  });
});

describe("taking addresses out of a pool with ranges", () => {
  const narrowed = async (plat: Plat, changes: object) => {
    const { body, headers } = await plat.get("/v1/pools/blue");
    return plat.put("/v1/pools/blue", { ...body, ...changes }, headers.etag);
  };

  it("begins a job, which the pool names until another pool can have them", async () => {
    const plat = await twoTeams();
    const answer = await narrowed(plat, { ranges: ["10.0.0.6-10.0.0.15"] });
    expect(answer).toMatchObject({ status: 200, body: { ranges: ["10.0.0.6-10.0.0.15"] } });
    const { job } = answer.body;
    expect((await plat.get(`/v1/jobs/${job}`)).body).toMatchObject({
      kind: "pool.shrink",
      pool: "blue",
      state: "running",
    });
    expect((await plat.get("/v1/jobs")).body.jobs).toMatchObject([{ id: job }]);
    expect((await plat.get("/v1/pools/blue")).body).toMatchObject({ job });
    expect(await plat.put("/v1/pools/gold", { ...CIDR, ranges: ["10.0.0.16"] })).toMatchObject({
      status: 409,
      body: { code: "pool_overlap", job, retryable: true },
    });
    const named = await plat.assign({ host: "n1", address: "10.0.0.16" });
    expect(named).toMatchObject({ status: 409, body: { code: "no_pool_available" } });
  });

  it("may add others at once", async () => {
    const plat = await twoTeams();
    const ranges = ["10.0.0.6-10.0.0.15", "10.0.0.40"];
    expect(await narrowed(plat, { ranges })).toMatchObject({ status: 200, body: { ranges } });
    const named = await plat.assign({ host: "n1", address: "10.0.0.40" });
    expect(named).toMatchObject({ status: 200, body: { addresses: [{ pool: "blue" }] } });
  });

  it("changes nothing in a dry run", async () => {
    const plat = await twoTeams();
    const { body, headers } = await plat.get("/v1/pools/blue");
    const change = { ...body, ranges: ["10.0.0.6"] };
    const dry = await plat.call("PUT", "/v1/pools/blue", {
      body: change,
      query: { dryRun: "true" },
      headers: { "if-match": String(headers.etag) },
    });
    expect(dry).toMatchObject({ status: 200, body: { ranges: ["10.0.0.6"] } });
    expect((await plat.get("/v1/pools/blue")).body).toEqual(body);
    expect((await plat.get("/v1/jobs")).body.jobs).toEqual([]);
  });
});

describe("an assign from a pool with ranges", () => {
  it("gives addresses of the set alone, with gateway and routes, and not as borrowed", async () => {
    const plat = await twoTeams();
    const all = await plat.assign({ host: "n1", ipv4: 14, pools: ["blue"] });
    expect(all.status).toBe(200);
    const expected = Array.from({ length: 15 }, (_, i) => `10.0.0.${i + 6}`);
    expect(textsOf(all)).toEqual(expected.filter((address) => address !== "10.0.0.10"));
    for (const each of all.body.addresses)
      expect(each).toMatchObject({
        pool: "blue",
        borrowed: false,
        gateway: "10.0.0.1",
        routes: [{ dst: "192.168.0.0/16", gw: "10.0.0.1" }],
      });
    const more = await plat.assign({ host: "n2", ipv4: 1, pools: ["blue"] });
    expect(more).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
    const red = await plat.assign({ host: "n1", ipv4: 4, pools: ["red"] });
    expect(textsOf(red)).toEqual(["10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"]);
    expect(red.body.addresses[0]).not.toHaveProperty("gateway");
  });

  it("gives hosts addresses of one block, also with strict affinity and a limit of blocks", async () => {
    const plat = await twoTeams();
    const { headers } = await plat.get("/v1/config");
    const strict = { cooldownSeconds: 0, strictAffinity: true, maxBlocksPerHost: 0 };
    await plat.put("/v1/config", strict, headers.etag);
    const windows = { hostReserved: { start: 3, end: 1 } };
    for (const host of ["n1", "n2", "n3"])
      expect(await plat.assign({ host, ipv4: 1, pools: ["red"], ...windows })).toMatchObject({
        status: 200,
        body: { addresses: [{ block: "10.0.0.0/28", borrowed: false }] },
      });
  });

  it("is explained by a dry run: a block is created, or shared", async () => {
    const plat = await twoTeams();
    const request = { host: "n1", ipv4: 1, pools: ["red"], dryRun: true };
    const blocks = async () => (await plat.assign(request)).body.families[0].blocks;
    expect(await blocks()).toMatchObject([{ action: "create", block: "10.0.0.0/28" }]);
    await plat.assign({ host: "n2", ipv4: 1, pools: ["blue"] });
    await plat.assign({ host: "n2", ipv4: 1, pools: ["red"] });
    expect(await blocks()).toMatchObject([{ action: "share", block: "10.0.0.0/28", pool: "red" }]);
  });

  it("is rejected where the set has no address", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/none", { ...CIDR, ranges: [] });
    expect(await plat.assign({ host: "n1", ipv4: 1, pools: ["none"] })).toMatchObject({
      status: 409,
      body: { code: "pool_exhausted", pools: [{ pool: "none", code: "excluded" }] },
    });
  });
});

describe("the addresses of pools with ranges", () => {
  it("are found with their pool, by address, handle, host and block", async () => {
    const plat = await twoTeams();
    const { body } = await plat.assign({ host: "n1", ipv4: 1, pools: ["red"], handle: "web" });
    const [{ address, generation }] = body.addresses;
    const expected = { pool: "red", borrowed: false, handle: "web", generation };
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject(expected);
    expect((await plat.get("/v1/handles/web")).body.addresses).toMatchObject([
      { address, pool: "red", borrowed: false },
    ]);
    expect((await plat.get("/v1/blocks/10.0.0.0/28")).body.addresses).toMatchObject([
      { address, borrowed: false },
    ]);
    expect((await plat.get("/v1/blocks", { host: "n1" })).body.blocks).toMatchObject([
      { cidr: "10.0.0.0/28", borrowed: false },
    ]);
    expect((await plat.get("/v1/nodes/n1/affinities")).body.affinities).toMatchObject([
      { cidr: "10.0.0.0/28", borrowed: false, used: 1 },
    ]);
    expect((await plat.get("/v1/addresses/10.0.0.99")).status).toBe(404);
    const freed = await plat.release({ host: "n1" });
    expect(freed.body).toMatchObject({ released: [address] });
  });

  it("are counted pool by pool, and their blocks are listed once", async () => {
    const plat = await twoTeams();
    await plat.assign({ host: "n1", ipv4: 3, pools: ["red"] });
    await plat.assign({ host: "n1", ipv4: 14, pools: ["blue"] });
    await plat.put("/v1/reservations/one", { cidrs: ["10.0.0.5"] });
    const { body } = await plat.get("/v1/pools/red/utilization");
    expect(body).toMatchObject({ capacity: 4, inUse: 3 });
    const { pools } = (await plat.get("/v1/utilization")).body;
    expect(pools).toMatchObject([
      { pool: "blue", capacity: 14, inUse: 14, available: 0 },
      { pool: "red", capacity: 4, inUse: 3 },
    ]);
    const blocks = (await plat.get("/v1/blocks")).body.blocks;
    expect(blocks.map(({ cidr }: { cidr: string }) => cidr)).toEqual([
      "10.0.0.0/28",
      "10.0.0.16/28",
    ]);
    const ofRed = (await plat.get("/v1/blocks", { pool: "red" })).body.blocks;
    expect(ofRed).toHaveLength(1);
  });

  it.each([
    ["/v1/blocks", "blocks"],
    ["/v1/addresses", "addresses"],
    ["/v1/handles", "handles"],
    ["/v1/hosts", "hosts"],
  ])("are each on one page of %s, while pools of their CIDR come and go", async (path, rows) => {
    const plat = newSpace();
    await plat.put("/v1/config", { cooldownSeconds: 0 });
    await plat.put("/v1/pools/other", { cidr: "10.1.0.0/24" });
    await plat.put("/v1/pools/red", { ...CIDR, ranges: ["10.0.0.2"] });
    await plat.put("/v1/pools/white", { ...CIDR, ranges: ["10.0.0.20-10.0.0.80"] });
    for (const address of ["10.1.0.1", "10.0.0.20", "10.0.0.40", "10.0.0.60", "10.0.0.80"])
      await plat.assign({ host: address, address, handle: address });
    const changes = [
      () => plat.put("/v1/pools/blue", { ...CIDR, ranges: ["10.0.0.3"] }),
      () => plat.delete("/v1/pools/red", { "if-match": "*" }),
      () => plat.delete("/v1/pools/blue", { "if-match": "*" }),
    ];
    const told: unknown[] = [];
    for (let cursor: string | undefined, page = 0; page === 0 || cursor; page++) {
      const { body } = await plat.get(path, { limit: "1", ...(cursor && { cursor }) });
      told.push(...body[rows].map((row: object) => JSON.stringify(row)));
      cursor = body.next;
      if (page > 0) await changes[page - 1]?.();
    }
    expect(told).toHaveLength(5);
    expect(new Set(told).size).toBe(5);
  });

  it("do not continue at a cursor that names one of their pools", async () => {
    const plat = await twoTeams();
    const position = { pool: "red", after: "10.0.0.0" };
    const cursor = sealCursor(["blocks", plat.space, null, null], position);
    expect(await plat.get("/v1/blocks", { cursor })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "?cursor" }] },
    });
  });

  it("cannot be claimed as blocks of a host", async () => {
    const plat = await twoTeams();
    const claim = (path: string, body: object) => plat.call("POST", path, { body });
    expect(await claim("/v1/nodes/n1/affinities", { cidr: "10.0.0.0/28" })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "cidr" }] },
    });
  });
});
