import { describe, expect, it } from "vitest";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { contextOf } from "../../src/wiring.ts";
import { newSpace, spaceWithPool, table, textsOf } from "../functions/plat.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";

/** Calls that take the place of the methods of Calico's IPAM client. `docs/calico.md` names each of these tests. */

const codeOf = ({ status, body }: { status: number; body: { code: string } }) =>
  `${status} ${body.code}`;

const WINDOWS = { start: 3, end: 1, handle: "windows-reserved-ipam-handle", note: "windows" };

describe("AutoAssign", () => {
  it("assigns of both families, together or not at all", async () => {
    const plat = await spaceWithPool();
    const ask = () => plat.assign({ host: "n1", ipv4: 2, ipv6: 1, handle: "pod" });
    expect(codeOf(await ask())).toBe("409 no_pool_available");
    expect((await plat.get("/v1/handles/pod")).status).toBe(404);
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
    const { body } = await ask();
    expect(body.addresses.map(({ family }: { family: number }) => family)).toEqual([4, 4, 6]);
  });

  it("gives less than was asked for only where that is allowed, and says why", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/28" });
    expect(codeOf(await plat.assign({ host: "n1", ipv4: 20 }))).toBe("409 pool_exhausted");
    const { body } = await plat.assign({ host: "n1", ipv4: 20, allowPartial: true });
    expect(body).toMatchObject({ requested: 20, messages: [expect.stringContaining("16 of 20")] });
  });

  it("tells of each pool that is named by which rule it may not serve, also of one that is not there", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/off", { cidr: "10.1.0.0/24", disabled: true });
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
    const asked = { host: "n1", ipv4: 1, pools: ["off", "gone", "six", "10.9.0.0/24", "main"] };
    const refused = await plat.assign(asked);
    expect(codeOf(refused)).toBe("409 no_pool_available");
    const candidates = [
      { pool: "main", kept: true },
      { pool: "off", kept: false, code: "disabled" },
      { pool: "gone", kept: false, code: "not_found" },
      { pool: "six", kept: false, code: "family" },
      { pool: "10.9.0.0/24", kept: false, code: "not_found" },
    ];
    expect(refused.body.pools).toMatchObject(candidates);
    const { body } = await plat.assign({ ...asked, dryRun: true });
    expect(body.rejection.pools).toEqual(refused.body.pools);
    expect(body.families[0].pools).toEqual(
      refused.body.pools.map((told: { kept: boolean }) =>
        told.kept ? { ...told, order: 1 } : told,
      ),
    );
  });

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

  it("reserves nothing in a block that stands", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/29", blockSize: 29 });
    await plat.assign({ host: "win", ipv4: 1 });
    const { body } = await plat.assign({ host: "win", ipv4: 7, hostReserved: WINDOWS });
    expect(body.addresses).toHaveLength(7);
    const { blocks } = (await plat.get("/v1/blocks")).body;
    expect(blocks[0]).not.toHaveProperty("hostReservation");
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

  it("is the same request under its key only with the same reservation", async () => {
    const plat = await spaceWithPool();
    const ask = (end: number) =>
      plat.assign({ host: "win", ipv4: 1, handle: "h", hostReserved: { start: 3, end } }, "key");
    const first = await ask(1);
    expect((await ask(1)).body).toEqual(first.body);
    expect(codeOf(await ask(2))).toBe("422 idempotency_mismatch");
  });

  it("says what it would come to, and which pool is too small for the reservation", async () => {
    const plat = await spaceWithPool({ blockSize: 30 });
    await plat.put("/v1/pools/wide", { cidr: "10.1.0.0/24", blockSize: 29 });
    const { body } = await plat.assign({
      host: "win",
      ipv4: 1,
      hostReserved: WINDOWS,
      dryRun: true,
    });
    expect(body.families[0].pools).toMatchObject([
      { pool: "wide", kept: true },
      {
        pool: "main",
        kept: false,
        code: "block_too_small",
        reason: expect.stringContaining("/29 or larger"),
      },
    ]);
  });

  it("holds a host to the stricter cap of the request and the space, and says how many blocks it has", async () => {
    const plat = await spaceWithPool();
    const ask = (ipv4: number, maxBlocksPerHost?: number) =>
      plat.assign({ host: "n1", ipv4, handle: "h", ...(maxBlocksPerHost && { maxBlocksPerHost }) });
    await plat.put("/v1/config", { maxBlocksPerHost: 3, strictAffinity: true });
    expect((await ask(16, 1)).status).toBe(200);
    expect((await ask(1, 1)).body).toMatchObject({
      code: "block_limit",
      blocks: 1,
      maxBlocksPerHost: 1,
    });
    expect((await ask(32, 1_000)).status).toBe(200);
    expect((await ask(1, 1_000)).body).toMatchObject({
      code: "block_limit",
      blocks: 3,
      maxBlocksPerHost: 3,
    });
  });

  it("may have twenty blocks for a host where nobody says how many", async () => {
    const plat = await spaceWithPool({ blockSize: 31 });
    await plat.put("/v1/config", { strictAffinity: true });
    expect((await plat.assign({ host: "n1", ipv4: 40 })).status).toBe(200);
    expect((await plat.assign({ host: "n1", ipv4: 1 })).body).toMatchObject({
      code: "block_limit",
      blocks: 20,
    });
  });

  it("keeps a virtual owner apart from the host of its name", async () => {
    const plat = await spaceWithPool();
    const affinityTypes = ["host", "virtual"] as const;
    for (const affinityType of affinityTypes)
      await plat.assign({ host: "lb", affinityType, ipv4: 16, handle: affinityType });
    const { blocks } = (await plat.get("/v1/blocks")).body;
    expect(
      blocks.map(({ affinityType }: { affinityType: string }) => affinityType).toSorted(),
    ).toEqual(["host", "virtual"]);
    for (const affinityType of affinityTypes) {
      const { body } = await plat.get("/v1/blocks", { host: "lb", affinityType });
      expect(body.blocks).toMatchObject([{ host: "lb", affinityType, inUse: 16 }]);
    }
    await plat.put("/v1/config", { strictAffinity: true, maxBlocksPerHost: 1 });
    expect(
      (await plat.assign({ host: "lb", affinityType: "virtual", ipv4: 1 })).body,
    ).toMatchObject({ code: "block_limit", blocks: 1 });
  });

  it("answers a handle at its limit with the addresses that it has, each family by itself", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
    const ask = (ipv4: number, ipv6: number) =>
      plat.assign({ host: "n1", ipv4, ipv6, handle: "vm", limitPerHandle: 2 });
    const first = await ask(2, 0);
    expect(textsOf(await ask(2, 0))).toEqual(textsOf(first));
    expect(textsOf(first)).toContain(textsOf(await ask(1, 0))[0]);
    const both = textsOf(await ask(2, 1));
    expect(both.slice(0, 2)).toEqual(textsOf(first));
    expect(both).toHaveLength(3);
  });

  it("without a limit gives new addresses each time", async () => {
    const plat = await spaceWithPool();
    const ask = () => plat.assign({ host: "n1", ipv4: 1, handle: "pod" });
    expect(textsOf(await ask())).not.toEqual(textsOf(await ask()));
    expect(textsOf(await plat.get("/v1/handles/pod"))).toHaveLength(2);
  });

  it("never claims a block whose every address is reserved", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/27", blockSize: 28 });
    await plat.put("/v1/reservations/r", { cidrs: ["10.0.0.0-10.0.0.7", "10.0.0.8/29"] });
    for (const host of ["n1", "n2", "n3"]) await plat.assign({ host, ipv4: 4 });
    const { blocks } = (await plat.get("/v1/blocks")).body;
    expect(blocks).toMatchObject([{ cidr: "10.0.0.16/28" }]);
  });
});

describe("AssignIP", () => {
  it("gives the address that is named, and nobody a second time", async () => {
    const plat = await spaceWithPool();
    const ask = () => plat.assign({ host: "n1", address: "10.0.0.7", handle: "pod" });
    expect(textsOf(await ask())).toEqual(["10.0.0.7"]);
    expect(codeOf(await ask())).toBe("409 already_assigned");
  });

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

  it("under strict affinity gives none of another host's block", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/config", { strictAffinity: true });
    await plat.assign({ host: "n1", address: "10.0.0.7" });
    expect(codeOf(await plat.assign({ host: "n2", address: "10.0.0.8" }))).toBe(
      "409 strict_affinity",
    );
  });

  it("of a handle at its limit succeeds for the address that it has, and for no other", async () => {
    const plat = await spaceWithPool();
    const ask = (address: string) =>
      plat.assign({ host: "n1", address, handle: "vm", limitPerHandle: 1 });
    const first = await ask("10.0.0.7");
    expect((await ask("10.0.0.7")).body).toEqual(first.body);
    expect((await ask("10.0.0.8")).body).toMatchObject({ code: "handle_limit", addresses: 1 });
    expect(textsOf(await plat.get("/v1/handles/vm"))).toEqual(["10.0.0.7"]);
  });
});

describe("ReleaseIPs", () => {
  it("tells of each address by itself: handle and generation must be right, and what is free is no error", async () => {
    const plat = await spaceWithPool();
    const { body } = await plat.assign({ host: "n1", ipv4: 3, handle: "pod" });
    const [one, two, three] = body.addresses;
    const { results } = (
      await plat.release({
        addresses: [
          { address: one.address, handle: "pod", generation: one.generation },
          { address: two.address, handle: "another", generation: two.generation },
          { address: three.address, generation: two.generation },
          { address: "10.0.0.250", handle: "pod" },
          { address: "10.9.9.9", handle: "pod" },
          { address: three.address, handle: "pod" },
        ],
      })
    ).body;
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      "released",
      "conflict",
      "conflict",
      "not_assigned",
      "not_assigned",
      "released",
    ]);
    expect(textsOf(await plat.get("/v1/handles/pod"))).toEqual([two.address]);
  });

  it("releases from pools that are disabled", async () => {
    const plat = await spaceWithPool();
    const { body } = await plat.assign({ host: "n1", ipv4: 1, handle: "pod" });
    const pool = await plat.get("/v1/pools/main");
    await plat.put("/v1/pools/main", { ...pool.body, disabled: true }, pool.headers.etag);
    const [{ address, generation }] = body.addresses;
    const { results } = (await plat.release({ addresses: [{ address, generation }] })).body;
    expect(results).toEqual([{ address, status: "released" }]);
  });
});

describe("GetAssignmentAttributes", () => {
  it("tells attributes, handle and owners of an address, and whether it is assigned at all", async () => {
    const plat = await spaceWithPool();
    const attributes = { pod: "web-0", namespace: "shop" };
    await plat.assign({ host: "n1", address: "10.0.0.7", handle: "pod", attributes });
    const read = async (ip: string) => (await plat.get(`/v1/addresses/${ip}`)).body;
    expect(await read("10.0.0.7")).toMatchObject({
      state: "assigned",
      handle: "pod",
      attributes,
      owner: { active: attributes },
    });
    await plat.delete("/v1/handles/pod");
    expect(await read("10.0.0.7")).toMatchObject({ state: "cooling" });
    expect(await read("10.0.0.8")).toMatchObject({ state: "free" });
    expect(await read("10.9.9.9")).toMatchObject({ code: "not_found" });
  });
});

describe("IPsByHandle", () => {
  it("tells every address of a handle, of both families", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/pools/six", { cidr: "2001:db8::/64" });
    const told = await plat.assign({ host: "n1", ipv4: 20, ipv6: 1, handle: "pod" });
    expect(textsOf(await plat.get("/v1/handles/pod")).toSorted()).toEqual(textsOf(told).toSorted());
    expect((await plat.get("/v1/handles/none")).status).toBe(404);
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

describe("a pool that is drained", () => {
  it("loses its empty blocks, and those in use with their last address", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/config", { cooldownSeconds: 0, blockMinAgeSeconds: 0 });
    await plat.assign({ host: "n1", address: "10.0.0.1", handle: "stays" });
    await plat.assign({ host: "n2", address: "10.0.0.17", handle: "goes" });
    await plat.delete("/v1/handles/goes");
    const { headers } = await plat.get("/v1/pools/main");
    const drain = await plat.post("/v1/pools/main/drain", { "if-match": String(headers.etag) });
    expect(drain.status).toBe(202);
    let minutes = 0;
    const work = async (times: number) => {
      for (let round = 0; round < times; round++) {
        const nowMs = Date.now() + ++minutes * 60_000;
        await runJobs({ ...contextOf(table), now: () => nowMs });
      }
    };
    await work(3);
    expect((await plat.get("/v1/blocks")).body.blocks).toMatchObject([{ host: "n1", inUse: 1 }]);
    const jobPath = `/v1/jobs/${drain.body.job.id}`;
    expect((await plat.get(jobPath)).body.state).toBe("running");
    await plat.delete("/v1/handles/stays");
    await work(3);
    expect((await plat.get("/v1/blocks")).body.blocks).toEqual([]);
    expect((await plat.get(jobPath)).body.state).toBe("done");
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

describe("GetUtilization", () => {
  it("counts what a host reserves beside what is in use, and each reservation once", async () => {
    const plat = await spaceWithPool();
    await plat.assign({ host: "win", address: "10.0.0.7", hostReserved: WINDOWS });
    await plat.put("/v1/reservations/a", { cidrs: ["10.0.0.0/28"] });
    await plat.put("/v1/reservations/b", { cidrs: ["10.0.0.0/29", "10.0.0.16/31"] });
    const { body } = await plat.get("/v1/utilization", { pool: "main" });
    expect(body.pools).toMatchObject([
      { capacity: 256, inUse: 1, hostReserved: 4, reserved: 11 + 2, cooling: 0, available: 238 },
    ]);
  });
});

describe("GarbageCollectColdIPs", () => {
  it("is nobody's call: an address that has cooled is assigned again, and an empty block goes with the scheduled runs", async () => {
    const plat = await spaceWithPool({ cidr: "10.0.0.0/28" });
    await plat.put("/v1/config", { cooldownSeconds: 0, blockMinAgeSeconds: 0 });
    await plat.assign({ host: "n1", ipv4: 16, handle: "pod" });
    await plat.delete("/v1/handles/pod");
    expect((await plat.assign({ host: "n1", ipv4: 16, handle: "pod" })).status).toBe(200);
    await plat.delete("/v1/handles/pod");
    const later = { ...contextOf(table), now: () => Date.now() + 120_000 };
    for (let round = 0; round < 3; round++) {
      await reclaimAll({ ...later, now: () => later.now() + round * 1_000 });
      await repairAll(later);
    }
    expect((await plat.get("/v1/blocks")).body.blocks).toEqual([]);
  });
});

describe("SetOwnerAttributes", () => {
  it("promotes the alternate owner of a machine that moves, once, and under its preconditions", async () => {
    const plat = await spaceWithPool();
    const attributes = { namespace: "shop", pod: "source" };
    const target = { namespace: "shop", pod: "target" };
    await plat.assign({ host: "n1", address: "10.0.0.7", handle: "vm", attributes });
    const amend = (body: object) => plat.call("PATCH", "/v1/addresses/10.0.0.7", { body });
    const come = { handle: "vm", owner: { alternate: target }, expectedOwner: { alternate: null } };
    expect((await amend(come)).status).toBe(200);
    expect((await amend(come)).body).toMatchObject({
      code: "precondition_failed",
      mismatches: [{ side: "alternate", actual: { namespace: "shop", name: "target" } }],
    });
    const promote = {
      handle: "vm",
      owner: { active: target, alternate: null },
      expectedOwner: { alternate: { namespace: "shop", name: "target" } },
    };
    expect((await amend(promote)).body.owner).toEqual({ active: target });
    expect((await amend(promote)).body).toMatchObject({
      code: "precondition_failed",
      mismatches: [{ side: "alternate", actual: null }],
    });
  });
});
