import { describe, expect, it } from "vitest";
import { newSpace } from "./plat.ts";

const VPCS = { cidr: "10.0.0.0/16", assign: "prefixes", assignmentMode: "Manual" };
const NAMED = { family: 4, pools: ["vpcs"] };

/** Returns a space with a pool of 256 prefixes of /24, and calls of its routes of prefixes. */
async function spaceOfVpcs(pool: object = {}) {
  const plat = newSpace();
  await plat.put("/v1/pools/vpcs", { ...VPCS, ...pool });
  const assign = (body: object, key?: string) =>
    plat.call("POST", "/v1/prefixes", {
      body: { ...NAMED, ...body },
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
  const specific = (cidr: string, handle: string, more: object = {}) =>
    plat.call("POST", "/v1/prefixes", { body: { cidr, handle, ...more } });
  const list = (query: Readonly<Record<string, string>>) => plat.get("/v1/prefixes", query);
  const release = (handle: string, cidr?: string) =>
    plat.call("POST", "/v1/prefixes/release", {
      body: { handle, ...(cidr !== undefined && { cidr }) },
    });
  return { plat, assign, specific, list, release };
}

describe("POST /v1/prefixes", () => {
  it("assigns a free prefix of the pool to the handle", async () => {
    const { assign, list } = await spaceOfVpcs();
    const { status, body } = await assign({ handle: "vpc-1", attributes: { team: "red" } });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        requestId: expect.any(String),
        handle: "vpc-1",
        prefixes: [{ cidr: expect.stringMatching(/^10\.0\.\d+\.0\/24$/), family: 4, pool: "vpcs" }],
      },
    });
    const [prefix] = body.prefixes;
    expect((await list({ handle: "vpc-1" })).body.prefixes).toEqual([
      {
        ...prefix,
        handle: "vpc-1",
        attributes: { team: "red" },
        assignedAt: expect.any(String),
      },
    ]);
  });

  it("keeps a description and tags, as the attributes of these names", async () => {
    const { assign, list } = await spaceOfVpcs();
    const said = { description: "VPC of the shop", tags: ["shop", "prod"] };
    await assign({ handle: "vpc-1", attributes: { team: "red" }, ...said });
    expect((await list({ handle: "vpc-1" })).body.prefixes).toMatchObject([
      { ...said, attributes: { team: "red", description: said.description, tags: "shop,prod" } },
    ]);
    await assign({ handle: "vpc-2", description: "", tags: [] });
    const [none] = (await list({ handle: "vpc-2" })).body.prefixes;
    expect(Object.keys(none)).not.toContain("description");
    expect(Object.keys(none)).not.toContain("tags");
    const twice = await assign({ handle: "vpc-3", tags: ["a"], attributes: { tags: "b" } });
    expect(twice).toMatchObject({
      status: 400,
      body: {
        fields: [
          { field: "attributes.tags", problem: "is excluded by tags, which is this attribute" },
        ],
      },
    });
  });

  it("gives each request another prefix, until none is left", async () => {
    const { assign } = await spaceOfVpcs({ cidr: "10.0.0.0/23" });
    const one = await assign({ handle: "a" });
    const other = await assign({ handle: "a" });
    const got = [one, other].map(({ body }) => body.prefixes[0].cidr);
    expect(got.toSorted()).toEqual(["10.0.0.0/24", "10.0.1.0/24"]);
    const { status, body } = await assign({ handle: "a" });
    expect({ status, code: body.code }).toEqual({ status: 409, code: "pool_exhausted" });
    expect(body.detail).toMatch(/^There is no free IPv4 prefix for handle a in vpcs /);
  });

  it("gives a repeat under the same key the same prefix, and another body under it nothing", async () => {
    const { assign } = await spaceOfVpcs();
    const first = await assign({ handle: "vpc-1" }, "key-1");
    const again = await assign({ handle: "vpc-1" }, "key-1");
    expect(again.body.prefixes).toEqual(first.body.prefixes);
    expect(await assign({ handle: "vpc-1", attributes: { a: "b" } }, "key-1")).toMatchObject({
      status: 422,
      body: { code: "idempotency_mismatch" },
    });
  });

  it("says after a release that the key was used for it", async () => {
    const { assign, release } = await spaceOfVpcs();
    await assign({ handle: "vpc-1" }, "key-1");
    await release("vpc-1");
    expect(await assign({ handle: "vpc-1" }, "key-1")).toMatchObject({
      status: 409,
      body: { code: "already_released" },
    });
  });

  it("with limitPerHandle 1 returns the prefix that the handle has", async () => {
    const { assign } = await spaceOfVpcs();
    const first = await assign({ handle: "vpc-1", limitPerHandle: 1 });
    const again = await assign({ handle: "vpc-1", limitPerHandle: 1 });
    expect(again.body.prefixes).toEqual(first.body.prefixes);
    const other = await assign({ handle: "vpc-2", limitPerHandle: 1 });
    expect(other.body.prefixes).not.toEqual(first.body.prefixes);
  });

  it("serves a length from the pools that have it, and says which lengths the others have", async () => {
    const { plat, assign } = await spaceOfVpcs();
    const links = { ...VPCS, cidr: "10.1.0.0/24", blockSize: 31 };
    await plat.put("/v1/pools/links", links);
    const pools = ["vpcs", "links"];
    expect((await assign({ handle: "link", pools, prefixLength: 31 })).body).toMatchObject({
      prefixes: [{ pool: "links", cidr: expect.stringMatching(/\/31$/) }],
    });
    const { status, body } = await assign({ handle: "link", pools, prefixLength: 28 });
    expect({ status, code: body.code }).toEqual({ status: 409, code: "no_pool_available" });
    expect(body.detail).toContain("vpcs has prefixes of /24 (blockSize)");
    expect(body.pools).toContainEqual(expect.objectContaining({ pool: "links", code: "length" }));
  });

  it("takes no prefix of a pool of addresses", async () => {
    const { plat } = await spaceOfVpcs();
    await plat.put("/v1/pools/web", { cidr: "10.9.0.0/24" });
    const body = { handle: "vpc-1", family: 4, pools: ["web"] };
    const { status, body: refused } = await plat.call("POST", "/v1/prefixes", { body });
    expect(status).toBe(409);
    expect(refused.detail).toContain("web assigns addresses, not prefixes");
  });

  it.each([
    [{ handle: "a" }, "family"],
    [{ handle: "a", family: 4, cidr: "10.0.1.0/24" }, "family"],
    [{ handle: "a", prefixLength: 24, cidr: "10.0.1.0/24" }, "prefixLength"],
    [{ handle: "a", limitPerHandle: 1, cidr: "10.0.1.0/24" }, "limitPerHandle"],
    [{ handle: "a", family: 4, prefixLength: 33 }, "prefixLength"],
    [{ family: 4 }, "handle"],
    [{ handle: "node/node-1/uid-1", family: 4 }, "handle"],
    [{ handle: "prefix/a", family: 4 }, "handle"],
    [{ handle: "a".repeat(247), family: 4 }, "handle"],
  ])("rejects %j by the name of the field", async (body, field) => {
    const { plat } = await spaceOfVpcs();
    const { status, body: problem } = await plat.call("POST", "/v1/prefixes", { body });
    expect({ status, field: problem.fields?.[0]?.field }).toEqual({ status: 400, field });
  });

  it("explains itself in a dry run, and writes nothing", async () => {
    const { assign, specific, list } = await spaceOfVpcs();
    const { body } = await assign({ handle: "a", dryRun: true });
    expect(body).toMatchObject({
      dryRun: true,
      families: [
        {
          family: 4,
          rule: "pools",
          pools: [{ pool: "vpcs", kept: true }],
          blocks: [{ action: "create", pool: "vpcs", count: 1 }],
        },
      ],
    });
    expect((await specific("10.0.7.0/24", "a", { dryRun: true })).body).toMatchObject({
      families: [{ rule: "pools", pools: [{ pool: "vpcs" }], blocks: [{ block: "10.0.7.0/24" }] }],
    });
    expect((await list({ handle: "a" })).status).toBe(404);
  });

  it("serves only the principals of a pool that names them", async () => {
    const { assign, specific } = await spaceOfVpcs({
      principals: ["arn:aws:iam::210987654321:role/red"],
    });
    const forbidden = { status: 403, body: { code: "pool_forbidden", limit: { pool: "vpcs" } } };
    expect(await assign({ handle: "a" })).toMatchObject(forbidden);
    expect(await specific("10.0.7.0/24", "a")).toMatchObject(forbidden);
  });
});

describe("a specific prefix", () => {
  it("is assigned whoever is the first to ask for it", async () => {
    const { specific } = await spaceOfVpcs();
    expect((await specific("10.0.7.0/24", "a")).body.prefixes).toEqual([
      { cidr: "10.0.7.0/24", family: 4, pool: "vpcs" },
    ]);
    const { status, body } = await specific("10.0.7.0/24", "b");
    expect({ status, code: body.code, assignedTo: body.assignedTo }).toEqual({
      status: 409,
      code: "already_assigned",
      assignedTo: "prefix/a",
    });
    expect(body.detail).toBe("Prefix 10.0.7.0/24 is assigned to handle prefix/a.");
  });

  it("is not one that a node has", async () => {
    const { plat, specific } = await spaceOfVpcs();
    const body = { uid: "uid-1", podCIDRs: ["10.0.7.0/24"] };
    await plat.call("POST", "/v1/nodes/node-1/pod-cidrs", { body });
    expect(await specific("10.0.7.0/24", "b")).toMatchObject({
      status: 409,
      body: { code: "already_assigned", node: "node-1" },
    });
  });

  it("cools after its release, for everybody", async () => {
    const { specific, release } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    await release("a");
    for (const handle of ["a", "b"]) {
      const { status, body } = await specific("10.0.7.0/24", handle);
      expect({ status, code: body.code }).toEqual({ status: 409, code: "address_cooling" });
      expect(Date.parse(body.availableAt) - Date.now()).toBeGreaterThan(290_000);
    }
  });

  it("is assigned although a reservation keeps it from others", async () => {
    const { plat, specific } = await spaceOfVpcs();
    await plat.put("/v1/reservations/kept", { cidrs: ["10.0.7.9"] });
    expect((await specific("10.0.7.0/24", "a")).status).toBe(200);
  });

  it.each([
    ["10.0.7.0/25", "pool vpcs (10.0.0.0/16) has prefixes of /24"],
    ["10.7.7.0/24", "no pool of prefixes has it"],
  ])("is none that is no prefix of a pool: %s", async (cidr, why) => {
    const { specific } = await spaceOfVpcs();
    const { status, body } = await specific(cidr, "a");
    expect({ status, code: body.code }).toEqual({ status: 409, code: "no_pool_available" });
    expect(body.detail).toContain(why);
  });

  it("is none of a disabled pool, or of a pool beside those that are named", async () => {
    const { plat, specific } = await spaceOfVpcs({ disabled: true });
    await plat.put("/v1/pools/other", { ...VPCS, cidr: "10.1.0.0/16" });
    expect(await specific("10.0.7.0/24", "a")).toMatchObject({
      status: 409,
      body: { code: "no_pool_available", pools: [{ pool: "vpcs", code: "disabled" }] },
    });
    expect(await specific("10.1.7.0/24", "a", { pools: ["vpcs"] })).toMatchObject({
      status: 409,
      body: { code: "no_pool_available", pools: [{ pool: "other", code: "not_named" }] },
    });
  });
});

describe("GET /v1/prefixes", () => {
  it("finds the owner of a prefix, and none of one that is free or a node's", async () => {
    const { plat, specific, list } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    expect((await list({ cidr: "10.0.7.0/24" })).body.prefixes).toMatchObject([{ handle: "a" }]);
    expect((await list({ cidr: "10.0.7.0/24", handle: "a" })).status).toBe(200);
    const body = { uid: "uid-1", podCIDRs: ["10.0.9.0/24"] };
    await plat.call("POST", "/v1/nodes/node-1/pod-cidrs", { body });
    for (const [query, why] of [
      [{ cidr: "10.0.7.0/24", handle: "b" }, "another handle, a"],
      [{ cidr: "10.0.8.0/24" }, "assigned to nobody"],
      [{ cidr: "10.0.9.0/24" }, "node/node-1/uid-1, which is no handle of a caller"],
      [{ cidr: "10.0.9.0/25" }, "no prefix of a pool"],
      [{ handle: "b" }, "Handle b has no prefixes"],
    ] as const) {
      const { status, body } = await list(query);
      expect({ status, detail: body.detail }).toEqual({
        status: 404,
        detail: expect.stringContaining(why),
      });
    }
  });

  it("needs a handle or a CIDR", async () => {
    const { list } = await spaceOfVpcs();
    expect(await list({})).toMatchObject({ status: 400, body: { fields: [{ field: "?handle" }] } });
  });
});

describe("POST /v1/prefixes/release", () => {
  it("releases all prefixes of a handle, and a repeat none", async () => {
    const { specific, release, list } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    await specific("10.0.8.0/24", "a");
    await specific("10.0.9.0/24", "b");
    const { body } = await release("a");
    expect(body).toMatchObject({ handle: "a", complete: true });
    expect(body.released.toSorted()).toEqual(["10.0.7.0/24", "10.0.8.0/24"]);
    expect((await release("a")).body).toMatchObject({ released: [], complete: true });
    expect((await list({ handle: "b" })).status).toBe(200);
  });

  it("takes no Idempotency-Key, because a repeat frees what the handle has by then", async () => {
    const { plat, specific, list } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    const headers = { "idempotency-key": "k" };
    const refused = await plat.call("POST", "/v1/prefixes/release", {
      ...{ body: { handle: "a" }, headers },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { fields: [{ field: "Idempotency-Key" }] },
    });
    expect(refused.body.detail).toContain("a repeat frees what the handle has by then");
    expect((await list({ handle: "a" })).body.prefixes).toHaveLength(1);
  });

  it("releases one prefix, and leaves the others", async () => {
    const { specific, release, list } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    await specific("10.0.8.0/24", "a");
    expect((await release("a", "10.0.7.0/24")).body.released).toEqual(["10.0.7.0/24"]);
    expect((await list({ handle: "a" })).body.prefixes).toMatchObject([{ cidr: "10.0.8.0/24" }]);
  });

  it("names the owner of a prefix that the handle does not have", async () => {
    const { specific, release } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    expect(await release("b", "10.0.7.0/24")).toMatchObject({
      status: 409,
      body: { code: "generation_conflict", assignedTo: "prefix/a" },
    });
    expect((await release("b", "10.0.8.0/24")).body.released).toEqual([]);
    expect(await release("b", "10.7.8.0/24")).toMatchObject({
      status: 400,
      body: { fields: [{ field: "cidr" }] },
    });
  });
});

describe("the handle of prefixes", () => {
  it("is another one than the same handle of addresses", async () => {
    const { plat, specific, list } = await spaceOfVpcs();
    await plat.put("/v1/pools/web", { cidr: "10.9.0.0/24" });
    await specific("10.0.7.0/24", "a");
    await plat.assign({ host: "node-1", ipv4: 1, handle: "a" });
    expect((await plat.delete("/v1/handles/a")).body.released).toEqual([
      expect.stringMatching(/^10\.9\.0\./),
    ]);
    expect((await list({ handle: "a" })).body.prefixes).toHaveLength(1);
    expect((await plat.get("/v1/addresses/10.0.7.9")).body).toMatchObject({
      state: "assigned",
      prefix: "10.0.7.0/24",
      handle: "prefix/a",
    });
  });

  it("assigns and releases no address", async () => {
    const { plat, specific } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    const handle = "prefix/a";
    const told = { problem: expect.stringContaining("/v1/prefixes") };
    const refusal = { status: 400, body: { fields: [{ field: "handle", ...told }] } };
    expect(await plat.assign({ host: "node-1", ipv4: 1, handle })).toMatchObject(refusal);
    expect(await plat.release({ handle })).toMatchObject(refusal);
    expect(await plat.delete(`/v1/handles/${handle}`)).toMatchObject(refusal);
    await plat.put("/v1/config", { allowBareRelease: true });
    const { body } = await plat.release({ addresses: [{ address: "10.0.7.0" }] });
    expect(body.results).toMatchObject([
      {
        status: "conflict",
        code: "invalid_request",
        detail: expect.stringContaining("/v1/prefixes"),
      },
    ]);
  });

  it("keeps its prefixes when its virtual owner is released", async () => {
    const { plat, specific, list } = await spaceOfVpcs();
    await specific("10.0.7.0/24", "a");
    await plat.release({ host: "a", affinityType: "virtual" });
    expect((await list({ handle: "a" })).body.prefixes).toHaveLength(1);
  });
});
