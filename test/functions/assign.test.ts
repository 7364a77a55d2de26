import { describe, expect, it } from "vitest";
import { spaceWithPool, table } from "./plat.ts";

describe("an assigned address", () => {
  it("is found under itself and under its handle until it is released", async () => {
    const plat = await spaceWithPool();
    const attributes = { pod: "web-0", toString: "yes" };
    const assigned = await plat.assign({ host: "n1", ipv4: 2, handle: "ns/h 1 ü", attributes });
    expect(assigned.status).toBe(200);
    expect(assigned.body).toMatchObject({
      requestId: "request-1",
      handle: "ns/h 1 ü",
      requested: 2,
    });
    const [first, second] = assigned.body.addresses;
    expect(first).toMatchObject({ family: 4, pool: "main", borrowed: false });

    const read = await plat.get(`/v1/addresses/${first.address}`);
    expect(read.body).toMatchObject({ ...first, state: "assigned", host: "n1", attributes });
    expect(read.body.assignedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    const handle = await plat.get(`/v1/handles/${encodeURIComponent("ns/h 1 ü")}`);
    expect(handle.body).toMatchObject({ handle: "ns/h 1 ü" });
    expect(handle.body.addresses.map(({ address }: { address: string }) => address).sort()).toEqual(
      [first.address, second.address].sort(),
    );

    const released = await plat.release({
      addresses: [first, second].map(({ address, generation }) => ({ address, generation })),
    });
    expect(released.body.results).toEqual([
      { address: first.address, status: "released" },
      { address: second.address, status: "released" },
    ]);
    const cooling = await plat.get(`/v1/addresses/${first.address}`);
    expect(cooling.body).toMatchObject({ state: "cooling" });
    expect(cooling.body).not.toHaveProperty("handle");
    expect((await plat.get(`/v1/handles/${encodeURIComponent("ns/h 1 ü")}`)).status).toBe(404);
  });
});

describe("a request under an Idempotency-Key", () => {
  it("has the same answer when it comes again", async () => {
    const plat = await spaceWithPool();
    const request = { host: "n1", ipv4: 3, handle: "h" };
    const once = await plat.assign(request, "key-1");
    const again = await plat.assign({ ...request, ipv6: 0 }, "key-1");
    expect(again).toEqual(once);
    expect((await plat.get("/v1/handles/h")).body.addresses).toHaveLength(3);
  });

  it("has the same answer when it comes many times at once, or is told that it is at work", async () => {
    const plat = await spaceWithPool();
    const request = { host: "n1", ipv4: 2 };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => plat.assign(request, "key-1")),
    );
    const served = replies.filter(({ status }) => status === 200);
    expect(new Set(served.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    for (const { body } of replies.filter(({ status }) => status !== 200))
      expect(body.code).toBe("request_in_progress");
    const { handle } = served[0]?.body ?? {};
    expect((await plat.get(`/v1/handles/${handle}`)).body.addresses).toHaveLength(2);
  });

  it("is rejected with another body", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", ipv4: 1, handle: "h" }, "key-1");
    const other = await plat.assign({ host: "n1", ipv4: 2, handle: "h" }, "key-1");
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    expect(other.body).not.toHaveProperty("released");
  });
});

describe("a request that names an address of each family", () => {
  it("gets both or none, also in a batch and once more under its key", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/120", blockSize: 124 });
    const request = { host: "n1", handle: "web-0", addresses: ["2001:db8::7", "10.0.0.7"] };
    const once = await plat.assign(request, "key-1");
    expect(once).toMatchObject({
      status: 200,
      body: {
        requested: 2,
        addresses: [
          { address: "10.0.0.7", family: 4, pool: "main" },
          { address: "2001:db8::7", family: 6, pool: "six" },
        ],
      },
    });
    expect(await plat.assign(request, "key-1")).toEqual(once);
    const batch = (...lists: string[][]) =>
      plat.call("POST", "/v1/batch", {
        body: {
          requests: lists.map((addresses, n) => ({
            assign: { host: "n1", handle: `batched-${n}`, addresses },
            idempotencyKey: `batched-${n}`,
          })),
        },
      });
    const { body } = await batch(["10.0.0.8", "2001:db8::8"], ["10.0.0.9", "2001:db8::7"]);
    expect(body.results).toMatchObject([
      { status: 200, assigned: { requested: 2 } },
      {
        status: 409,
        problem: { code: "already_assigned", address: "2001:db8::7", assignedTo: "web-0" },
      },
    ]);
    expect((await batch(["10.0.0.9", "2001:db8::9"])).body).toMatchObject({
      results: [{ status: 422, problem: { code: "idempotency_mismatch" } }],
    });
    expect(await plat.get("/v1/handles/batched-1")).toMatchObject({ status: 404 });
    const { addresses } = request;
    expect(await plat.assign({ ...request, addresses: [...addresses, "10.0.0.1"] })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "addresses" }] },
    });
  });
});

describe("a request is rejected", () => {
  it("for an address that somebody has, with the address and the handle that has it", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", address: "10.0.0.7", handle: "web-0" });
    expect(await plat.assign({ host: "n1", address: "10.0.0.7" })).toMatchObject({
      status: 409,
      body: {
        code: "already_assigned",
        detail: "Address 10.0.0.7 is assigned to handle web-0.",
        address: "10.0.0.7",
        assignedTo: "web-0",
      },
    });
  });

  it("for such an address also where the allocation of the handle cannot be read, without the handle", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "n1", address: "10.0.0.7", handle: "web-0" });
    const [[pk, items] = []] = [...table.partitions].filter(([pk]) =>
      pk.startsWith(`HANDLE#${plat.space}#`),
    );
    if (!pk || !items) throw new Error("the handle has no allocation");
    const [[sk, item] = []] = items;
    if (!sk || !item) throw new Error("the handle has no allocation");
    items.set(sk, { ...item, f: 1_000 });
    const { status, body } = await plat.assign({ host: "n1", address: "10.0.0.7" });
    items.set(sk, item);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: "already_assigned",
      detail: "Address 10.0.0.7 is assigned.",
    });
    expect(body).not.toHaveProperty("assignedTo");
  });

  it("for more addresses of both families than the configuration allows", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
    await plat.put("/v1/config", { maxAddressesPerRequest: 4 });
    expect((await plat.assign({ host: "n1", ipv4: 2, ipv6: 2 })).status).toBe(200);
    expect(await plat.assign({ host: "n1", ipv4: 2, ipv6: 3 })).toMatchObject({
      status: 400,
      body: {
        fields: [
          { field: "ipv4", value: 2 },
          { field: "ipv6", value: 3 },
        ],
      },
    });
  });
});
