import { describe, expect, it } from "vitest";
import { newSpace, spaceWithPool } from "./plat.ts";

describe("a pool", () => {
  it("is created, read, listed, and changed only as it was seen", async () => {
    const plat = newSpace();
    const pool = { cidr: "10.0.0.0/24", blockSize: 28 };
    const created = await plat.put("/v1/pools/main", pool);
    expect(created).toMatchObject({ status: 201, body: { name: "main", ...pool } });
    expect(created.body.borrowing).toBe("allowed");
    expect(Date.parse(created.body.effectiveAt)).toBeGreaterThan(Date.now());

    const read = await plat.get("/v1/pools/main");
    expect(read.headers.etag).toBe(created.headers.etag);
    expect(read.headers.etag).toMatch(/^"[\w-]+"$/);
    expect((await plat.get("/v1/pools")).body.pools).toEqual([read.body]);

    await plat.put("/v1/pools/next", { cidr: "10.1.0.0/24" });
    const first = (await plat.get("/v1/pools", { limit: "1" })).body;
    expect(first.pools).toEqual([read.body]);
    const second = (await plat.get("/v1/pools", { limit: "1", cursor: first.next })).body;
    expect(second).toMatchObject({ pools: [{ name: "next" }] });
    expect(second).not.toHaveProperty("next");

    const change = { ...read.body, disabled: true };
    const unseen = await plat.put("/v1/pools/main", change);
    expect(unseen).toMatchObject({ status: 428, body: { code: "precondition_required" } });
    const stale = await plat.put("/v1/pools/main", change, '"AaH9bgInfBgZ-A0"');
    expect(stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    const changed = await plat.put("/v1/pools/main", change, read.headers.etag);
    expect(changed).toMatchObject({ status: 200, body: { disabled: true } });
    expect(changed.headers.etag).not.toBe(read.headers.etag);
  });

  it("may not overlap another one of its space", async () => {
    const plat = await spaceWithPool();
    const refused = await plat.put("/v1/pools/other", { cidr: "10.0.0.0/16" });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_overlap" } });
    expect(refused.body.fields).toMatchObject([{ field: "cidr", value: "10.0.0.0/16" }]);
    expect((await plat.get("/v1/pools/other")).status).toBe(404);
  });

  it("keeps what was said of borrowing when a GET's answer is PUT back", async () => {
    const plat = await spaceWithPool({ borrowing: "forbidden" });
    const { headers, body } = await plat.get("/v1/pools/main");
    expect(body.borrowing).toBe("forbidden");
    await plat.put("/v1/pools/main", { ...body, cooldownSeconds: 0 }, headers.etag);
    expect((await plat.get("/v1/pools/main")).body.borrowing).toBe("forbidden");
  });

  it("that is smaller than a block of it serves nobody, ever, and can be read and deleted", async () => {
    const plat = newSpace();
    const pool = { cidr: "10.0.0.16/30", blockSize: 26, disabled: true };
    expect(await plat.put("/v1/pools/small", pool)).toMatchObject({ status: 201, body: pool });
    const { headers } = await plat.get("/v1/pools/small");
    const enabled = await plat.put("/v1/pools/small", { ...pool, disabled: false }, headers.etag);
    expect(enabled).toMatchObject({ status: 400, body: { fields: [{ field: "blockSize" }] } });
    const refused = await plat.assign({ host: "n1", address: "10.0.0.17" });
    expect(refused).toMatchObject({ status: 409, body: { code: "no_pool_available" } });
    expect(await plat.get("/v1/addresses/10.0.0.17")).toMatchObject({ body: { state: "free" } });
    const { body } = await plat.get("/v1/pools/small/utilization");
    expect(body).toMatchObject({ capacity: 4, inUse: 0, available: 4, complete: true });
    expect((await plat.get("/v1/blocks", { pool: "small" })).body.blocks).toEqual([]);
    const ifMatch = { "if-match": String(headers.etag) };
    expect(await plat.delete("/v1/pools/small", ifMatch)).toMatchObject({ status: 202 });
  });

  it("may be changed by what a GET answered, routing fields and all", async () => {
    const plat = newSpace();
    const manifest = {
      apiVersion: "projectcalico.org/v3",
      kind: "IPPool",
      metadata: { name: "main" },
      spec: { cidr: "10.0.0.0/16", natOutgoing: true, vxlanMode: "Always" },
    };
    expect((await plat.put("/v1/pools/main", manifest)).status).toBe(201);
    const { headers, body } = await plat.get("/v1/pools/main");
    expect(body.routing).toEqual({ natOutgoing: true, vxlanMode: "Always" });
    expect((await plat.put("/v1/pools/main", body, headers.etag)).status).toBe(200);
    expect((await plat.get("/v1/pools/main")).body).toEqual(body);
  });
});

describe("a reservation", () => {
  it("keeps its addresses out of automatic assignment, until it is deleted as it was seen", async () => {
    const plat = await spaceWithPool();
    const reserved = await plat.put("/v1/reservations/all", { cidrs: ["10.0.0.0-10.0.0.255"] });
    expect(reserved).toMatchObject({ status: 201, body: { name: "all" } });
    expect((await plat.assign({ host: "n1", ipv4: 1 })).body.code).toBe("pool_exhausted");
    expect((await plat.assign({ host: "n1", address: "10.0.0.7" })).status).toBe(200);
    expect((await plat.get("/v1/reservations")).body.reservations).toMatchObject([
      { name: "all", cidrs: ["10.0.0.0-10.0.0.255"] },
    ]);

    expect((await plat.delete("/v1/reservations/all")).status).toBe(428);
    const { headers } = await plat.get("/v1/reservations/all");
    const ifMatch = { "if-match": String(headers.etag) };
    const deleted = await plat.delete("/v1/reservations/all", ifMatch);
    expect(deleted).toMatchObject({ status: 200, body: { effectiveAt: expect.any(String) } });
    expect((await plat.delete("/v1/reservations/all", ifMatch)).status).toBe(404);
    expect((await plat.assign({ host: "n1", ipv4: 1 })).status).toBe(200);
  });
});

it("a reservation whose reason is no text is rejected with 400 and the name of the field", async () => {
  const plat = await spaceWithPool();
  const put = (reason: string) =>
    plat.put("/v1/reservations/some", { cidrs: ["10.0.0.0/30"], reason });
  expect(await put("half a \ud83d")).toMatchObject({
    status: 400,
    body: { code: "invalid_request", fields: [{ field: "reason" }] },
  });
  expect((await plat.get("/v1/reservations/some")).status).toBe(404);
  expect(await put("a whole \ud83d\ude00")).toMatchObject({ status: 201 });
});

describe("the configuration", () => {
  it("is there before anybody wrote it, and changed only as it was seen after that", async () => {
    const plat = newSpace();
    const before = await plat.get("/v1/config");
    expect(before).toMatchObject({ status: 200, body: { cooldownSeconds: 30 } });
    expect(before.headers).not.toHaveProperty("etag");

    expect(before.body).toMatchObject({ strictAffinity: false, autoAllocateBlocks: true });
    const said = { maxBlocksPerHost: 2, strictAffinity: true, warmBlocksPerHost: 1 };
    const written = await plat.put("/v1/config", said);
    expect(written).toMatchObject({ status: 201, body: said });
    expect((await plat.get("/v1/config")).body).toEqual({ ...before.body, ...said });
    expect((await plat.put("/v1/config", {})).status).toBe(428);
    const { etag } = (await plat.get("/v1/config")).headers;
    const changed = await plat.put("/v1/config", {}, etag);
    expect(changed).toMatchObject({ status: 200, body: { maxBlocksPerHost: 20 } });
    expect((await plat.get("/v1/config")).body).toEqual(before.body);
  });
});
