import { describe, expect, it } from "vitest";
import { GRACE_MS } from "../../src/base/limits.ts";
import type { HttpReply } from "../../src/local/client.ts";
import { repairIndexed } from "../../src/maintenance/repair/index-entry.ts";
import { completeIndexes } from "../simulation/indexes.ts";
import { context, newSpace, pagesOf, spaceWithPool, textsOf } from "./plat.ts";

type Plat = ReturnType<typeof newSpace>;
type Query = Readonly<Record<string, string>>;

const PATH = "/v1/addresses";

/** Returns the addresses of all pages of a search, in its order. */
async function found(plat: Plat, query: Query = {}): Promise<readonly string[]> {
  return (await pagesOf(plat, PATH, query)).flatMap(textsOf);
}

/** Enters the allocations of a space in its indexes, as walks of the repair run do after a few minutes. */
async function enterAll(space: string): Promise<void> {
  const later = { ...context, now: () => Date.now() + 2 * GRACE_MS };
  for (const { place } of (await context.store.scanPage(10_000)).contents.allocations)
    if (place.space === space) {
      const allocation = await context.store.readAllocation(place);
      if (allocation) await repairIndexed(later, allocation);
    }
  await completeIndexes(context);
}

/** Returns a space with addresses of two pools, three hosts and two tenants. */
async function furnished(): Promise<Plat> {
  const plat = await spaceWithPool({ cooldownSeconds: 600 });
  await plat.put("/v1/pools/other", { cidr: "10.1.0.0/24", blockSize: 28, cooldownSeconds: 600 });
  const assign = (host: string, address: string, handle: string, attributes: object) =>
    plat.assign({ host, address, handle, attributes });
  await assign("n1", "10.0.0.1", "web-0", { tenant: "red", namespace: "shop", pod: "web-0" });
  await assign("n1", "10.0.0.2", "web-1", { tenant: "blue", namespace: "shop", pod: "web-1" });
  await assign("n2", "10.0.0.3", "web-2", { tenant: "red", namespace: "till", pod: "web-0" });
  await assign("n2", "10.0.0.33", "web-2", { tenant: "red" });
  await assign("n3", "10.1.0.1", "db", { tenant: "red", zone: "a" });
  await assign("n3", "10.1.0.2", "gone", {});
  await plat.delete("/v1/handles/gone");
  return plat;
}

const ALL = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.33", "10.1.0.1", "10.1.0.2"];

describe("a search for addresses", () => {
  it("shows each address as a read of it does", async () => {
    const plat = await furnished();
    const answer = await plat.get(PATH);
    expect(textsOf(answer).toSorted()).toEqual(ALL);
    for (const shown of answer.body.addresses) {
      const { requestId, ...read } = (await plat.get(`${PATH}/${shown.address}`)).body;
      expect(shown).toEqual(read);
    }
  });

  it.each<[string, Query, readonly string[]]>([
    ["pool", { pool: "other" }, ["10.1.0.1", "10.1.0.2"]],
    ["host, also in blocks of others", { host: "n2" }, ["10.0.0.3", "10.0.0.33"]],
    ["host of another type", { host: "n2", affinityType: "virtual" }, []],
    ["handle", { handle: "web-2" }, ["10.0.0.3", "10.0.0.33"]],
    ["handle that has nothing", { handle: "nobody" }, []],
    ["owner", { owner: "web-0" }, ["10.0.0.1", "10.0.0.3"]],
    ["owner with its namespace", { owner: "till/web-0" }, ["10.0.0.3"]],
    ["attribute", { "attribute.tenant": "red" }, ["10.0.0.1", "10.0.0.3", "10.0.0.33", "10.1.0.1"]],
    ["attributes, all of them", { "attribute.tenant": "red", "attribute.zone": "a" }, ["10.1.0.1"]],
    ["state", { state: "cooling" }, ["10.1.0.2"]],
    ["state of those that are used", { state: "assigned", pool: "other" }, ["10.1.0.1"]],
    ["network", { cidr: "10.0.0.2/31" }, ["10.0.0.2", "10.0.0.3"]],
    ["network around pools", { cidr: "10.0.0.0/8" }, ALL],
    ["network that no pool has", { cidr: "192.168.0.0/16" }, []],
    ["host, narrowed", { host: "n2", cidr: "10.0.0.32/28" }, ["10.0.0.33"]],
    ["host in another pool", { host: "n2", pool: "other" }, []],
    ["handle, narrowed", { handle: "web-2", cidr: "10.0.0.32/28" }, ["10.0.0.33"]],
    ["handle of another host", { handle: "web-2", host: "n1" }, []],
    ["handle, by the state", { handle: "web-2", state: "cooling" }, []],
  ])("finds what meets its %s", async (_, query, expected) => {
    const plat = await furnished();
    // The addresses of a handle come allocation by allocation.
    for (const limit of ["256", "1"])
      expect((await found(plat, { ...query, limit })).toSorted()).toEqual(expected);
  });

  it("finds addresses that a host reserves, that an application holds, that an instance keeps, and in quarantine", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/24", blockSize: 28 });
    await plat.put("/v1/pools/set", { cidr: "10.1.0.0/28", ranges: ["10.1.0.4-10.1.0.5"] });
    const hostReserved = { start: 1, end: 1, handle: "windows" };
    await plat.assign({ host: "n1", address: "10.0.0.4", handle: "a", hostReserved });
    await plat.assign({ host: "n1", address: "10.0.0.5", handle: "b" });
    await plat.call("POST", "/v1/addresses/10.0.0.5/conflict", { body: { handle: "b" } });
    const workload = { kind: "StatefulSet", name: "db", instance: "db-0", uid: "1" };
    const asked = { host: "n1", ipv4: 1, pools: ["main"], namespace: "shop", workload };
    const { body } = await plat.call("POST", "/v1/assign", { body: asked });
    await plat.release({ namespace: "shop", workload, keep: true });
    const addresses = { number: "2", pools: ["set"] };
    await plat.put("/v1/applications/shop/Deployment/web", { replicas: 1, addresses });
    expect(await found(plat, { state: "hostReserved" })).toEqual(["10.0.0.0", "10.0.0.15"]);
    expect(await found(plat, { state: "hostReserved", host: "n1" })).toHaveLength(2);
    expect(await found(plat, { state: "held" })).toEqual(["10.1.0.4", "10.1.0.5"]);
    expect(await found(plat, { state: "quarantined" })).toEqual(["10.0.0.5"]);
    expect(await found(plat, { state: "kept" })).toEqual([body.addresses[0].address]);
    expect(await found(plat, { state: "assigned" })).toEqual(["10.0.0.4"]);
    expect(await found(plat, { host: "n1" })).toEqual(["10.0.0.0", "10.0.0.4", "10.0.0.15"]);
  });

  it("finds a prefix by any network that it shares addresses with", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/cut", { cidr: "10.64.0.0/16", assign: "prefixes" });
    await plat.call("POST", "/v1/prefixes", { body: { handle: "vpc", cidr: "10.64.7.0/24" } });
    for (const query of [{ cidr: "10.64.7.128/25" }, { cidr: "10.64.0.0/20" }, { pool: "cut" }]) {
      const { body } = await plat.get(PATH, query);
      expect(body.addresses).toMatchObject([{ prefix: "10.64.7.0/24", handle: "prefix/vpc" }]);
    }
    expect(await found(plat, { cidr: "10.64.8.0/24" })).toEqual([]);
  });

  it("lists an address of a set under its own pool only, and once in the space", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/a", { cidr: "10.1.0.0/24", ranges: ["10.1.0.1-10.1.0.9"] });
    await plat.put("/v1/pools/b", { cidr: "10.1.0.0/24", ranges: ["10.1.0.10-10.1.0.19"] });
    await plat.assign({ host: "n1", address: "10.1.0.1" });
    await plat.assign({ host: "n1", address: "10.1.0.10" });
    expect(await found(plat, { pool: "a" })).toEqual(["10.1.0.1"]);
    expect(await found(plat, { pool: "b" })).toEqual(["10.1.0.10"]);
    expect(await found(plat)).toEqual(["10.1.0.1", "10.1.0.10"]);
    expect(await found(plat, { host: "n1", limit: "1" })).toEqual(["10.1.0.1", "10.1.0.10"]);
  });

  it("reads by the narrowest key, and says what it read", async () => {
    const plat = await furnished();
    const read = async (query: Query) => (await plat.get(PATH, query)).body.read;
    const filter = { "attribute.tenant": "red" };
    expect(await read({ handle: "web-2", host: "n2", pool: "main", ...filter })).toEqual({
      by: "handle",
      blocks: 2,
      allocations: 2,
    });
    expect(await read({ host: "n1", cidr: "10.0.0.0/8", ...filter })).toMatchObject({
      by: "host",
      blocks: 1,
      allocations: 3,
    });
    expect(await read({ cidr: "10.0.0.32/28", pool: "main", ...filter })).toEqual({
      by: "cidr",
      blocks: 1,
      allocations: 1,
    });
    expect(await read({ pool: "main", ...filter })).toEqual({
      by: "pool",
      blocks: 2,
      allocations: 4,
    });
    expect(await read(filter)).toEqual({ by: "space", blocks: 3, allocations: 5 });
    // Only a taken slot has an allocation.
    expect(await read({ state: "cooling" })).toEqual({ by: "space", blocks: 3, allocations: 0 });
  });

  it("ends a page by what it read, also if nothing passed its conditions, and goes on", async () => {
    const plat = newSpace();
    await plat.put("/v1/pools/main", { cidr: "10.0.0.0/20", blockSize: 24 });
    await plat.put("/v1/config", { maxAddressesPerRequest: 256, cooldownSeconds: 0 });
    for (let n = 0; n < 24; n++)
      await plat.assign({ host: "n1", ipv4: 50, attributes: { tenant: "blue" } });
    await plat.assign({ host: "n1", ipv4: 1, attributes: { tenant: "red" } });
    const read = await pagesOf(plat, PATH, { "attribute.tenant": "red" });
    expect(read.flatMap(textsOf)).toHaveLength(1);
    for (const { body } of read) expect(body.read.allocations).toBeLessThanOrEqual(1_024 + 64);
  });

  it("rejects what it does not know, by name", async () => {
    const plat = await furnished();
    expect(await plat.get(PATH, { pool: "nope" })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    for (const [query, field] of [
      [{ attributes: "x" }, "?attributes"],
      [{ "attribute.": "x" }, "?attribute."],
      [manyAttributes(51), "?attribute.KEY"],
      [{ "attribute.constructor": "x" }, "?attribute.constructor"],
      [{ state: "free" }, "?state"],
      [{ affinityType: "virtual" }, "?affinityType"],
      [{ cidr: "10.0.0.1/8" }, "?cidr"],
    ] as const)
      expect(await plat.get(PATH, query)).toMatchObject({
        status: 400,
        body: { fields: [{ field }] },
      });
    const { body } = await plat.get(PATH, { limit: "1" });
    const other = { limit: "1", cursor: body.next, pool: "main" };
    expect(await plat.get(PATH, other)).toMatchObject({ status: 400 });
  });
});

/** Returns a query by a number of attributes. */
const manyAttributes = (count: number): Query =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`attribute.a${n}`, "x"]));

/** Returns the entries of all pages of a list, in its order. */
async function listed(plat: Plat, path: string, list: string, query: Query = {}) {
  const pages = await pagesOf(plat, path, query);
  for (const { body } of pages) expect(body[list].length).toBeLessThanOrEqual(Number(query.limit));
  return pages.flatMap(({ body }) => body[list] as Record<string, unknown>[]);
}

describe.each(["256", "1"])("a list with %s on a page", (limit) => {
  it("of handles has each that has addresses once, also if it has some in several blocks", async () => {
    const plat = await furnished();
    const asked = { limit };
    expect(await listed(plat, "/v1/handles", "handles", asked)).toEqual(
      ["web-0", "web-1", "web-2", "db"].map((handle) => ({ handle })),
    );
    expect(
      (await listed(plat, "/v1/handles", "handles", { ...asked, prefix: "web-" })).length,
    ).toBe(3);
    expect(await listed(plat, "/v1/handles", "handles", { ...asked, prefix: "x" })).toEqual([]);
  });

  it("of hosts has each that owns a block or uses an address once, registered or not", async () => {
    const plat = await furnished();
    await plat.put("/v1/nodes/idle", { labels: {} });
    await plat.call("POST", "/v1/nodes/owner/affinities", { body: { cidr: "10.1.0.48/28" } });
    // It uses an address in a set, which has blocks of no host.
    await plat.put("/v1/pools/set", { cidr: "10.2.0.0/28", ranges: ["10.2.0.4-10.2.0.5"] });
    await plat.assign({ host: "guest", address: "10.2.0.4" });
    // It borrows only.
    await plat.assign({ host: "n4", address: "10.0.0.9" });
    const hosts = await listed(plat, "/v1/hosts", "hosts", { limit });
    expect(hosts).toEqual(
      [
        { host: "n1", affinityType: "host", blocks: 1, otherBlocks: 0 },
        { host: "n4", affinityType: "host", blocks: 0, otherBlocks: 1 },
        { host: "n2", affinityType: "host", blocks: 1, otherBlocks: 1 },
        { host: "n3", affinityType: "host", blocks: 1, otherBlocks: 0 },
        { host: "owner", affinityType: "host", blocks: 1, otherBlocks: 0 },
        { host: "guest", affinityType: "host", blocks: 0, otherBlocks: 1 },
      ].toSorted(byWhere(hosts)),
    );
    expect(hosts).toHaveLength(6);
  });
});

/** Returns an order of hosts: that of a list. */
const byWhere =
  (list: readonly Record<string, unknown>[]) =>
  (a: { readonly host: string }, b: { readonly host: string }): number =>
    list.findIndex(({ host }) => host === a.host) - list.findIndex(({ host }) => host === b.host);

describe("a search by an indexed attribute", () => {
  it("says that it filters until the index is complete, and then what it read by it", async () => {
    const plat = await furnished();
    const { etag } = (await plat.get("/v1/config")).headers;
    const config = { cooldownSeconds: 600, indexedAttributes: ["tenant"] };
    expect((await plat.put("/v1/config", config, etag)).status).toBe(201);
    const query = { "attribute.tenant": "red" };
    const building = await plat.get(PATH, query);
    expect(building.body.read).toMatchObject({ by: "space", building: "tenant" });
    await enterAll(plat.space);
    const { body } = await plat.get(PATH, query);
    expect(body.read).toEqual({
      by: "attribute",
      attribute: "tenant",
      entries: 4,
      allocations: 4,
      blocks: 3,
    });
    expect([...textsOf(building)].sort()).toEqual([...textsOf({ body } as HttpReply)].sort());
  });
});
