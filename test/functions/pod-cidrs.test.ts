import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

/** Returns a space with 16 prefixes of each family, and the calls of a cluster. */
async function spaceOfPrefixes(...families: readonly ("v4" | "v6")[]) {
  const plat = newSpace();
  const both = families.length === 0;
  const v4 = { cidr: "10.64.0.0/20", assign: "prefixes" };
  const v6 = { cidr: "fd00:64::/60", assign: "prefixes" };
  if (both || families.includes("v4")) await plat.put("/v1/pools/v4", v4);
  if (both || families.includes("v6")) await plat.put("/v1/pools/v6", v6);
  return { ...plat, ...cluster(plat) };
}

function cluster(plat: ReturnType<typeof newSpace>) {
  const path = (node: string) => `/v1/nodes/${node}/pod-cidrs`;
  return {
    ensure: (node: string, uid: string, body: object = {}) =>
      plat.call("POST", path(node), { body: { uid, ...body } }),
    list: (node: string, query: Readonly<Record<string, string>> = {}) =>
      plat.get(path(node), query),
    free: (node: string, query: Readonly<Record<string, string>>) =>
      plat.call("DELETE", path(node), { query }),
  };
}

const V4 = expect.stringMatching(/^10\.64\.\d+\.0\/24$/);
const V6 = expect.stringMatching(/^fd00:64(:0:\w)?::\/64$/);
const ISO = expect.stringMatching(/^\d{4}-.*Z$/);

const cidrsOf = ({ body }: { readonly body: { podCIDRs: readonly { cidr: string }[] } }) =>
  body.podCIDRs.map(({ cidr }) => cidr);

describe("a node without prefixes", () => {
  it("gets one of each family, unconfirmed, for its Node object", async () => {
    const { ensure } = await spaceOfPrefixes();
    const { status, body } = await ensure("node-1", "a");
    expect(status).toBe(200);
    expect(body).toEqual({
      node: "node-1",
      uid: "a",
      podCIDRs: [
        { cidr: V4, family: 4, pool: "v4", state: "pending", expiresAt: ISO },
        { cidr: V6, family: 6, pool: "v6", state: "pending", expiresAt: ISO },
      ],
      write: { node: body.podCIDRs.map(({ cidr }: { cidr: string }) => cidr) },
    });
  });
});

describe("a node that states its prefixes", () => {
  it("confirms what Plat chose", async () => {
    const { ensure, list } = await spaceOfPrefixes();
    const podCIDRs = cidrsOf(await ensure("node-1", "a"));
    const { status, body } = await ensure("node-1", "a", { podCIDRs });
    expect(status).toBe(200);
    expect(body).toEqual({
      node: "node-1",
      uid: "a",
      podCIDRs: [
        { cidr: podCIDRs[0], family: 4, pool: "v4", state: "confirmed" },
        { cidr: podCIDRs[1], family: 6, pool: "v6", state: "confirmed" },
      ],
    });
    expect((await list("node-1")).body.podCIDRs).toMatchObject([
      { state: "confirmed" },
      { state: "confirmed" },
    ]);
    expect((await ensure("node-1", "a")).body).toMatchObject({
      podCIDRs: body.podCIDRs,
      write: { node: podCIDRs },
    });
  });

  it("has exactly these, with bits below the prefix cut, and the others go back", async () => {
    const { ensure, list } = await spaceOfPrefixes();
    await ensure("node-1", "a");
    const { body } = await ensure("node-1", "a", { podCIDRs: ["10.64.3.7/24"] });
    expect(body.podCIDRs).toEqual([
      { cidr: "10.64.3.0/24", family: 4, pool: "v4", state: "confirmed" },
    ]);
    expect(cidrsOf(await list("node-1"))).toEqual(["10.64.3.0/24"]);
  });

  it("is believed about a disabled pool, so that a cluster can be adopted", async () => {
    const plat = newSpace();
    const pool = { cidr: "10.64.0.0/20", assign: "prefixes", disabled: true };
    await plat.put("/v1/pools/v4", pool);
    const { ensure } = cluster(plat);
    expect(await ensure("node-1", "a")).toMatchObject({
      status: 409,
      body: { code: "no_pool_available" },
    });
    expect(await ensure("node-1", "a", { podCIDRs: ["10.64.1.0/24"] })).toMatchObject({
      status: 200,
      body: { podCIDRs: [{ cidr: "10.64.1.0/24", state: "confirmed" }] },
    });
    expect(cidrsOf(await ensure("node-1", "a"))).toEqual(["10.64.1.0/24"]);
  });

  it("is refused another prefix beside a confirmed one, and nothing changes", async () => {
    const { ensure, list } = await spaceOfPrefixes("v4");
    await ensure("node-1", "a", { podCIDRs: ["10.64.1.0/24"] });
    expect(await ensure("node-1", "a", { podCIDRs: ["10.64.2.0/24"] })).toMatchObject({
      status: 409,
      body: {
        code: "prefix_mismatch",
        stated: ["10.64.2.0/24"],
        confirmed: ["10.64.1.0/24"],
      },
    });
    expect(cidrsOf(await list("node-1"))).toEqual(["10.64.1.0/24"]);
  });

  it("is refused the prefix of another node", async () => {
    const { ensure, list } = await spaceOfPrefixes("v4");
    await ensure("node-1", "a", { podCIDRs: ["10.64.1.0/24"] });
    expect(await ensure("node-2", "b", { podCIDRs: ["10.64.1.0/24"] })).toMatchObject({
      status: 409,
      body: {
        code: "already_assigned",
        cidr: "10.64.1.0/24",
        node: "node-1",
        assignedTo: "node/node-1/a",
      },
    });
    expect((await list("node-2")).body.podCIDRs).toEqual([]);
  });

  it.each(["10.64.0.0/23", "10.64.1.0/25", "192.0.2.0/24", "fd00:64::/64"])(
    "is refused %s, which is no prefix of a pool, and keeps what it had",
    async (cidr) => {
      const { ensure, list } = await spaceOfPrefixes("v4");
      const had = cidrsOf(await ensure("node-1", "a"));
      expect(await ensure("node-1", "a", { podCIDRs: [cidr] })).toMatchObject({
        status: 409,
        body: { code: "no_pool_available", cidr },
      });
      expect(cidrsOf(await list("node-1"))).toEqual(had);
    },
  );
});

describe("a cluster whose cloud provider chooses", () => {
  const cloud = { allocator: "CloudAllocator" };

  it("has the aliases held in place of other prefixes", async () => {
    const { ensure } = await spaceOfPrefixes("v4");
    await ensure("node-1", "a", { podCIDRs: ["10.64.1.0/24"] });
    const aliases = ["10.64.2.0/24"];
    const { body } = await ensure("node-1", "a", { ...cloud, podCIDRs: ["10.64.1.0/24"], aliases });
    expect(body).toMatchObject({
      podCIDRs: [{ cidr: "10.64.2.0/24", state: "confirmed" }],
      write: { node: aliases },
    });
    const again = await ensure("node-1", "a", { ...cloud, podCIDRs: aliases, aliases });
    expect(again.body.write).toBeUndefined();
  });

  it("writes to the provider what Plat chose for a new node", async () => {
    const { ensure } = await spaceOfPrefixes("v4");
    const allocator = "IPAMFromCluster";
    const first = await ensure("node-1", "a", { allocator });
    const cidrs = cidrsOf(first);
    expect(first.body.write).toEqual({ node: cidrs, cloud: cidrs });
    const stated = await ensure("node-1", "a", { allocator, podCIDRs: cidrs });
    expect(stated.body).toMatchObject({
      podCIDRs: [{ state: "confirmed" }],
      write: { cloud: cidrs },
    });
  });
});

describe("the prefixes of a node", () => {
  it("are released by its uid, once", async () => {
    const { ensure, free } = await spaceOfPrefixes();
    const released = cidrsOf(await ensure("node-1", "a"));
    expect((await free("node-1", { uid: "b" })).body).toEqual({ released: [] });
    expect((await free("node-1", { uid: "a" })).body).toEqual({ released });
    expect((await free("node-1", { uid: "a" })).body).toEqual({ released: [] });
  });

  it("are not released by another owner, nor by a CIDR that is no prefix", async () => {
    const { ensure, free } = await spaceOfPrefixes("v4");
    await ensure("node-1", "a", { podCIDRs: ["10.64.1.0/24"] });
    expect(await free("node-2", { uid: "b", cidr: "10.64.1.0/24" })).toMatchObject({
      status: 409,
      body: { code: "generation_conflict", node: "node-1" },
    });
    for (const cidr of ["10.64.1.0/25", "10.64.0.0/23", "192.0.2.0/24"])
      expect(await free("node-1", { uid: "a", cidr })).toMatchObject({
        status: 400,
        body: { fields: [{ field: "?cidr", value: cidr }] },
      });
  });
});

describe("a pool without a free prefix", () => {
  it("refuses both families, and says when one has cooled", async () => {
    const { ensure, free, put, list } = await spaceOfPrefixes("v6");
    await put("/v1/pools/v4", { cidr: "10.64.0.0/23", assign: "prefixes" });
    await ensure("node-1", "a", { podCIDRs: ["10.64.0.0/24"] });
    await ensure("node-2", "b", { podCIDRs: ["10.64.1.0/24"] });
    await free("node-2", { uid: "b" });
    expect(await ensure("node-3", "c")).toMatchObject({
      status: 409,
      body: {
        code: "pool_exhausted",
        retryable: true,
        retryAfterSeconds: expect.any(Number),
        pools: [
          {
            pool: "v4",
            cidr: "10.64.0.0/23",
            prefixes: 2,
            inUse: 1,
            cooling: 1,
            availableAt: ISO,
          },
        ],
      },
    });
    expect((await list("node-3")).body.podCIDRs).toEqual([]);
  });

  it("leaves out prefixes that a reservation touches, unless a node states one", async () => {
    const { ensure, put } = await spaceOfPrefixes("v6");
    await put("/v1/pools/v4", { cidr: "10.64.0.0/23", assign: "prefixes" });
    await put("/v1/reservations/services", { cidrs: ["10.64.0.10"] });
    expect(cidrsOf(await ensure("node-1", "a"))).toEqual(["10.64.1.0/24", V6]);
    expect(await ensure("node-2", "b", { podCIDRs: ["10.64.0.0/24"] })).toMatchObject({
      status: 200,
    });
  });
});

describe("a request for prefixes", () => {
  it.each([
    ["uid", { uid: "a/b" }],
    ["uid", { uid: "" }],
    ["podCIDRs", { podCIDRs: ["10.64.0.0/24", "10.64.1.0/24"] }],
    ["podCIDRs[0]", { podCIDRs: ["10.64.0.0"] }],
    ["aliases[0]", { aliases: ["x"] }],
    ["allocator", { allocator: "NodeIpam" }],
    ["confirmSeconds", { confirmSeconds: 59 }],
    ["confirmSeconds", { confirmSeconds: 86_401 }],
  ])("names the mistake in %s", async (field, mistake) => {
    const { ensure } = await spaceOfPrefixes("v4");
    expect(await ensure("node-1", "a", mistake)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", fields: [{ field }] },
    });
  });

  it("may name Manual pools, and the labels of the host count as in an assign", async () => {
    const plat = newSpace();
    const { ensure } = cluster(plat);
    const prefixes = { assign: "prefixes", blockSize: 28 };
    const manual = { ...prefixes, cidr: "10.65.0.0/24", assignmentMode: "Manual" };
    await plat.put("/v1/pools/manual", manual);
    const west = { ...prefixes, cidr: "10.66.0.0/24", nodeSelector: "zone == 'west'" };
    await plat.put("/v1/pools/west", west);
    expect(await ensure("node-1", "a")).toMatchObject({
      status: 409,
      body: { code: "no_pool_available" },
    });
    expect((await ensure("node-1", "a", { pools: ["manual"] })).body).toMatchObject({
      podCIDRs: [{ pool: "manual" }],
    });
    expect((await ensure("node-2", "b", { hostLabels: { zone: "west" } })).body).toMatchObject({
      podCIDRs: [{ pool: "west" }],
    });
  });
});
