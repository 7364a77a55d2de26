import { describe, expect, it } from "vitest";
import { newSpace, spaceWithPool } from "./plat.ts";

describe("a pool", () => {
  it("is created, read, listed, and changed only as it was seen", async () => {
    const plat = newSpace();
    const pool = { cidr: "10.0.0.0/24", blockSize: 28 };
    const created = await plat.put("/v1/pools/main", pool);
    expect(created).toMatchObject({ status: 201, body: { name: "main", ...pool } });
    expect(Date.parse(created.body.effectiveAt)).toBeGreaterThan(Date.now());

    const read = await plat.get("/v1/pools/main");
    expect(read.headers.etag).toBe(created.headers.etag);
    expect(read.headers.etag).toMatch(/^"[\w-]+"$/);
    expect((await plat.get("/v1/pools")).body.pools).toEqual([read.body]);

    const change = { ...read.body, disabled: true };
    const unseen = await plat.put("/v1/pools/main", change);
    expect(unseen).toMatchObject({ status: 428, body: { code: "precondition_required" } });
    const stale = await plat.put("/v1/pools/main", change, '"AaH9bgInfBgZ-A0"');
    expect(stale).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    const changed = await plat.put("/v1/pools/main", change, read.headers.etag);
    expect(changed).toMatchObject({ status: 200, body: { disabled: true } });
    expect(changed.headers.etag).not.toBe(read.headers.etag);
  });

  it("keeps its CIDR and its block size", async () => {
    const plat = await spaceWithPool();
    const { headers } = await plat.get("/v1/pools/main");
    for (const [field, pool] of [
      ["cidr", { cidr: "10.1.0.0/24", blockSize: 28 }],
      ["blockSize", { cidr: "10.0.0.0/24", blockSize: 27 }],
    ] as const) {
      const refused = await plat.put("/v1/pools/main", pool, headers.etag);
      expect(refused).toMatchObject({ status: 400, body: { fields: [{ field }] } });
    }
  });

  it("may not overlap another one of its space", async () => {
    const plat = await spaceWithPool();
    const refused = await plat.put("/v1/pools/other", { cidr: "10.0.0.0/16" });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_overlap" } });
    expect(refused.body.fields).toMatchObject([{ field: "cidr", value: "10.0.0.0/16" }]);
    expect((await plat.get("/v1/pools/other")).status).toBe(404);
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

describe("the configuration", () => {
  it("is there before anybody wrote it, and changed only as it was seen after that", async () => {
    const plat = newSpace();
    const before = await plat.get("/v1/config");
    expect(before).toMatchObject({ status: 200, body: { cooldownSeconds: 30 } });
    expect(before.headers).not.toHaveProperty("etag");

    const written = await plat.put("/v1/config", { maxBlocksPerHost: 2 });
    expect(written).toMatchObject({ status: 201, body: { maxBlocksPerHost: 2 } });
    expect((await plat.put("/v1/config", {})).status).toBe(428);
    const { etag } = (await plat.get("/v1/config")).headers;
    const changed = await plat.put("/v1/config", {}, etag);
    expect(changed).toMatchObject({ status: 200, body: { maxBlocksPerHost: 20 } });
  });
});
