import { describe, expect, it } from "vitest";
import { newSpace, spaceWithPool, table, textsOf } from "../functions/plat.ts";

/** Calls that take the place of the methods of Calico's IPAM client. `docs/calico.md` names each of these tests. */

const codeOf = ({ status, body }: { status: number; body: { code: string } }) =>
  `${status} ${body.code}`;

const WINDOWS = { start: 3, end: 1, handle: "windows-reserved-ipam-handle", note: "windows" };

describe("AutoAssign", () => {
  it("is for workloads where no use is said, and takes only pools that allow the use", async () => {
    const plat = await spaceWithPool({ allowedUses: ["Tunnel"] });
    expect(codeOf(await plat.assign({ host: "n1", ipv4: 1 }))).toBe("409 no_pool_available");
    expect((await plat.assign({ host: "n1", ipv4: 1, use: "Tunnel" })).status).toBe(200);
  });

  it("keeps what a Windows host reserves out of every block that it claims for it", async () => {
    const plat = await spaceWithPool({ blockSize: 29 });
    const asked = { host: "win", ipv4: 8, handle: "pods", hostReserved: WINDOWS };
    const { body } = await plat.assign(asked);
    expect(body).toMatchObject({ hostReserved: WINDOWS, requested: 8 });
    const { blocks } = (await plat.get("/v1/blocks")).body;
    expect(blocks).toHaveLength(2);
    for (const block of blocks)
      expect(block).toMatchObject({
        capacity: 8,
        inUse: 4,
        hostReserved: 4,
        hostReservation: WINDOWS,
      });
    const first = blocks[0].cidr.replace("/29", "");
    expect((await plat.get(`/v1/addresses/${first}`)).body).toMatchObject({
      state: "hostReserved",
      host: "win",
      handle: WINDOWS.handle,
      attributes: { note: "windows" },
    });
    const released = await plat.release({
      addresses: [{ address: first, handle: WINDOWS.handle }],
    });
    expect(released.body.results).toEqual([{ address: first, status: "not_assigned" }]);
    expect(codeOf(await plat.assign({ host: "win", address: first }))).toBe("409 already_assigned");
  });

  it("keeps what a Windows host reserves of one family out of the blocks of that family alone", async () => {
    const plat = await spaceWithPool({ blockSize: 29 });
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/120", blockSize: 125 });
    const hostReserved = { ipv4: WINDOWS };
    const { body } = await plat.assign({ host: "win", ipv4: 4, ipv6: 8, hostReserved });
    expect(body).toMatchObject({ hostReserved, requested: 12 });
    const { blocks } = (await plat.get("/v1/blocks")).body;
    expect(
      blocks.toSorted((a: { cidr: string }, b: { cidr: string }) => (a.cidr < b.cidr ? -1 : 1)),
    ).toMatchObject([
      { capacity: 8, inUse: 4, hostReserved: 4, hostReservation: WINDOWS },
      { capacity: 8, inUse: 8, hostReserved: 0 },
    ]);
    await plat.put("/v1/pools/narrow", { cidr: "10.2.0.0/24", blockSize: 30 });
    const narrow = { ...hostReserved, ipv6: { start: 1 } };
    const ask = (more: object) =>
      plat.assign({ host: "win", hostReserved: narrow, dryRun: true, ...more });
    const refused = (await ask({ ipv4: 1, ipv4Pools: ["narrow"] })).body.rejection;
    expect(refused.pools).toMatchObject([{ pool: "narrow", code: "block_too_small" }]);
    expect((await ask({ ipv6: 7 })).body).not.toHaveProperty("rejection");
  });

  it("takes 0 and 0 for no reservation, and names what is wrong with one", async () => {
    const plat = await spaceWithPool({ blockSize: 32 });
    const none = await plat.assign({ host: "n1", ipv4: 1, hostReserved: { start: 0, end: 0 } });
    expect(none.status).toBe(200);
    expect(none.body).not.toHaveProperty("hostReserved");
    const wrong = await plat.assign({ host: "n1", ipv4: 1, hostReserved: { start: -1, size: 2 } });
    expect(wrong.body.fields.map(({ field }: { field: string }) => field)).toEqual([
      "hostReserved.start",
      "hostReserved.size",
    ]);
  });
});

describe("AssignIP", () => {
  it("is bound by no reservation, no cap on blocks and no Manual mode, but by a pool that is disabled", async () => {
    const plat = await spaceWithPool({ assignmentMode: "Manual" });
    await plat.put("/v1/config", { maxBlocksPerHost: 1 });
    await plat.put("/v1/reservations/r", { cidrs: ["10.0.0.0/24"] });
    for (const address of ["10.0.0.7", "10.0.0.100"])
      expect((await plat.assign({ host: "n1", address })).status).toBe(200);
    const pool = await plat.get("/v1/pools/main");
    await plat.put("/v1/pools/main", { ...pool.body, disabled: true }, pool.headers.etag);
    expect(codeOf(await plat.assign({ host: "n1", address: "10.0.0.8" }))).toBe(
      "409 no_pool_available",
    );
  });

  it("is bound by the uses of the pool only where a use is said", async () => {
    const plat = await spaceWithPool({ allowedUses: ["Tunnel"] });
    expect((await plat.assign({ host: "n1", address: "10.0.0.7" })).status).toBe(200);
    expect(codeOf(await plat.assign({ host: "n1", address: "10.0.0.8", use: "Workload" }))).toBe(
      "409 no_pool_available",
    );
  });
});

describe("ReleaseByHandle", () => {
  it("releases every address of a handle, and a second time none, which is no error", async () => {
    const plat = await spaceWithPool();
    const told = textsOf(await plat.assign({ host: "n1", ipv4: 20, handle: "a/pod" }));
    const gone = await plat.delete("/v1/handles/a%2Fpod");
    expect(gone.body.released.toSorted()).toEqual(told.toSorted());
    expect(gone.body.complete).toBe(true);
    expect(await plat.delete("/v1/handles/a%2Fpod")).toMatchObject({
      status: 200,
      body: { released: [], complete: true },
    });
    expect((await plat.release({ handle: "a/pod" })).body).toMatchObject({ released: [] });
  });
});

describe("GetIPAMConfig", () => {
  it("tells what holds where nobody has written anything, and writes nothing", async () => {
    const plat = newSpace();
    const before = table.items().length;
    expect((await plat.get("/v1/config")).body).toMatchObject({
      strictAffinity: false,
      autoAllocateBlocks: true,
      maxBlocksPerHost: 20,
    });
    expect(table.items()).toHaveLength(before);
  });
});

describe("SetIPAMConfig", () => {
  it("is rejected without what was seen, where there is something", async () => {
    const plat = newSpace();
    const { headers } = await plat.put("/v1/config", { strictAffinity: true });
    expect(codeOf(await plat.put("/v1/config", { cooldownSeconds: 0 }))).toBe(
      "428 precondition_required",
    );
    const next = await plat.put("/v1/config", { cooldownSeconds: 0 }, headers.etag);
    expect(next.body).toMatchObject({ cooldownSeconds: 0 });
    expect(
      codeOf(await plat.put("/v1/config", { cooldownSeconds: 1_201 }, next.headers.etag)),
    ).toBe("400 invalid_request");
  });
});
