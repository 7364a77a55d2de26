import { describe, expect, it } from "vitest";
import { freshId } from "../../src/kernel/values/fresh.ts";
import { seededRandom } from "../simulation/random.ts";
import { context, newSpace, scheduledRun, spaceNamed } from "./plat.ts";

const WEB = "/v1/applications/shop/Deployment/web";

/** A space with a pool of eight addresses in blocks of four. */
async function spaceWithRanges() {
  const plat = newSpace();
  await plat.put("/v1/config", { cooldownSeconds: 0 });
  const pool = { cidr: "10.0.0.0/24", blockSize: 30, ranges: ["10.0.0.8-10.0.0.15"] };
  expect((await plat.put("/v1/pools/web", pool)).status).toBe(201);
  return plat;
}

const addresses = { number: "+1", pools: ["web"] };
const states = (body: { members: { state: string }[] }) => body.members.map(({ state }) => state);

describe("an application", () => {
  it("has addresses of a pool that selects its namespace, and none in another namespace", async () => {
    const plat = newSpace();
    await plat.put("/v1/namespaces/shop", { labels: { team: "red" } });
    await plat.put("/v1/namespaces/till", { labels: { team: "blue" } });
    const ranges = ["10.0.0.8-10.0.0.15"];
    const selective = {
      cidr: "10.0.0.0/24",
      blockSize: 30,
      ranges,
      namespaceSelector: "team == 'red'",
    };
    expect((await plat.put("/v1/pools/web", selective)).status).toBe(201);
    const chosen = await plat.put(WEB, { replicas: 2, addresses });
    expect(chosen.body).toMatchObject({ complete: true, members: { length: 3 } });
    const other = await plat.put("/v1/applications/till/Deployment/web", {
      replicas: 2,
      addresses,
    });
    expect(other).toMatchObject({ status: 409, body: { code: "no_pool_available" } });
  });

  it("has its number of addresses held as soon as it is created", async () => {
    const plat = await spaceWithRanges();
    const created = await plat.put(WEB, { replicas: 2, addresses });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      namespace: "shop",
      kind: "Deployment",
      name: "web",
      replicas: 2,
      start: 0,
      addresses: { number: "+1", pools: ["web"], keep: false },
      complete: true,
    });
    expect(created.body.refusal).toBeUndefined();
    expect(states(created.body)).toEqual(["in", "in", "in"]);
    for (const { address } of created.body.members)
      expect((await plat.get(`/v1/addresses/${address}`)).body.state).toBe("held");
    const read = await plat.get(WEB);
    const { effectiveAt: _, ...body } = created.body;
    expect(read.body).toEqual(body);
    expect(read.headers.etag).toBe(created.headers.etag);
  });

  it("has one address more than it has replicas if it names no number", async () => {
    const plat = await spaceWithRanges();
    const { body } = await plat.put(WEB, { replicas: 2, addresses: { pools: ["web"] } });
    expect(body).toMatchObject({ addresses: { number: "+1" }, members: { length: 3 } });
  });

  it("grows and shrinks with its replicas, and lets free addresses go at once", async () => {
    const plat = await spaceWithRanges();
    const first = await plat.put(WEB, { replicas: 2, addresses });
    const grown = await plat.put(WEB, { replicas: 5, addresses }, first.headers.etag);
    expect(grown.status).toBe(200);
    expect(states(grown.body)).toHaveLength(6);
    expect(grown.body.members).toEqual(expect.arrayContaining(first.body.members));
    const smaller = await plat.put(WEB, { replicas: 1, addresses }, grown.headers.etag);
    expect(smaller.body.complete).toBe(true);
    expect(smaller.body.members).toHaveLength(2);
    const left = smaller.body.members.map(({ address }: { address: string }) => address);
    for (const { address } of grown.body.members)
      expect((await plat.get(`/v1/addresses/${address}`)).body.state).toBe(
        left.includes(address) ? "held" : "free",
      );
  });

  it("that wants more than its pools have holds what there is, and says so", async () => {
    const plat = await spaceWithRanges();
    const { status, body } = await plat.put(WEB, {
      replicas: 0,
      addresses: { number: "9", pools: ["web"] },
    });
    expect(status).toBe(201);
    expect(states(body)).toHaveLength(8);
    expect(body).toMatchObject({ complete: false, refusal: { code: "pool_exhausted" } });
    const more = { cidr: "10.0.0.0/24", blockSize: 30, ranges: ["10.0.0.8-10.0.0.16"] };
    const { headers } = await plat.get("/v1/pools/web");
    expect((await plat.put("/v1/pools/web", more, headers.etag)).status).toBe(200);
    const again = await plat.put(WEB, { replicas: 0, addresses: { number: "9", pools: ["web"] } });
    expect(again.body.complete).toBe(true);
    expect(again.body.members).toHaveLength(9);
  });

  it("keeps its addresses from everybody else", async () => {
    const plat = await spaceWithRanges();
    await plat.put(WEB, { replicas: 0, addresses: { number: "8", pools: ["web"] } });
    const any = await plat.assign({ host: "n1", ipv4: 1, pools: ["web"], handle: "other" });
    expect(any.body.code).toBe("pool_exhausted");
    const named = await plat.assign({ host: "n1", address: "10.0.0.9", handle: "other" });
    expect(named.body.code).toBe("already_assigned");
  });

  it("that keeps its addresses outlives its deletion, and can be taken up again", async () => {
    const plat = await spaceWithRanges();
    const keep = { ...addresses, keep: true };
    const { headers, body } = await plat.put(WEB, { replicas: 2, addresses: keep });
    const deleted = await plat.delete(WEB, { "if-match": String(headers.etag) });
    expect(deleted.body).toMatchObject({ released: [], left: 3 });
    const kept = await plat.get(WEB);
    expect(kept.body).toMatchObject({ replicas: 0, state: "retained", complete: true });
    expect(kept.body.members).toEqual(body.members);
    const again = await plat.put(WEB, { replicas: 2, addresses: keep }, kept.headers.etag);
    expect(again.body.members).toEqual(body.members);
    expect(again.body.state).toBeUndefined();
  });

  it("can be rehearsed: a dry run says what it would hold, and holds nothing", async () => {
    const plat = await spaceWithRanges();
    const { status, body } = await plat.call("PUT", WEB, {
      body: { replicas: 2, addresses },
      query: { dryRun: "true" },
    });
    expect(status).toBe(200);
    expect(body.members).toHaveLength(3);
    expect((await plat.get(WEB)).status).toBe(404);
    for (const { address } of body.members)
      expect((await plat.get(`/v1/addresses/${address}`)).body.state).toBe("free");
  });

  it("that no longer names a pool gives the addresses of that pool back", async () => {
    const plat = await spaceWithRanges();
    await plat.put("/v1/pools/api", {
      cidr: "10.0.0.0/24",
      blockSize: 30,
      ranges: ["10.0.0.32-10.0.0.39"],
    });
    const { headers } = await plat.put(WEB, { replicas: 2, addresses });
    const { body } = await plat.put(
      WEB,
      { replicas: 2, addresses: { ...addresses, pools: ["api"] } },
      headers.etag,
    );
    expect(body.complete).toBe(true);
    expect(body.members).toHaveLength(3);
    for (const { address } of body.members)
      expect(Number(address.split(".")[3])).toBeGreaterThanOrEqual(32);
  });

  it("keeps its addresses of a pool that is disabled, and gets smaller, but no larger there", async () => {
    const plat = await spaceWithRanges();
    const six = { cidr: "2001:db8::/112", ranges: ["2001:db8::10-2001:db8::1f"] };
    const made = await plat.put("/v1/pools/six", six);
    const both = { ...addresses, pools: ["web", "six"] };
    const first = await plat.put(WEB, { replicas: 2, addresses: both });
    await plat.put("/v1/pools/six", { ...six, disabled: true }, made.headers.etag);
    const wider = await plat.put(WEB, { replicas: 3, addresses: both }, first.headers.etag);
    expect(wider.body).toMatchObject({ complete: false, refusal: { code: "pool_exhausted" } });
    const countOf = ({ members }: { members: { address: string }[] }, mark: string) =>
      members.filter(({ address }) => address.includes(mark)).length;
    expect([countOf(wider.body, "."), countOf(wider.body, ":")]).toEqual([4, 3]);
    const { headers } = await plat.get("/v1/pools/web");
    const web = { cidr: "10.0.0.0/24", blockSize: 30, ranges: ["10.0.0.8-10.0.0.15"] };
    await plat.put("/v1/pools/web", { ...web, disabled: true }, headers.etag);
    const more = await plat.put(WEB, { replicas: 4, addresses: both }, wider.headers.etag);
    expect(more).toMatchObject({ status: 409, body: { code: "no_pool_available" } });
    const fewer = await plat.put(WEB, { replicas: 1, addresses: both }, wider.headers.etag);
    expect(fewer.body).toMatchObject({ complete: true, members: { length: 4 } });
  });

  it("has addresses of all pools whose names match a pattern", async () => {
    const plat = await spaceWithRanges();
    const second = { cidr: "10.1.0.0/24", blockSize: 30, ranges: ["10.1.0.8-10.1.0.9"] };
    await plat.put("/v1/pools/web-2", second);
    const { body } = await plat.put(WEB, { replicas: 9, addresses: { pools: ["web*"] } });
    expect(body).toMatchObject({ complete: true, members: { length: 10 } });
    const none = await plat.put("/v1/applications/shop/Deployment/api", {
      replicas: 1,
      addresses: { pools: ["api-*"] },
    });
    expect(none.body).toMatchObject({ code: "no_pool_available", pools: [] });
  });
});

describe("a request for an application that was cut off", () => {
  it("is settled by the repair run, with the rights that it has", async () => {
    const plat = await spaceWithRanges();
    const { body } = await plat.put(WEB, { replicas: 2, addresses });
    const of = { namespace: "shop", kind: "Deployment", name: "web" };
    const seen = await context.store.readApplication(plat.space, of);
    if (!seen) throw new Error("there is no such application");
    const cutOff = {
      ...seen,
      state: "deleting" as const,
      listed: seen.listed.map((each) => ({ ...each, state: "leaving" as const })),
      revision: freshId(0, seededRandom(1)),
    };
    await context.store.changeApplication("test", seen, cutOff);
    for (let round = 0; round < 3; round++) await scheduledRun("repair")();
    expect((await plat.get(WEB)).status).toBe(404);
    for (const { address } of body.members)
      expect((await plat.get(`/v1/addresses/${address}`)).body.state).toBe("free");
  });
});

describe("an application is rejected", () => {
  const field = async (body: object) => {
    const plat = await spaceWithRanges();
    const answer = await plat.put(WEB, body);
    expect(answer.status).toBe(400);
    return answer.body.fields[0].field;
  };

  it("for fields that it cannot have", async () => {
    expect(await field({})).toBe("replicas");
    expect(await field({ replicas: -1 })).toBe("replicas");
    expect(await field({ replicas: 1, start: "1" })).toBe("start");
    expect(await field({ replicas: 1, addresses: {} })).toBe("addresses.pools");
    expect(await field({ replicas: 1, addresses: { pools: [] } })).toBe("addresses.pools");
    expect(await field({ replicas: 1, addresses: { ...addresses, number: "0" } })).toBe(
      "addresses.number",
    );
    const eth0 = { name: "eth0", pools: ["web"] };
    const both = { ...addresses, interfaces: [eth0] };
    expect(await field({ replicas: 1, addresses: both })).toBe("addresses.pools");
    expect(await field({ replicas: 1, addresses: { interfaces: [eth0, eth0] } })).toBe(
      "addresses.interfaces",
    );
  });

  it("for more addresses than an application can have", async () => {
    expect(await field({ replicas: 1_024, addresses })).toBe("addresses.number");
  });

  it("if it would gain or lose its addresses", async () => {
    const plat = await spaceWithRanges();
    const { headers } = await plat.put(WEB, { replicas: 2 });
    const gained = await plat.put(WEB, { replicas: 2, addresses }, headers.etag);
    expect(gained.body.fields[0].field).toBe("addresses");
    const API = "/v1/applications/shop/Deployment/api";
    const api = await plat.put(API, { replicas: 2, addresses });
    const lost = await plat.put(API, { replicas: 2 }, api.headers.etag);
    expect(lost.body.fields[0].field).toBe("addresses");
  });

  it("if a pool is unknown, has no ranges, or serves only some hosts", async () => {
    const plat = await spaceWithRanges();
    await plat.put("/v1/pools/plain", { cidr: "10.1.0.0/24" });
    await plat.put("/v1/pools/west", {
      cidr: "10.2.0.0/24",
      ranges: ["10.2.0.0-10.2.0.9"],
      nodeSelector: 'zone == "west"',
    });
    for (const pool of ["unknown", "plain", "west"]) {
      const { body } = await plat.put(WEB, {
        replicas: 1,
        addresses: { pools: ["web", pool] },
      });
      expect(body).toMatchObject({ code: "no_pool_available", rule: "application" });
      expect(body.pools.map((each: { pool: string }) => each.pool)).toEqual([pool]);
    }
    expect((await plat.get(WEB)).status).toBe(404);
    expect(await context.store.listApplications(plat.space, { limit: 1 })).toMatchObject({
      items: [],
    });
  });
});

it("a cursor of the list names an application: the table has no room for a longer place", async () => {
  const { get } = spaceNamed("applications-forged");
  const after = `shop/Deployment/${"x".repeat(3_000)}`;
  for (const place of [after, "shop/Deployment", "shop/Deployment/web/more", ""]) {
    const of = ["applications", "applications-forged"];
    const json = JSON.stringify({ of, position: { after: place } });
    const query = { cursor: Buffer.from(json).toString("base64url") };
    const { status, body } = await get("/v1/applications", query);
    expect({ status, fields: body.fields }).toMatchObject({
      status: 400,
      fields: [{ field: "?cursor" }],
    });
  }
});
