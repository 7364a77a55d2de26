import { afterEach, describe, expect, it, vi } from "vitest";
import { newSpace, scheduledRun } from "./plat.ts";

const reclaim = scheduledRun("reclaim");

const REGION = { cidr: "10.0.0.0/8", assign: "prefixes", blockSize: 16, assignmentMode: "Manual" };
const CLUSTER = { cidr: "10.7.0.0/16", parent: "region" };

afterEach(() => {
  vi.useRealTimers();
});

/** Returns a space with a pool of prefixes, of which the handle cluster-7 has one. */
async function spaceOfRegion() {
  const plat = newSpace();
  await plat.put("/v1/pools/region", REGION);
  const assign = (cidr: string, handle: string) =>
    plat.call("POST", "/v1/prefixes", { body: { cidr, handle, pools: [] } });
  const release = (handle: string, cidr?: string) =>
    plat.call("POST", "/v1/prefixes/release", {
      body: { handle, ...(cidr !== undefined && { cidr }) },
    });
  const remove = async (name: string) => {
    const { headers } = await plat.get(`/v1/pools/${name}`);
    return plat.delete(`/v1/pools/${name}`, { "if-match": String(headers.etag) });
  };
  await assign(CLUSTER.cidr, "cluster-7");
  return { plat, assign, release, remove };
}

describe("a pool with a parent", () => {
  it("is made of a prefix that a handle has, and assigns addresses of it", async () => {
    const { plat } = await spaceOfRegion();
    const { status, body } = await plat.put("/v1/pools/cluster", CLUSTER);
    expect({ status, body }).toMatchObject({ status: 201, body: CLUSTER });
    expect((await plat.get("/v1/pools/cluster")).body).toMatchObject(CLUSTER);
    const { body: assigned } = await plat.assign({ host: "n1", ipv4: 1, pools: ["cluster"] });
    const [{ address, pool }] = assigned.addresses;
    expect(pool).toBe("cluster");
    expect((await plat.get(`/v1/addresses/${address}`)).body).toMatchObject({
      pool: "cluster",
      state: "assigned",
    });
    expect((await plat.get("/v1/addresses/10.8.0.1")).body).toMatchObject({ pool: "region" });
    expect((await plat.get("/v1/prefixes", { handle: "cluster-7" })).body.prefixes).toMatchObject([
      { cidr: CLUSTER.cidr, pool: "region" },
    ]);
  });

  it("keeps its prefix: a release names the pool, and changes nothing", async () => {
    const { plat, release } = await spaceOfRegion();
    await plat.put("/v1/pools/cluster", CLUSTER);
    for (const cidr of [CLUSTER.cidr, undefined])
      expect(await release("cluster-7", cidr)).toMatchObject({
        status: 409,
        body: { code: "prefix_in_use", pool: "cluster", cidr: CLUSTER.cidr },
      });
    expect((await plat.get("/v1/prefixes", { handle: "cluster-7" })).body.prefixes).toHaveLength(1);
  });

  it("keeps only its own prefix: a release of a handle releases the others", async () => {
    const { plat, assign, release } = await spaceOfRegion();
    await plat.put("/v1/pools/cluster", CLUSTER);
    await assign("10.8.0.0/16", "cluster-7");
    expect((await release("cluster-7")).body).toMatchObject({
      released: ["10.8.0.0/16"],
      complete: false,
    });
    expect((await release("cluster-7")).body.code).toBe("prefix_in_use");
  });

  it("keeps its prefix and its parent until it is gone, which a retry may await", async () => {
    const { plat, release, remove } = await spaceOfRegion();
    await plat.put("/v1/pools/cluster", CLUSTER);
    const { job } = (await remove("cluster")).body;
    const awaited = { retryable: true, job: job.id };
    expect((await release("cluster-7")).body).toMatchObject({
      code: "prefix_in_use",
      detail:
        "Pool cluster is made of prefix 10.7.0.0/16, and is being deleted; release the prefix once it is gone.",
      ...awaited,
    });
    expect((await remove("region")).body).toMatchObject({ code: "pool_in_use", ...awaited });
    expect((await plat.put("/v1/pools/other", CLUSTER)).body).toMatchObject({
      code: "pool_overlap",
      ...awaited,
    });
  });

  it("keeps its parent: a deletion of that names the pool, also if it is disabled", async () => {
    const { plat, remove } = await spaceOfRegion();
    await plat.put("/v1/pools/cluster", CLUSTER);
    const { headers } = await plat.get("/v1/pools/region");
    await plat.put("/v1/pools/region", { ...REGION, disabled: true }, headers.etag);
    const { status, body } = await remove("region");
    expect({ status, body }).toMatchObject({
      status: 409,
      body: { code: "pool_in_use", children: ["cluster"] },
    });
  });

  it("has its use told in that of its parent", async () => {
    const { plat } = await spaceOfRegion();
    await plat.put("/v1/pools/cluster", CLUSTER);
    await plat.assign({ host: "n1", ipv4: 3, pools: ["cluster"] });
    const read = async () => (await plat.get("/v1/pools/region/utilization")).body;
    expect(await read()).toMatchObject({
      inUse: 1,
      childCount: 1,
      children: [{ pool: "cluster", cidr: CLUSTER.cidr }],
    });
    // A pass is recorded at the start of each five minutes.
    vi.useFakeTimers({ toFake: ["Date"], now: 3_600_000 * Math.ceil(Date.now() / 3_600_000) });
    await reclaim();
    expect((await read()).children).toEqual([
      expect.objectContaining({ inUse: 3, capacity: 65_536, countedAt: expect.any(String) }),
    ]);
  });
});

describe("a pool with a parent is rejected", () => {
  it.each([
    ["if no handle has the prefix", { cidr: "10.9.0.0/16" }, 409, "pool_overlap"],
    ["if the CIDR is a part of a prefix", { cidr: "10.7.0.0/17" }, 400, "invalid_request"],
    ["if the parent does not exist", { parent: "nowhere" }, 400, "invalid_request"],
    ["if it has ranges", { ranges: ["10.7.0.1"] }, 400, "invalid_request"],
    ["if its blocks are the prefix", { assign: "prefixes", blockSize: 16 }, 400, "invalid_request"],
  ])("%s", async (_, fields, status, code) => {
    const { plat } = await spaceOfRegion();
    const rejected = await plat.put("/v1/pools/cluster", { ...CLUSTER, ...fields });
    expect({ status: rejected.status, code: rejected.body.code }).toEqual({ status, code });
    expect((await plat.get("/v1/pools/cluster")).status).toBe(404);
  });

  it("if the parent assigns addresses", async () => {
    const { plat } = await spaceOfRegion();
    await plat.put("/v1/pools/web", { cidr: "172.16.0.0/16" });
    const cluster = { cidr: "172.16.0.0/26", parent: "web" };
    expect((await plat.put("/v1/pools/cluster", cluster)).body.fields).toMatchObject([
      { field: "parent", value: "web" },
    ]);
  });

  it("if a node has the prefix", async () => {
    const { plat } = await spaceOfRegion();
    await plat.call("POST", "/v1/nodes/node-1/pod-cidrs", {
      body: { uid: "a", podCIDRs: ["10.9.0.0/16"] },
    });
    const { status, body } = await plat.put("/v1/pools/c", { ...CLUSTER, cidr: "10.9.0.0/16" });
    expect({ status, code: body.code }).toEqual({ status: 409, code: "pool_overlap" });
    expect(body.detail).toContain("node/node-1/a");
  });

  it("if another pool is made of the prefix", async () => {
    const { plat } = await spaceOfRegion();
    await plat.put("/v1/pools/cluster", CLUSTER);
    const { status, body } = await plat.put("/v1/pools/other", CLUSTER);
    expect({ status, code: body.code }).toEqual({ status: 409, code: "pool_overlap" });
    expect(body.detail).toContain("pool cluster is made of this prefix");
  });

  it("without the parent it overlaps, and the parent never changes", async () => {
    const { plat } = await spaceOfRegion();
    const { cidr } = CLUSTER;
    expect((await plat.put("/v1/pools/cluster", { cidr })).body.code).toBe("pool_overlap");
    const { headers } = await plat.put("/v1/pools/cluster", CLUSTER);
    expect((await plat.put("/v1/pools/cluster", { cidr }, headers.etag)).body).toMatchObject({
      code: "invalid_request",
      fields: [{ field: "parent" }],
    });
  });
});
