import { describe, expect, it } from "vitest";
import { type CiliumSaid, ciliumNode } from "../node-objects.ts";
import { newSpace } from "./plat.ts";

interface Pools {
  readonly requested?: readonly object[];
  readonly allocated?: readonly object[];
}

/** Returns a space with pools of prefixes for Cilium's pools mars and venus, and the calls of a cluster. */
async function spaceOfPools() {
  const plat = newSpace();
  for (const [name, cidr, blockSize] of [
    ["mars.10-10-0-0-26", "10.10.0.0/26", 27],
    ["mars.10-20-0-0-26", "10.20.0.0/26", 27],
    ["mars.fd00-10---112", "fd00:10::/112", 120],
    ["venus", "10.30.0.0/24", 28],
  ] as const)
    await plat.put(`/v1/pools/${name}`, {
      cidr,
      blockSize,
      assign: "prefixes",
      assignmentMode: "Manual",
    });
  const path = (node: string) => `/v1/nodes/${node}/cilium`;
  let version = 0;
  const apply = async (node: string, pools: Pools = {}, { uid = "a" }: CiliumSaid = {}) => {
    const resourceVersion = String(++version);
    const said = { uid, resourceVersion, ipam: { pools } };
    const answer = await plat.call("PUT", path(node), {
      body: ciliumNode(node, said),
      query: { mode: "multi-pool" },
    });
    expect(answer.status).toBe(200);
    return {
      pools: answer.body.spec.ipam.pools,
      allocated: answer.body.spec.ipam.pools.allocated,
      error: answer.body.status.operator.error,
    };
  };
  return {
    ...plat,
    apply,
    read: (node: string) => plat.get(path(node)),
    end: (node: string, uid = "a") => plat.call("DELETE", path(node), { query: { uid } }),
  };
}

const requests = (pool: string, v4: number, v6 = 0) => ({
  pool,
  needed: { "ipv4-addrs": v4, "ipv6-addrs": v6 },
});

const MARS = /^10\.[12]0\.0\.(0|32)\/27$/;
const MARS_V6 = expect.stringMatching(/^fd00:10::(\w\w?00)?\/120$/);
const VENUS = expect.stringMatching(/^10\.30\.0\.\d+\/28$/);

describe("a CiliumNode in mode multi-pool", () => {
  it("gets prefixes of each pool until their usable addresses are enough", async () => {
    const { apply } = await spaceOfPools();
    const requested = [requests("venus", 14), requests("mars", 31, 8)];
    const { pools, error } = await apply("node-1", { requested });
    expect(error).toBe("");
    const mars = expect.stringMatching(MARS);
    expect(pools).toEqual({
      requested,
      allocated: [
        { pool: "mars", cidrs: [mars, mars, MARS_V6] },
        { pool: "venus", cidrs: [VENUS] },
      ],
    });
    expect((await apply("node-1", { requested })).pools).toEqual(pools);
  });

  it("gets all prefixes of a pool over its networks, and is told what is missing", async () => {
    const { apply } = await spaceOfPools();
    const requested = [requests("mars", 121), requests("saturn", 1), requests("venus", 8)];
    const { allocated, error } = await apply("node-1", { requested });
    expect(allocated).toEqual([
      { pool: "mars", cidrs: ["10.10.0.0/27", "10.10.0.32/27", "10.20.0.0/27", "10.20.0.32/27"] },
      { pool: "venus", cidrs: [VENUS] },
    ]);
    expect(error).toMatch(
      /^Node node-1, pool mars, IPv4: .+\. Node node-1, pool saturn, IPv4: No pool of IPv4 prefixes has the name saturn, or saturn, a dot and a rest without a dot\.$/,
    );
  });

  it("gets nothing of a pool of Cilium whose name only begins with the one that it requests", async () => {
    const { apply, put } = await spaceOfPools();
    const name = "venus.blue.10-40-0-0-24";
    const pool = { cidr: "10.40.0.0/24", assign: "prefixes", assignmentMode: "Manual" };
    await put(`/v1/pools/${name}`, { ...pool, blockSize: 28 });
    const cidrs = ["10.40.0.0/28"];
    const { error } = await apply("node-1", { allocated: [{ pool: "venus", cidrs }] });
    expect(error).toContain(`belongs to pool ${name}, not to venus`);
    const blue = await apply("node-2", { requested: [requests("venus.blue", 8)] }, { uid: "b" });
    expect(blue).toMatchObject({ allocated: [{ pool: "venus.blue" }], error: "" });
  });

  it("holds what it lists, also a prefix that cools, unless another node has it", async () => {
    const { apply } = await spaceOfPools();
    const allocated = [{ pool: "mars", cidrs: ["10.20.0.0/27"] }];
    expect(await apply("node-1", { allocated })).toMatchObject({ allocated, error: "" });
    const other = await apply("node-2", { allocated }, { uid: "b" });
    expect(other.allocated).toEqual(allocated);
    expect(other.error).toBe(
      "Node node-2, pool mars, IPv4: Prefix 10.20.0.0/27 is assigned to node node-1.",
    );
    await apply("node-1", { allocated: [] });
    expect(await apply("node-2", { allocated }, { uid: "b" })).toMatchObject({
      allocated,
      error: "",
    });
  });

  it("keeps a listed prefix that is none of its pool, and is told so", async () => {
    const { apply } = await spaceOfPools();
    const listed = [
      { pool: "mars", cidrs: ["192.0.2.0/27"] },
      { pool: "venus", cidrs: ["10.20.0.0/27"] },
    ];
    const { allocated, error } = await apply("node-1", { allocated: listed.toReversed() });
    expect(allocated).toEqual(listed);
    expect(error).toMatch(
      /^Node node-1, pool venus, IPv4: Prefix 10\.20\.0\.0\/27 belongs to pool mars\.10-20-0-0-26, not to venus\. Node node-1, pool mars, IPv4: 192\.0\.2\.0\/27 is no prefix of a pool: /,
    );
  });

  it("has a prefix once that it lists under another pool than the one it holds it of", async () => {
    const { apply } = await spaceOfPools();
    const [cidr] = (await apply("node-1", { requested: [requests("mars", 8)] })).allocated[0].cidrs;
    await apply("node-1", { allocated: [{ pool: "mars", cidrs: [cidr] }] });
    const allocated = [{ pool: "venus", cidrs: [cidr] }];
    expect((await apply("node-1", { allocated })).allocated).toEqual(allocated);
  });

  it("has prefixes that addresses and checks show, and that a release of its host leaves", async () => {
    const { apply, get, call } = await spaceOfPools();
    const { allocated } = await apply("node-1", { requested: [requests("venus", 8)] });
    const [cidr] = allocated[0].cidrs;
    const [address] = cidr.split("/");
    const handle = "cilium/node-1/a/venus";
    expect((await get(`/v1/addresses/${address}`)).body).toMatchObject({ handle, prefix: cidr });
    await call("POST", "/v1/release", { body: { host: "node-1", all: true } });
    expect((await get(`/v1/addresses/${address}`)).body).toMatchObject({ handle });
    expect((await get("/v1/nodes/node-1/pod-cidrs")).body.podCIDRs).toEqual([]);
  });
});

describe("GET of a CiliumNode in mode multi-pool", () => {
  it("answers what it has, and takes nothing", async () => {
    const { apply, read, put } = await spaceOfPools();
    const requested = [requests("saturn", 8)];
    await apply("node-1", { requested });
    await put("/v1/pools/saturn", { cidr: "10.40.0.0/24", assign: "prefixes", blockSize: 28 });
    const { body } = await read("node-1");
    expect(body.spec.ipam.pools).toEqual({ requested, allocated: [] });
  });
});

describe("DELETE of a CiliumNode in mode multi-pool", () => {
  it("releases its prefixes of all pools, once", async () => {
    const { apply, end } = await spaceOfPools();
    const requested = [requests("mars", 31, 1), requests("venus", 1)];
    const { allocated } = await apply("node-1", { requested });
    const cidrs = allocated.flatMap((each: { readonly cidrs: readonly string[] }) => each.cidrs);
    expect((await end("node-1")).body.released.toSorted()).toEqual(cidrs.toSorted());
    expect((await end("node-1")).body).toEqual({ released: [] });
  });
});
