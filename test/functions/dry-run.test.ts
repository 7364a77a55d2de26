import { describe, expect, it, vi } from "vitest";
import { newSpace, spaceWithPool, table } from "./plat.ts";

const write = vi.spyOn(table, "write");

/** Carries out a dry run, checks that it wrote nothing, and returns its answer. */
async function dry<T>(run: () => Promise<T>): Promise<T> {
  const [calls, items] = [write.mock.calls.length, table.items()];
  const reply = await run();
  expect(write.mock.calls.length - calls).toBe(0);
  expect(table.items()).toEqual(items);
  return reply;
}

describe("a dry run of an assign", () => {
  it("writes nothing, and says which block it would claim", async () => {
    const plat = await spaceWithPool();
    const { status, body } = await dry(() => plat.assign({ host: "n1", ipv4: 2, dryRun: true }));
    expect(status).toBe(200);
    expect(body).toEqual({
      requestId: "request-1",
      dryRun: true,
      requested: 2,
      messages: [],
      missing: [],
      families: [
        {
          family: 4,
          requested: 2,
          rule: "automatic",
          pools: [{ family: 4, pool: "main", cidr: "10.0.0.0/24", kept: true, score: 0, order: 1 }],
          blocks: [{ action: "claim", block: expect.any(String), pool: "main", count: 2 }],
        },
      ],
    });
  });

  it("says when the host's own block has room, and when it needs more than that", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", address: "10.0.0.1" });
    const one = await dry(() => plat.assign({ host: "n1", ipv4: 15, dryRun: true }));
    expect(one.body.families[0].blocks).toEqual([
      { action: "own", block: "10.0.0.0/28", pool: "main", count: 15 },
    ]);
    const two = await dry(() => plat.assign({ host: "n1", ipv4: 20, dryRun: true }));
    expect(two.body.families[0].blocks).toEqual(
      expect.arrayContaining([
        { action: "own", block: "10.0.0.0/28", pool: "main", count: 15 },
        { action: "claim", block: expect.any(String), pool: "main", count: 5 },
      ]),
    );
  });

  it("says when it would borrow", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/30", blockSize: 30 });
    await plat.assign({ host: "owner", ipv4: 1 });
    const { body } = await dry(() => plat.assign({ host: "guest", ipv4: 2, dryRun: true }));
    expect(body.families[0].blocks).toEqual([
      { action: "borrow", block: "10.0.0.0/30", pool: "main", count: 2 },
    ]);
  });

  it("says what the handle holds already, where its limit leaves it no more", async () => {
    const plat = await spaceWithPool();
    const request = { host: "n1", handle: "vm", limitPerHandle: 1 };
    await plat.assign({ ...request, address: "10.0.0.7" });
    const { body } = await dry(() => plat.assign({ ...request, ipv4: 1, dryRun: true }));
    expect(body.families[0].blocks).toEqual([
      { action: "alreadyAssigned", block: "10.0.0.0/28", pool: "main", count: 1 },
    ]);
    const other = { ...request, address: "10.0.0.8", dryRun: true };
    const refused = await dry(() => plat.assign(other));
    expect(refused.body.rejection).toMatchObject({ code: "handle_limit" });
  });

  it("has the rights for all that the request would write", async () => {
    const plat = newSpace();
    await plat.put("/v1/config", { indexedAttributes: ["vm"] });
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/31", blockSize: 31 });
    await plat.put("/v1/pools/more", { cidr: "10.1.0.0/31", blockSize: 31 });
    await plat.put("/v1/quotas/all", { addresses: 9, blocks: 9 });
    const request = { host: "n1", limitPerHandle: 9, attributes: { vm: "7" } };
    expect((await plat.assign({ ...request, handle: "vm", ipv4: 2 })).status).toBe(200);
    const { body } = await dry(() =>
      plat.assign({ ...request, handle: "vm", ipv4: 2, dryRun: true }),
    );
    expect(body).toMatchObject({ requested: 2, missing: [] });
  });

  it("answers with the rejection that the request would meet", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/30", blockSize: 30 });
    await plat.put("/v1/config", { maxAddressesPerRequest: 9 });
    await plat.assign({ host: "n1", address: "10.0.0.1" });
    for (const request of [
      { ipv4: 4 },
      { ipv6: 1 },
      { ipv4: 10 },
      { ipv4: 1, pools: ["none"] },
      { address: "10.0.0.1" },
      { address: "10.9.0.1" },
    ]) {
      const told = await dry(() => plat.assign({ host: "n1", dryRun: true, ...request }));
      const met = await plat.assign({ host: "n1", ...request });
      const { code, detail } = met.body;
      expect(told.status).toBe(200);
      expect(told.body.rejection).toMatchObject({ code, detail });
      expect(told.body.families).toMatchObject([{ blocks: [], rejection: { code, detail } }]);
    }
  });

  it("tells which of two families is to blame", async () => {
    const plat = await spaceWithPool();
    const { body } = await dry(() => plat.assign({ host: "n1", ipv4: 3, ipv6: 1, dryRun: true }));
    expect(body).toMatchObject({
      requested: 4,
      rejection: { code: "no_pool_available" },
      families: [
        { family: 4, requested: 3, blocks: [{ action: "claim", count: 3 }] },
        { family: 6, requested: 1, blocks: [], rejection: { code: "no_pool_available" } },
      ],
    });
    expect(body.families[0]).not.toHaveProperty("rejection");
  });

  it("tells which of two named addresses is to blame, and which block would serve the other", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/120", blockSize: 124 });
    await plat.assign({ host: "n1", address: "2001:db8::7", handle: "owner" });
    const addresses = ["10.0.0.7", "2001:db8::7"];
    const { body } = await dry(() => plat.assign({ host: "n1", addresses, dryRun: true }));
    expect(body).toMatchObject({
      requested: 2,
      rejection: { code: "already_assigned", assignedTo: "owner" },
      families: [
        {
          family: 4,
          pools: [{ pool: "main" }],
          blocks: [{ action: "claim", block: "10.0.0.0/28", count: 1 }],
        },
        { family: 6, pools: [{ pool: "six" }], blocks: [], rejection: { assignedTo: "owner" } },
      ],
    });
    expect(body.families[0]).not.toHaveProperty("rejection");
  });

  it("says how much less a request that allows it would get", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/30", blockSize: 30 });
    const request = { host: "n1", ipv4: 9, allowPartial: true, dryRun: true };
    const { body } = await dry(() => plat.assign(request));
    expect(body.families).toMatchObject([{ blocks: [{ action: "claim", count: 4 }] }]);
    expect(body.messages).toEqual([expect.stringContaining("4 of 9 addresses")]);
    expect(body).not.toHaveProperty("rejection");
  });

  it("leaves an Idempotency-Key to the request that it asks about", async () => {
    const plat = await spaceWithPool();
    const request = { host: "n1", ipv4: 1, handle: "h" };
    await dry(() => plat.assign({ ...request, dryRun: true }, "key-1"));
    const once = await plat.assign(request, "key-1");
    expect(once.status).toBe(200);
    await dry(() => plat.assign({ ...request, ipv4: 2, dryRun: true }, "key-1"));
    expect(await plat.assign(request, "key-1")).toEqual(once);
  });

  it("changes nothing of what a warm function remembers", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", address: "10.0.0.1" });
    await dry(() => plat.assign({ host: "n1", ipv4: 100, dryRun: true }));
    const { body } = await plat.assign({ host: "n1", ipv4: 15 });
    for (const { block } of body.addresses) expect(block).toBe("10.0.0.0/28");
  });

  it("of a request that cannot be read is rejected like the request", async () => {
    const plat = await spaceWithPool();
    expect((await dry(() => plat.assign({ host: "n1", dryRun: true }))).status).toBe(400);
  });
});

describe("a dry run of an operator's write", () => {
  const DRY = { dryRun: "true" };

  it("of a pool answers what would be there, and nothing is", async () => {
    const plat = newSpace();
    const pool = { cidr: "10.0.0.0/24", blockSize: 28 };
    const told = await dry(() => plat.put("/v1/pools/main", pool, undefined, DRY));
    expect(told).toMatchObject({ status: 200, body: { name: "main", ...pool, dryRun: true } });
    expect(told.body).not.toHaveProperty("effectiveAt");
    expect(told.headers).not.toHaveProperty("etag");
    expect((await plat.get("/v1/pools/main")).status).toBe(404);
    const created = await plat.put("/v1/pools/main", pool);
    const { dryRun: _, ...body } = told.body;
    expect(created).toMatchObject({ status: 201, body });
  });

  it("of a pool is rejected as the write would be", async () => {
    const plat = await spaceWithPool();
    const { etag } = (await plat.get("/v1/pools/main")).headers;
    const put = (name: string, pool: object, ifMatch?: unknown) =>
      dry(() => plat.put(`/v1/pools/${name}`, pool, ifMatch, DRY));
    const same = { cidr: "10.0.0.0/24", blockSize: 28 };
    expect((await put("other", { cidr: "10.0.0.0/16" })).body.code).toBe("pool_overlap");
    const other = { ...same, disabled: true };
    expect((await put("main", other)).body.code).toBe("precondition_required");
    expect((await put("main", other, '"other"')).body.code).toBe("precondition_failed");
    expect((await put("other", same, '"other"')).body.code).toBe("precondition_failed");
    expect((await put("main", { ...same, blockSize: 27 }, etag)).body).toMatchObject({
      code: "invalid_request",
      fields: [{ field: "blockSize" }],
    });
    expect((await put("main", { cidr: 7 })).status).toBe(400);
    const changed = await put("main", other, etag);
    expect(changed).toMatchObject({ status: 200, body: { disabled: true, dryRun: true } });
    expect((await plat.get("/v1/pools/main")).body.disabled).toBe(false);
  });

  it("of a reservation answers what would be there, or go, and nothing changes", async () => {
    const plat = newSpace();
    const path = "/v1/reservations/some";
    const told = await dry(() => plat.put(path, { cidrs: ["10.0.0.1"] }, undefined, DRY));
    expect(told.body).toEqual({
      name: "some",
      cidrs: ["10.0.0.1"],
      dryRun: true,
    });
    expect((await dry(() => plat.delete(path, {}, DRY))).status).toBe(404);
    const { headers } = await plat.put(path, { cidrs: ["10.0.0.1"] });
    expect((await dry(() => plat.delete(path, {}, DRY))).status).toBe(428);
    const ifMatch = { "if-match": String(headers.etag) };
    const deleted = await dry(() => plat.delete(path, ifMatch, DRY));
    expect(deleted).toMatchObject({ status: 200, body: { dryRun: true } });
    expect((await plat.delete(path, ifMatch)).status).toBe(200);
  });

  it("of a drain or a deletion answers the job that would be begun, and none is", async () => {
    const plat = await spaceWithPool();
    const before = (await plat.get("/v1/pools/main")).body;
    const { etag } = (await plat.get("/v1/pools/main")).headers;
    const ifMatch = { "if-match": String(etag) };
    const drained = await dry(() => plat.post("/v1/pools/main/drain", ifMatch, DRY));
    expect(drained).toMatchObject({ status: 200, body: { dryRun: true } });
    expect(drained.body.job).toMatchObject({ kind: "pool.drain", state: "running" });
    expect(drained.headers).not.toHaveProperty("location");
    const deleted = await dry(() => plat.delete("/v1/pools/main", ifMatch, DRY));
    expect(deleted.body.job).toMatchObject({ kind: "pool.delete", pool: "main" });
    expect((await dry(() => plat.delete("/v1/pools/main", {}, DRY))).status).toBe(428);
    expect((await plat.get("/v1/pools/main")).body).toEqual(before);
    expect((await plat.get("/v1/jobs")).body.jobs).toEqual([]);
  });

  it("of the configuration answers what would hold, and nothing does", async () => {
    const plat = newSpace();
    const said = { strictAffinity: true };
    const told = await dry(() => plat.put("/v1/config", said, undefined, DRY));
    expect(told).toMatchObject({ status: 200, body: { strictAffinity: true, dryRun: true } });
    expect(told.body).not.toHaveProperty("effectiveAt");
    expect((await plat.get("/v1/config")).body.strictAffinity).toBe(false);
    await plat.put("/v1/config", said);
    expect((await dry(() => plat.put("/v1/config", {}, undefined, DRY))).status).toBe(428);
  });

  it("of the configuration asks for no walks of an index", async () => {
    const plat = newSpace();
    const told = await dry(() =>
      plat.put("/v1/config", { indexedAttributes: ["vm"] }, undefined, DRY),
    );
    expect(told.body).toMatchObject({ indexedAttributes: ["vm"], dryRun: true });
  });

  it("of a pool with a parent does not hold its prefix", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/region", { cidr: "10.0.0.0/8", assign: "prefixes", blockSize: 16 });
    const prefix = { cidr: "10.7.0.0/16", handle: "cluster", pools: ["region"] };
    expect((await plat.call("POST", "/v1/prefixes", { body: prefix })).status).toBe(200);
    const told = await dry(() =>
      plat.put("/v1/pools/cluster", { cidr: "10.7.0.0/16", parent: "region" }, undefined, DRY),
    );
    expect(told.body).toMatchObject({ parent: "region", dryRun: true });
  });

  it("with dryRun=false is the write", async () => {
    const plat = newSpace();
    const pool = { cidr: "10.0.0.0/24" };
    const writes = write.mock.calls.length;
    const created = await plat.put("/v1/pools/main", pool, undefined, { dryRun: "false" });
    expect(created.status).toBe(201);
    expect(write.mock.calls.length).toBeGreaterThan(writes);
    expect((await plat.get("/v1/pools/main")).status).toBe(200);
  });
});
