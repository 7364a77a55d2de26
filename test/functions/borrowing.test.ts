import { describe, expect, it } from "vitest";
import { spaceWithPool, textsOf } from "./plat.ts";

/** Returns a space whose two blocks belong to the host `owner`: 10.0.0.0/30 is full, 10.0.0.4/30 has room for two. */
async function spaceWithoutFreeBlock({ pool = {}, settings = {} } = {}) {
  const plat = await spaceWithPool({ cidr: "10.0.0.0/29", blockSize: 30, ...pool });
  await plat.put("/v1/config", { cooldownSeconds: 0, ...settings });
  for (const address of [0, 1, 2, 3, 4, 5].map((i) => `10.0.0.${i}`))
    await plat.assign({ host: "owner", address, handle: address });
  return plat;
}

describe("a host for which the pool has no free block", () => {
  it("borrows from a block of another host, and is told so", async () => {
    const plat = await spaceWithoutFreeBlock();
    const { status, body } = await plat.assign({ host: "guest", ipv4: 2, handle: "h" });
    expect(status).toBe(200);
    expect(body.addresses).toMatchObject([
      { address: "10.0.0.6", block: "10.0.0.4/30", pool: "main", borrowed: true },
      { address: "10.0.0.7", block: "10.0.0.4/30", pool: "main", borrowed: true },
    ]);
    const read = await plat.get("/v1/addresses/10.0.0.6");
    expect(read.body).toMatchObject({ state: "assigned", host: "guest", borrowed: true });
    const own = await plat.get("/v1/addresses/10.0.0.4");
    expect(own.body).toMatchObject({ state: "assigned", host: "owner", borrowed: false });
  });

  it("frees what it borrowed by its generation, and then anybody may have it", async () => {
    const plat = await spaceWithoutFreeBlock();
    const { body } = await plat.assign({ host: "guest", ipv4: 2, handle: "h" });
    for (const { address, generation } of body.addresses) {
      const release = () => plat.release({ addresses: [{ address, generation }] });
      expect((await release()).body.results).toEqual([{ address, status: "released" }]);
      expect((await release()).body.results).toEqual([{ address, status: "not_assigned" }]);
    }
    expect((await plat.get("/v1/handles/h")).status).toBe(404);
    const next = await plat.assign({ host: "owner", ipv4: 2 });
    expect(textsOf(next)).toEqual(["10.0.0.6", "10.0.0.7"]);
    expect(next.body.addresses).toMatchObject([{ borrowed: false }, { borrowed: false }]);
  });

  it("borrows only what its own blocks do not have", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/29", blockSize: 30 });
    await plat.assign({ host: "owner", address: "10.0.0.0" });
    await plat.assign({ host: "guest", address: "10.0.0.4" });
    const { body } = await plat.assign({ host: "guest", ipv4: 5 });
    expect(body.addresses.slice(0, 2)).toMatchObject([{ borrowed: true }, { borrowed: true }]);
    expect(body.addresses.slice(2)).toMatchObject([
      { address: "10.0.0.5", borrowed: false },
      { address: "10.0.0.6", borrowed: false },
      { address: "10.0.0.7", borrowed: false },
    ]);
  });

  it("borrows from several hosts for one request", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/29", blockSize: 30 });
    await plat.assign({ host: "one", address: "10.0.0.0" });
    await plat.assign({ host: "two", address: "10.0.0.4" });
    const borrowed = await plat.assign({ host: "guest", ipv4: 6 });
    expect(textsOf(borrowed)).toEqual([1, 2, 3, 5, 6, 7].map((i) => `10.0.0.${i}`));
    for (const { borrowed: is } of borrowed.body.addresses) expect(is).toBe(true);
  });

  it("does not borrow what is reserved, or more than there is", async () => {
    const plat = await spaceWithoutFreeBlock();
    await plat.put("/v1/reservations/some", { cidrs: ["10.0.0.6"] });
    const refused = await plat.assign({ host: "guest", ipv4: 2, handle: "h" });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
    expect((await plat.get("/v1/handles/h")).status).toBe(404);
    expect(textsOf(await plat.assign({ host: "guest", ipv4: 1 }))).toEqual(["10.0.0.7"]);
  });

  it("is rejected by the pool that forbids borrowing, and served by another that allows it", async () => {
    const plat = await spaceWithoutFreeBlock({ pool: { borrowing: "forbidden" } });
    await plat.put("/v1/pools/other", { cidr: "10.1.0.0/30", blockSize: 30 });
    await plat.assign({ host: "owner", address: "10.1.0.0" });
    const { body } = await plat.assign({ host: "guest", ipv4: 1 });
    expect(body.addresses).toMatchObject([{ pool: "other", borrowed: true }]);
  });
});

describe("a specific address in another host's block", () => {
  it("is rejected where the pool forbids borrowing, with the block and its owner", async () => {
    const plat = await spaceWithoutFreeBlock({ pool: { borrowing: "forbidden" } });
    expect(await plat.assign({ host: "guest", address: "10.0.0.7" })).toMatchObject({
      status: 409,
      body: { code: "strict_affinity", block: "10.0.0.4/30", owner: "owner" },
    });
    expect((await plat.assign({ host: "owner", address: "10.0.0.7" })).status).toBe(200);
  });
});

it("what was borrowed before borrowing was forbidden stays, and is released as ever", async () => {
  const plat = await spaceWithoutFreeBlock();
  const request = { host: "guest", ipv4: 1, handle: "h" };
  const once = await plat.assign(request, "key-1");
  const { headers } = await plat.get("/v1/config");
  await plat.put("/v1/config", { strictAffinity: true, cooldownSeconds: 0 }, headers.etag);
  expect(await plat.assign(request, "key-1")).toEqual(once);
  const refused = await plat.assign({ host: "guest", ipv4: 1 });
  expect(refused).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
  const [{ address, generation }] = once.body.addresses;
  const released = await plat.release({ addresses: [{ address, generation }] });
  expect(released.body.results).toEqual([{ address, status: "released" }]);
});
