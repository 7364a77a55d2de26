import { afterEach, describe, expect, it, vi } from "vitest";
import { newSpace, scheduledRun, table } from "./plat.ts";

const PODS = { cidr: "10.0.0.0/16", assign: "prefixes" };

describe("a pool of prefixes", () => {
  it("has its own defaults, and a caller can change the answer and put it back", async () => {
    const plat = newSpace();
    expect(await plat.put("/v1/pools/pods", PODS)).toMatchObject({ status: 201 });
    const { body, headers } = await plat.get("/v1/pools/pods");
    expect(body).toEqual({
      name: "pods",
      cidr: "10.0.0.0/16",
      assign: "prefixes",
      blockSize: 24,
      disabled: false,
      assignmentMode: "Automatic",
      cooldownSeconds: 300,
    });
    const again = await plat.put("/v1/pools/pods", body, headers.etag);
    expect(again.headers.etag).toBe(headers.etag);
    const changed = { ...body, disabled: true, nodeSelector: "zone == 'a'" };
    expect(await plat.put("/v1/pools/pods", changed, headers.etag)).toMatchObject({
      status: 200,
      body: { disabled: true, assign: "prefixes" },
    });
  });

  it("stays one, and a pool of addresses stays that", async () => {
    const plat = newSpace();
    const pods = await plat.put("/v1/pools/pods", PODS);
    const web = await plat.put("/v1/pools/web", { cidr: "10.1.0.0/16", blockSize: 24 });
    expect(web.body).toMatchObject({ assign: "addresses" });
    for (const [name, body, etag] of [
      ["pods", { cidr: "10.0.0.0/16", blockSize: 24 }, pods.headers.etag],
      ["web", { cidr: "10.1.0.0/16", blockSize: 24, assign: "prefixes" }, web.headers.etag],
    ] as const)
      expect(await plat.put(`/v1/pools/${name}`, body, etag)).toMatchObject({
        status: 400,
        body: { fields: [{ field: "assign", problem: expect.stringContaining("cannot change") }] },
      });
  });

  it.each([
    ["a reservation that covers it", "10.0.0.0/16", "10.0.0.0/16"],
    ["one address of each prefix", "10.0.0.0/23", "10.0.0.255-10.0.1.0"],
  ])("is not created if all that it has is in %s", async (_, cidr, reserved) => {
    const plat = newSpace();
    await plat.put("/v1/reservations/kept", { cidrs: [reserved] });
    expect(await plat.put("/v1/pools/pods", { ...PODS, cidr })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "cidr", value: cidr, problem: expect.stringMatching(/\/24/) }] },
    });
    expect((await plat.get("/v1/pools/pods")).status).toBe(404);
  });

  it("is not created around the address that nobody can have alone", async () => {
    const plat = newSpace();
    expect(await plat.put("/v1/pools/pods", { ...PODS, cidr: "255.255.255.0/24" })).toMatchObject({
      status: 400,
      body: { fields: [{ field: "cidr" }] },
    });
  });
});

describe("requests for addresses", () => {
  it("pass over a pool of prefixes, and a dry run says why", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", PODS);
    const refused = await plat.assign({ host: "node-1", ipv4: 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: "no_pool_available" } });
    expect(refused.body.detail).toContain("pods assigns prefixes, not addresses");
    await plat.put("/v1/pools/web", { cidr: "10.1.0.0/24" });
    expect(await plat.assign({ host: "node-1", ipv4: 1 })).toMatchObject({
      status: 200,
      body: { addresses: [{ pool: "web" }] },
    });
    const { body } = await plat.assign({ host: "node-1", ipv4: 1, dryRun: true });
    expect(body.families[0].pools).toContainEqual(
      expect.objectContaining({ pool: "pods", kept: false, code: "prefixes" }),
    );
  });

  it.each([{ ipv4: 1, pools: ["pods"] }, { address: "10.0.0.7" }])(
    "are refused with %j in such a pool",
    async (asked) => {
      const plat = newSpace();
      await plat.put("/v1/pools/pods", PODS);
      expect(await plat.assign({ host: "node-1", ...asked })).toMatchObject({
        status: 409,
        body: { code: "no_pool_available", pools: [{ pool: "pods", code: "prefixes" }] },
      });
    },
  );

  it.each([
    [{ cidr: "10.0.3.0/24" }, { status: 400, body: { fields: [{ field: "cidr" }] } }],
    [{ families: [4] }, { status: 409, body: { code: "no_pool_available" } }],
  ])("claim no block of such a pool: %j", async (body, refusal) => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", PODS);
    expect(await plat.call("POST", "/v1/nodes/node-1/affinities", { body })).toMatchObject(refusal);
  });
});

/** Returns a space with a pool of prefixes, a reserved address in one of them, and a prefix of a node that states it. */
async function nodeWithPrefix(cidr = "10.0.7.0/24") {
  const plat = newSpace();
  const body = { uid: "uid-1", podCIDRs: [cidr] };
  await plat.put("/v1/reservations/kept", { cidrs: ["10.0.3.9"] });
  await plat.put("/v1/pools/pods", PODS);
  const path = "/v1/nodes/node-1/pod-cidrs";
  expect(await plat.call("POST", path, { body })).toMatchObject({ status: 200 });
  const free = () => plat.delete(path, {}, { uid: "uid-1" });
  return { plat, free };
}

describe("what a pool of prefixes has", () => {
  const counts = { capacity: 256, inUse: 1, hostReserved: 0, reserved: 1, cooling: 0 };

  it("is counted in prefixes, each of them under one state", async () => {
    const { plat, free } = await nodeWithPrefix();
    const held = { unit: "prefixes", ...counts, available: 254 };
    expect((await plat.get("/v1/pools/pods/utilization")).body).toMatchObject({
      ...held,
      complete: true,
      blocks: [{ cidr: "10.0.7.0/24", capacity: 1, inUse: 1, available: 0 }],
      outsideBlocks: { capacity: 255, reserved: 1, available: 254 },
    });
    expect((await plat.get("/v1/utilization")).body.pools).toMatchObject([held]);
    await free();
    const cools = { ...held, inUse: 0, cooling: 1 };
    expect((await plat.get("/v1/pools/pods/utilization")).body).toMatchObject(cools);
  });

  it("is counted exactly, however much it is", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", { ...PODS, cidr: "2001:db8::/32" });
    await plat.put("/v1/reservations/kept", { cidrs: ["2001:db8:0:5::1-2001:db8:0:9::"] });
    expect((await plat.get("/v1/pools/pods/utilization")).body).toMatchObject({
      capacity: 2 ** 32,
      reserved: 5,
      available: 2 ** 32 - 5,
    });
  });

  it("is listed as blocks, and read as one", async () => {
    const { plat } = await nodeWithPrefix();
    const block = { cidr: "10.0.7.0/24", unit: "prefixes", pool: "pods", capacity: 1, inUse: 1 };
    expect((await plat.get("/v1/blocks", { pool: "pods" })).body.blocks).toMatchObject([block]);
    expect((await plat.get("/v1/blocks", { host: "node-1" })).body.blocks).toMatchObject([
      { ...block, borrowed: false },
    ]);
    const { body } = await plat.get("/v1/blocks/10.0.7.0/24");
    expect(body).toMatchObject({
      ...block,
      addresses: [{ address: "10.0.7.0", state: "assigned", prefix: "10.0.7.0/24" }],
    });
    expect(body.addresses[0]).not.toHaveProperty("generation");
  });

  it.each(["10.0.7.0", "10.0.7.9", "10.0.7.255"])("has %s under its prefix", async (address) => {
    const { plat, free } = await nodeWithPrefix();
    const held = { state: "assigned", prefix: "10.0.7.0/24", handle: "node/node-1/uid-1" };
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject({
      ...held,
      block: "10.0.7.0/24",
      pool: "pods",
      host: "node-1",
    });
    expect((await plat.get("/v1/handles/node/node-1/uid-1")).body.addresses).toMatchObject([held]);
    await free();
    const { body } = await plat.get(`/v1/addresses/${address}`);
    expect(body).toMatchObject({ state: "cooling", availableAt: expect.any(String) });
    expect(Date.parse(body.availableAt) - Date.now()).toBeGreaterThan(290_000);
    expect((await plat.get("/v1/addresses/10.0.8.1")).body).toMatchObject({ state: "free" });
  });

  it("is told to whoever reserves an address of it", async () => {
    const { plat } = await nodeWithPrefix();
    const { body } = await plat.put("/v1/reservations/late", { cidrs: ["10.0.7.200"] });
    expect(body.warnings).toMatchObject([
      { pool: "pods", inUse: 1, complete: true, unreserved: 254 },
    ]);
    expect(body.warnings[0].detail).toBe(
      "Reservation late covers 1 assigned prefix of pool pods (10.0.0.0/16), and leaves 254 of its 256 prefixes for automatic assignment.",
    );
  });

  it("is counted as one if it cannot be read, however large it is", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/pods", { ...PODS, cidr: "2001:db8::/56" });
    const body = { uid: "uid-1", podCIDRs: ["2001:db8:0:7::/64"] };
    await plat.call("POST", "/v1/nodes/node-1/pod-cidrs", { body });
    const blocks = table.partitions.get(`BLOCK#${plat.space}#2001:db8::/58`);
    const [[key, item] = []] = blocks ?? [];
    if (!key || !item) throw new Error("there is no block");
    blocks?.set(key, { ...item, f: 99 });
    expect((await plat.get("/v1/pools/pods/utilization")).body).toMatchObject({
      capacity: 256,
      inUse: 1,
      available: 255,
    });
    blocks?.set(key, item);
  });

  it("is left by a release of its host", async () => {
    const { plat } = await nodeWithPrefix();
    expect((await plat.release({ host: "node-1" })).status).toBe(200);
    expect((await plat.get("/v1/addresses/10.0.7.9")).body).toMatchObject({ state: "assigned" });
  });
});

describe("the handle of a node", () => {
  const told = {
    problem: expect.stringMatching(/\/v1\/nodes\/\{node\}\/(pod-cidrs|cilium), which assigns/),
  };
  const refusal = { status: 400, body: { fields: [{ field: "handle", ...told }] } };

  it.each(["node/node-1/uid-1", "node/", "cilium/node-1/uid-1"])(
    "assigns and releases no address: %s",
    async (handle) => {
      const { plat } = await nodeWithPrefix();
      expect(await plat.assign({ host: "node-1", ipv4: 1, handle })).toMatchObject(refusal);
      expect(await plat.release({ handle })).toMatchObject(refusal);
      expect(await plat.delete(`/v1/handles/${handle}`)).toMatchObject(refusal);
      const { body } = await plat.release({ addresses: [{ address: "10.0.7.0", handle }] });
      expect(body.results).toMatchObject([{ status: "conflict", code: "invalid_request" }]);
    },
  );

  it("is the proof of no address of its prefix", async () => {
    const { plat } = await nodeWithPrefix();
    await plat.put("/v1/config", { allowBareRelease: true });
    const handle = "node/node-1/uid-1";
    const detail = expect.stringContaining("/v1/nodes/{node}/pod-cidrs");
    const refused = { status: 400, body: { code: "invalid_request", detail } };
    const path = "/v1/addresses/10.0.7.9";
    const change = { body: { handle, leaseSeconds: 60 } };
    expect(await plat.call("PATCH", path, change)).toMatchObject(refused);
    expect(await plat.call("POST", `${path}/conflict`, { body: { handle } })).toMatchObject(
      refused,
    );
    const { body } = await plat.release({ addresses: [{ address: "10.0.7.9" }] });
    expect(body.results).toMatchObject([{ status: "conflict", code: "invalid_request", detail }]);
    expect((await plat.get(path)).body).toMatchObject({ state: "assigned", handle });
  });
});

describe("a pool of prefixes goes when no node has a prefix of it", () => {
  const work = scheduledRun("work");
  const reclaim = scheduledRun("reclaim");
  const minutes = async (count: number, run: () => Promise<unknown>) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    for (let minute = 0; minute < count; minute++) {
      vi.setSystemTime(Date.now() + 60_000);
      await run();
    }
  };

  afterEach(() => {
    vi.useRealTimers();
  });

  it("by a drain, and then a delete, after which its range is free", async () => {
    const { plat, free } = await nodeWithPrefix();
    const match = async () => ({
      "if-match": String((await plat.get("/v1/pools/pods")).headers.etag),
    });
    expect(await plat.delete("/v1/pools/pods", await match())).toMatchObject({
      status: 409,
      body: { code: "pool_in_use", taken: 1 },
    });
    const { body } = await plat.post("/v1/pools/pods/drain", await match());
    const job = async () => (await plat.get(`/v1/jobs/${body.job.id}`)).body;
    await minutes(10, work);
    expect(await job()).toMatchObject({ detail: "Waits for 1 prefix to be released." });
    await free();
    await minutes(10, work);
    expect(await job()).toMatchObject({ state: "done" });
    await plat.delete("/v1/pools/pods", await match());
    await minutes(10, work);
    expect(await plat.put("/v1/pools/web", { cidr: "10.0.0.0/16" })).toMatchObject({ status: 201 });
    expect((await plat.assign({ host: "node-1", address: "10.0.7.9" })).status).toBe(200);
  });

  it("and before that gets back prefixes that have cooled", async () => {
    const { plat, free } = await nodeWithPrefix();
    await free();
    await minutes(10, reclaim);
    expect((await plat.get("/v1/blocks", { pool: "pods" })).body.blocks).toEqual([]);
    expect((await plat.get("/v1/addresses/10.0.7.9")).body).toMatchObject({ state: "free" });
  });
});
