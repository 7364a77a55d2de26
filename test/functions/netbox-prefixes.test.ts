import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { UnavailableError } from "../../src/base/outcome.ts";
import { netbox } from "./netbox.ts";
import { call, failWrites, newSpace, scheduledRun, spaceNamed, startAnew, table } from "./plat.ts";

const work = scheduledRun("work");

beforeAll(async () => {
  const none = { cooldownSeconds: 0 };
  await call("PUT", "/v1/pools/lan", { body: { cidr: "10.1.0.0/28", kind: "subnet", ...none } });
  const clusters = { cidr: "10.128.0.0/16", assign: "prefixes", blockSize: 24, ...none };
  await call("PUT", "/v1/pools/clusters", { body: clusters });
  const ranges = { ranges: ["10.4.0.10-10.4.0.19"], excludes: ["10.4.0.11"] };
  const half = { cidr: "10.4.0.0/24", ...ranges, ...none };
  await call("PUT", "/v1/pools/dhcp", { body: half });
  const six = { cidr: "2001:db8::/56", assign: "prefixes", blockSize: 64, ...none };
  await spaceNamed("blue").put("/v1/pools/six", six);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const found = async (query: Record<string, string>) =>
  (await netbox("GET", "ipam/prefixes/", { query })).body.results;
const only = async (prefix: string, query = {}) => (await found({ prefix, ...query }))[0];

it("a caller may name its own tenant by its slug, when it assigns a prefix and when it changes one", async () => {
  const { id } = await only("10.128.0.0/16");
  vi.stubEnv("ACCESS", "token");
  const caller = { roles: "caller", tenant: "Shop 7" };
  const path = `ipam/prefixes/${id}/available-prefixes/`;
  const tenant = { slug: "shop-7" };
  const made = await netbox("POST", path, { ...caller, body: { prefix_length: 24, tenant } });
  expect(made).toMatchObject({ status: 201, body: { tenant: { name: "Shop 7" } } });
  const untold = { roles: "caller", body: { prefix_length: 24 } };
  const { body: free } = await netbox("POST", path, untold);
  const change = { ...caller, body: { tenant } };
  const changed = await netbox("PATCH", `ipam/prefixes/${free.id}/`, change);
  expect(changed).toMatchObject({ status: 200, body: { tenant: { name: "Shop 7" } } });
  for (const each of [made.body, free]) await netbox("DELETE", `ipam/prefixes/${each.id}/`, caller);
});

describe("what is free in a prefix", () => {
  it("comes in order, without the bounds of a subnet, reserved and assigned addresses", async () => {
    await call("PUT", "/v1/reservations/r", { body: { cidrs: ["10.1.0.3"] } });
    const { id } = await only("10.1.0.0/28");
    const one = { address: "10.1.0.1/28" };
    const made = await netbox("POST", "ipam/ip-addresses/", { body: one });
    const { body } = await netbox("GET", `ipam/prefixes/${id}/available-ips/`, {
      query: { limit: "3" },
    });
    expect(body).toEqual(
      ["10.1.0.2/28", "10.1.0.4/28", "10.1.0.5/28"].map((address) => ({
        family: 4,
        address,
        vrf: null,
      })),
    );
    const all = await netbox("GET", `ipam/prefixes/${id}/available-ips/`);
    expect(all.body).toHaveLength(14 - 2);
    await netbox("DELETE", `ipam/ip-addresses/${made.body.id}/`);
  });

  it("leaves out what a host keeps for itself in its blocks", async () => {
    await call("PUT", "/v1/pools/windows", { body: { cidr: "10.10.0.0/28", blockSize: 28 } });
    const hostReserved = { start: 3, end: 1 };
    await call("POST", "/v1/assign", {
      body: { host: "w", address: "10.10.0.5", handle: "w", hostReserved },
    });
    await call("POST", "/v1/nodes/w/affinities", { body: { cidr: "10.10.0.0/28" } });
    const { id } = await only("10.10.0.0/28");
    const { body } = await netbox("GET", `ipam/prefixes/${id}/available-ips/`);
    const first = body[0].address;
    expect({ first, count: body.length }).toEqual({ first: "10.10.0.3/28", count: 16 - 4 - 1 });
    await call("POST", "/v1/release", { body: { handle: "w" } });
  });

  it("is a prefix in a pool of prefixes", async () => {
    const { id } = await only("10.128.0.0/16");
    const { body } = await netbox("GET", `ipam/prefixes/${id}/available-prefixes/`, {
      query: { limit: "2" },
    });
    expect(body.map(({ prefix }: { prefix: string }) => prefix)).toEqual([
      "10.128.0.0/24",
      "10.128.1.0/24",
    ]);
  });

  it("is nothing in a pool that serves nobody", async () => {
    await call("PUT", "/v1/pools/off", { body: { cidr: "10.5.0.0/24", disabled: true } });
    const { id, status } = await only("10.5.0.0/24");
    expect(status.value).toBe("deprecated");
    expect((await netbox("GET", `ipam/prefixes/${id}/available-ips/`)).body).toEqual([]);
  });

  it.each([
    ["10.196.0.0/16", 24, "10.196.10.0/24", "10.196.10.1-10.196.10.9", 10, 245],
    ["fd01::/48", 126, "fd01::/126", "fd02::1", 1, 3],
    ["fd01::/48", 126, "fd01::/126", "fd01::2", 1, 2],
    ["10.196.0.0/16", 31, "10.196.0.0/31", "10.0.0.1", 0, 2],
  ])(
    "is in an assigned prefix what its first address leaves: of %s by %s %s without %s",
    async (cidr, blockSize, prefix, reserved, first, count) => {
      const space = newSpace();
      await space.put("/v1/pools/region", { cidr, assign: "prefixes", blockSize });
      await space.put("/v1/reservations/r", { cidrs: [reserved] });
      const asked = { body: { handle: "c-1", cidr: prefix } };
      expect(await space.call("POST", "/v1/prefixes", asked)).toMatchObject({ status: 200 });
      const query = { name: space.space };
      const [vrf] = (await netbox("GET", "ipam/vrfs/", { query })).body.results;
      const { id } = await only(prefix, { vrf_id: String(vrf.id) });
      const path = `ipam/prefixes/${id}/available-ips/`;
      const { body } = await netbox("GET", path, { query: { limit: "0" } });
      const start = prefix.replace(/(::|\.)\d*\/\d+$/, "$1");
      const text = `${start}${first}/${blockSize}`.replace("::0/", "::/");
      expect({ first: body[0].address, count: body.length }).toEqual({ first: text, count });
      const two = await netbox("GET", path, { query: { limit: "2" } });
      expect(two.body).toEqual(body.slice(0, 2));
    },
  );

  it("is what a pool inside of an Applications pool has, once, and nothing of that for applications", async () => {
    const subnet = { cidr: "10.16.0.0/24", blockSize: 28 };
    const ranges = ["10.16.0.10-10.16.0.19"];
    const outer = { ...subnet, assignmentMode: "Applications", ranges };
    await call("PUT", "/v1/pools/subnet-16", { body: outer });
    const { id } = await only("10.16.0.0/24");
    const free = async () =>
      (await netbox("GET", `ipam/prefixes/${id}/available-ips/`)).body.map(
        ({ address }: { address: string }) => address,
      );
    expect(await free()).toEqual([]);
    const inner = { ...subnet, ranges: ["10.16.0.12-10.16.0.13"] };
    await call("PUT", "/v1/pools/web-16", { body: inner });
    expect(await free()).toEqual(["10.16.0.12/24", "10.16.0.13/24"]);
  });
});

describe("the next free prefix", () => {
  const assign = async (body: unknown, parent = "10.128.0.0/16", query = {}) => {
    const { id } = await only(parent, query);
    return netbox("POST", `ipam/prefixes/${id}/available-prefixes/`, { body });
  };

  it("is assigned, found, and released by its id", async () => {
    const fields = { description: "cluster a", custom_fields: { team: "shop" } };
    const { status, body } = await assign({ prefix_length: 24, ...fields });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      prefix: expect.stringMatching(/^10\.128\.\d+\.0\/24$/),
      status: { value: "active" },
      is_pool: false,
      ...fields,
    });
    const read = await netbox("GET", `ipam/prefixes/${body.id}/`);
    expect(read.body).toMatchObject({ prefix: body.prefix, ...fields });
    expect((await only(body.prefix)).id).toBe(body.id);
    expect(await found({ within: "10.128.0.0/16" })).toHaveLength(1);
    expect(await found({ description: "cluster a" })).toHaveLength(1);
    const child = `ipam/prefixes/${body.id}/available-prefixes/`;
    const whole = await netbox("POST", child, { body: { prefix_length: 25 } });
    expect(whole.body.detail).toMatch(/assigned as a whole/);
    expect((await netbox("DELETE", `ipam/prefixes/${body.id}/`)).status).toBe(204);
    expect((await netbox("GET", `ipam/prefixes/${body.id}/`)).status).toBe(404);
  });

  it("is confirmed by the update that clients send after each create", async () => {
    const { body } = await assign({ prefix_length: 24 });
    const same = { prefix: body.prefix, status: "active", description: " ", tags: [], vrf: null };
    const kept = await netbox("PUT", `ipam/prefixes/${body.id}/`, { body: same });
    expect(kept).toMatchObject({ status: 200, body: { id: body.id } });
    const other = await netbox("PATCH", `ipam/prefixes/${body.id}/`, { body: { is_pool: true } });
    expect(other.body.fields[0].field).toBe("is_pool");
    await netbox("DELETE", `ipam/prefixes/${body.id}/`);
  });

  it("is one for each object of a list, or none for all", async () => {
    const { body } = await assign([{ prefix_length: 24 }, { prefix_length: 24 }]);
    expect(new Set(body.map(({ prefix }: { prefix: string }) => prefix)).size).toBe(2);
    for (const { id } of body) await netbox("DELETE", `ipam/prefixes/${id}/`);
    const failed = await assign([{ prefix_length: 24 }, { prefix_length: 25 }]);
    expect(failed.status).toBe(409);
    expect(await found({ within: "10.128.0.0/16" })).toEqual([]);
  });

  it.each([
    ["custom_fields.host", { custom_fields: { host: "h" } }],
    ["status", { status: "reserved" }],
    ["is_pool", { is_pool: true }],
  ])("has no %s other than its own", async (field, body) => {
    const refused = await assign({ prefix_length: 24, ...body });
    expect(refused).toMatchObject({ status: 400, body: { fields: [{ field }] } });
  });

  it("is one of IPv6 too", async () => {
    const { status, body } = await assign({ prefix_length: 64 }, "2001:db8::/56", { vrf: "blue" });
    expect({ status, safe: Number.isSafeInteger(body.id) }).toEqual({ status: 201, safe: true });
    expect((await netbox("GET", `ipam/prefixes/${body.id}/`)).body.prefix).toBe(body.prefix);
    expect((await netbox("DELETE", `ipam/prefixes/${body.id}/`)).status).toBe(204);
  });
});

describe("a new prefix", () => {
  const create = (body: object, more = {}) => netbox("POST", "ipam/prefixes/", { body, ...more });

  it("is a pool of a subnet, which is deleted by its id", async () => {
    const { status, body } = await create({ prefix: "10.6.0.0/24" });
    expect({ status, prefix: body.prefix }).toEqual({ status: 201, prefix: "10.6.0.0/24" });
    const pool = await call("GET", "/v1/pools/netbox-10-6-0-0-24");
    expect(pool.body).toMatchObject({ cidr: "10.6.0.0/24", kind: "subnet" });
    expect((await create({ prefix: "10.6.0.0/24" })).body.detail).toMatch(/exists already/);
    expect((await netbox("DELETE", `ipam/prefixes/${body.id}/`)).status).toBe(204);
  });

  it.each([
    ["the same prefix", "10.50.0.0/24", "pool_deleting"],
    ["one around it", "10.50.0.0/16", "pool_overlap"],
  ])("waits for the job that deletes a pool in its way: %s", async (_, prefix, code) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { body } = await create({ prefix: "10.50.0.0/24" });
    await netbox("DELETE", `ipam/prefixes/${body.id}/`);
    const refused = await create({ prefix });
    expect(refused).toMatchObject({
      ...{ status: 409, headers: { "retry-after": "78" } },
      body: { code, retryable: true, retryAfterSeconds: 78, job: expect.any(String) },
    });
    const { earliestEndAt } = (await call("GET", `/v1/jobs/${refused.body.job}`)).body;
    expect(refused.body.detail).toMatch(`Send the request again after ${earliestEndAt}`);
    vi.setSystemTime(Date.now() + 90_000);
    const late = await create({ prefix });
    expect(late.body).toMatchObject({ code, retryable: true, retryAfterSeconds: 60 });
    for (let minute = 0; minute < 5; minute++) {
      vi.setSystemTime(Date.now() + 60_000);
      await work();
    }
    const made = await create({ prefix });
    expect(made.status).toBe(201);
    await netbox("DELETE", `ipam/prefixes/${made.body.id}/`);
    for (let minute = 0; minute < 5; minute++) {
      vi.setSystemTime(Date.now() + 60_000);
      await work();
    }
  });

  it("is a pool in a container that is being deleted, once that is gone", async () => {
    const { body } = await create({ prefix: "10.51.0.0/16", status: "container" });
    await netbox("DELETE", `ipam/prefixes/${body.id}/`);
    const refused = await create({ prefix: "10.51.1.0/24" });
    expect(refused.body).toMatchObject({ code: "pool_overlap", retryable: true });
  });

  it("is a pool of prefixes if it is a container, and one of all its addresses if it is a pool", async () => {
    const container = await create({ prefix: "10.32.0.0/16", status: "container" });
    expect(container.body.status.value).toBe("container");
    const pool = await create({ prefix: "10.8.0.0/24", is_pool: true });
    expect(pool.body.is_pool).toBe(true);
  });

  it.each([
    ["comments", "x", { comments: "x" }],
    ["custom_fields.team", "a", { custom_fields: { team: "a" } }],
    ["custom_fields.handle", "h", { custom_fields: { handle: "h" } }],
    ["custom_fields.host", "h", { custom_fields: { host: "h" } }],
    ["is_pool", true, { is_pool: true, status: "container" }],
  ])("cannot have %s, which the problem names as it was sent", async (field, value, more) => {
    const { status, body } = await create({ prefix: "10.9.0.0/24", ...more });
    expect({ status, fields: body.fields }).toMatchObject({
      ...{ status: 400, fields: [{ field, value }] },
    });
  });

  it("requires the role operator", async () => {
    vi.stubEnv("ACCESS", "token");
    const refused = await create({ prefix: "10.9.0.0/24" }, { roles: "caller" });
    expect(refused).toMatchObject({ status: 403, body: { role: "operator" } });
  });
});

describe("a prefix inside nested pools of prefixes", () => {
  it.each([
    ["fd00::/32", 48, "fd00::/48", 64, "fd00:0:0:3::/64"],
    ["10.192.0.0/12", 16, "10.200.0.0/16", 24, "10.200.3.0/24"],
  ])(
    "has its id in the innermost one, by which it is read and released: of %s",
    async (outer, outerSize, inner, innerSize, prefix) => {
      const space = spaceNamed(`nested-${outerSize}`);
      const made = { assign: "prefixes", cooldownSeconds: 0 };
      await space.put("/v1/pools/a-region", { cidr: outer, blockSize: outerSize, ...made });
      const taken = { handle: "site", cidr: inner };
      expect(await space.call("POST", "/v1/prefixes", { body: taken })).toMatchObject({
        status: 200,
      });
      const site = { cidr: inner, blockSize: innerSize, parent: "a-region", ...made };
      expect((await space.put("/v1/pools/site", site)).status).toBe(201);
      const body = { prefix, vrf: { name: space.space } };
      const created = await netbox("POST", "ipam/prefixes/", { body });
      expect(created).toMatchObject({ status: 201, body: { prefix, pools: ["site"] } });
      const { id } = created.body;
      expect((await netbox("GET", `ipam/prefixes/${id}/`)).body).toMatchObject({ id, prefix });
      expect((await netbox("DELETE", `ipam/prefixes/${id}/`)).status).toBe(204);
      const left = await space.get("/v1/prefixes", { cidr: prefix });
      expect(left.status).toBe(404);
    },
  );
});

it("prefixes of one first address are ordered by their length", async () => {
  for (const cidr of ["10.72.0.0/14", "10.72.0.0/16"]) {
    const prefixes = { assign: "prefixes", blockSize: 16, cooldownSeconds: 0 };
    await (cidr.endsWith("14")
      ? call("PUT", "/v1/pools/wide", { body: { cidr, ...prefixes } })
      : call("POST", "/v1/prefixes", { body: { handle: "first", cidr } }));
  }
  const within = "10.72.0.0/13";
  const names = async (ordering: string) =>
    (await found({ within, ordering })).map(({ prefix }: { prefix: string }) => prefix);
  expect(await names("prefix")).toEqual(["10.72.0.0/14", "10.72.0.0/16"]);
  expect(await names("-prefix")).toEqual(["10.72.0.0/16", "10.72.0.0/14"]);
});

describe("the prefixes of a large pool", () => {
  const wide = spaceNamed("wide");
  const query = { vrf: "wide" };
  /** Assigns this many prefixes, each in a block group of its own. */
  const assign = async (count: number) => {
    const pool = { cidr: "10.0.0.0/8", assign: "prefixes", blockSize: 24 };
    await wide.put("/v1/pools/wide", pool);
    for (let n = 0; n < count; n++) {
      const body = { handle: `c-${n}`, cidr: `10.${n}.0.0/24` };
      await wide.call("POST", "/v1/prefixes", { body });
    }
  };

  it("are listed as a whole where one page of Plat does not hold their block groups", async () => {
    await assign(40);
    const { status, body } = await netbox("GET", "ipam/prefixes/", { query });
    expect({ status, count: body.count }).toEqual({ status: 200, count: 1 + 40 });
  });

  it("are not listed if reading them takes longer than a list may", async () => {
    let nowMs = Date.now();
    startAnew({ now: () => (nowMs += 200) });
    const slow = await netbox("GET", "ipam/prefixes/", { query });
    expect(slow).toMatchObject({ status: 400, body: { fields: [{ field: "?within" }] } });
    expect(slow.body.detail).toMatch(/must name a part of 10\.0\.0\.0\/8 .* read in 4 s\.$/);
    startAnew();
  });
});

describe("a range", () => {
  it("is one of a ranged pool, and assigns from it", async () => {
    const query = { start_address: "10.4.0.10", end_address: "10.4.0.19" };
    const { body } = await netbox("GET", "ipam/ip-ranges/", { query });
    const [range] = body.results;
    expect(range).toMatchObject({
      start_address: "10.4.0.10/24",
      end_address: "10.4.0.19/24",
      size: 10,
      description: "dhcp",
    });
    expect((await netbox("GET", `ipam/ip-ranges/${range.id}/`)).body).toEqual(range);
    const made = await netbox("POST", `ipam/ip-ranges/${range.id}/available-ips/`, { body: {} });
    expect(made.body.address).toMatch(/^10\.4\.0\.1\d\/24$/);
    await netbox("DELETE", `ipam/ip-addresses/${made.body.id}/`);
    expect((await netbox("GET", `ipam/ip-ranges/${range.id + 1}/`)).status).toBe(404);
  });

  it.each([
    ["10.68.0.10-10.68.0.19", [], ["10.68.0.20", "10.68.0.99"]],
    ["10.68.0.90-10.68.0.99", [], ["10.68.0.10", "10.68.0.89"]],
    ["10.68.0.10-10.68.0.19", ["10.68.0.10"], ["10.68.0.10", "10.68.0.99"]],
  ])(
    "begins and ends with an address of its own pool, not with one of the pool %s inside without %j",
    async (range, excludes, [from, to]) => {
      const space = newSpace();
      const shared = { cidr: "10.68.0.0/24" };
      const outer = { ...shared, assignmentMode: "Applications" };
      const ranges = ["10.68.0.10-10.68.0.99"];
      await space.put("/v1/pools/subnet-4", { ...outer, ranges });
      await space.put("/v1/pools/web", { ...shared, ranges: [range], excludes });
      const query = { name: space.space };
      const [vrf] = (await netbox("GET", "ipam/vrfs/", { query })).body.results;
      const listed = { vrf_id: String(vrf.id), ordering: "description" };
      const all = (await netbox("GET", "ipam/ip-ranges/", { query: listed })).body.results;
      expect(all).toMatchObject([
        { start_address: `${from}/24`, end_address: `${to}/24`, description: "subnet-4" },
        { description: "web" },
      ]);
      for (const one of all)
        expect((await netbox("GET", `ipam/ip-ranges/${one.id}/`)).body).toEqual(one);
      const free = await netbox("GET", `ipam/ip-ranges/${all[1].id}/available-ips/`);
      expect(free.body).toHaveLength(10 - excludes.length);
    },
  );

  it("is no range where its pool has none of its addresses", async () => {
    const ranges = ["10.69.0.10-10.69.0.19", "10.69.0.30"];
    const pool = { cidr: "10.69.0.0/24", ranges, excludes: ["10.69.0.30"] };
    await call("PUT", "/v1/pools/half", { body: pool });
    const none = { start_address: "10.69.0.30" };
    expect((await netbox("GET", "ipam/ip-ranges/", { query: none })).body.count).toBe(0);
  });

  it("is deprecated while its pool is being deleted", async () => {
    const pool = { cidr: "10.70.0.0/24", ranges: ["10.70.0.10-10.70.0.19"] };
    await call("PUT", "/v1/pools/ending", { body: pool });
    const query = { start_address: "10.70.0.10" };
    const statusNow = async () =>
      (await netbox("GET", "ipam/ip-ranges/", { query })).body.results[0].status.value;
    expect(await statusNow()).toBe("active");
    await call("DELETE", "/v1/pools/ending", { headers: { "if-match": "*" } });
    expect((await only("10.70.0.0/24")).status.value).toBe("deprecated");
    expect(await statusNow()).toBe("deprecated");
  });
});

describe("the addresses of pools that share a CIDR", () => {
  it("have the prefix length of their own pool, when they are free and when they are assigned", async () => {
    const shared = { cidr: "10.62.0.0/24", cooldownSeconds: 0 };
    const near = { ...shared, ranges: ["10.62.0.10-10.62.0.12"], excludes: ["10.62.0.11"] };
    const far = { ...shared, ranges: ["10.62.0.11", "10.62.0.60"], prefixLength: 32 };
    for (const [name, body] of Object.entries({ near, far }))
      expect((await call("PUT", `/v1/pools/${name}`, { body })).status).toBe(201);
    const { id } = await only(shared.cidr);
    const free = await netbox("GET", `ipam/prefixes/${id}/available-ips/`);
    const texts = free.body.map(({ address }: { address: string }) => address);
    const all = ["10.62.0.10/24", "10.62.0.11/32", "10.62.0.12/24", "10.62.0.60/32"];
    expect(texts.toSorted()).toEqual(all);
    for (const address of all) {
      const wrong = address.endsWith("/24") ? "/32" : "/24";
      const other = { address: address.replace(/\/.*/, wrong) };
      expect((await netbox("POST", "ipam/ip-addresses/", { body: other })).status).toBe(400);
      const made = await netbox("POST", "ipam/ip-addresses/", { body: { address } });
      expect(made).toMatchObject({ status: 201, body: { address } });
      await netbox("DELETE", `ipam/ip-addresses/${made.body.id}/`);
    }
  });

  it.each([
    [{ prefixLength: 16 }, {}, 16, 16],
    [{}, { prefixLength: 32 }, 24, 32],
    [{ prefixLength: 16 }, { prefixLength: 32 }, 16, 32],
  ])(
    "have that of their own pool, else that of the Applications pool around it: %j with %j inside",
    async (outer, inner, around, inside) => {
      const shared = { cidr: "10.63.0.0/24", cooldownSeconds: 0 };
      const applications = { ...shared, ranges: ["10.63.0.10-10.63.0.13"], ...outer };
      const pools = {
        apps: { ...applications, assignmentMode: "Applications" },
        web: { ...shared, ranges: ["10.63.0.12"], ...inner },
      };
      const space = spaceNamed(`around-${around}-${inside}`);
      for (const [name, body] of Object.entries(pools))
        expect((await space.put(`/v1/pools/${name}`, body)).status).toBe(201);
      const [vrf] = (await netbox("GET", "ipam/vrfs/", { query: { name: space.space } })).body
        .results;
      const query = { vrf_id: String(vrf.id) };
      const prefix = await only(shared.cidr, query);
      const path = `ipam/prefixes/${prefix.id}/available-ips/`;
      const address = `10.63.0.12/${inside}`;
      expect((await netbox("GET", path)).body).toMatchObject([{ address }]);
      const ranges = await netbox("GET", "ipam/ip-ranges/", { query });
      expect(ranges.body.results).toMatchObject([
        { start_address: `10.63.0.10/${around}` },
        { start_address: address },
      ]);
      const post = (text: string) =>
        netbox("POST", "ipam/ip-addresses/", { body: { address: text, vrf: vrf.id } });
      expect(await post("10.63.0.12/8")).toMatchObject({ status: 400 });
      expect(await post(address)).toMatchObject({ status: 201, body: { address } });
      // Only applications get the others.
      expect(await post(`10.63.0.10/${around}`)).toMatchObject({ status: 409 });
      expect(await netbox("POST", path, { body: {} })).toMatchObject({ status: 409 });
    },
  );
});

it("an aggregate is each network", async () => {
  const { body } = await netbox("GET", "ipam/aggregates/", { query: { prefix: "10.1.0.0/28" } });
  expect(body.results).toMatchObject([{ prefix: "10.1.0.0/28", rir: null }]);
  const { status } = await netbox("GET", `ipam/aggregates/${body.results[0].id}/`);
  expect(status).toBe(200);
});

describe("a prefix of which a pool is made", () => {
  it("is one prefix, which has the addresses of the pool", async () => {
    const cidr = "10.128.77.0/24";
    await call("POST", "/v1/prefixes", { body: { handle: "cluster-77", cidr } });
    await call("PUT", "/v1/pools/cluster-77", { body: { cidr, parent: "clusters" } });
    const prefixes = await found({ prefix: cidr });
    expect(prefixes).toMatchObject([{ prefix: cidr, status: { value: "active" } }]);
    const [{ id }] = prefixes;
    expect((await netbox("GET", `ipam/prefixes/${id}/`)).body).toMatchObject({ prefix: cidr });
    const made = await netbox("POST", `ipam/prefixes/${id}/available-ips/`, { body: {} });
    expect(made.body.address).toMatch(/^10\.128\.77\.\d+\/24$/);
    await netbox("DELETE", `ipam/ip-addresses/${made.body.id}/`);
  });

  it("keeps what was said of it, and can change as before", async () => {
    const parent = await only("10.128.0.0/16");
    const { body: prefix } = await netbox(
      "POST",
      `ipam/prefixes/${parent.id}/available-prefixes/`,
      {
        body: {
          ...{ prefix_length: 24, description: "cluster b", tags: [{ slug: "lab" }] },
          ...{ tenant: "shop", custom_fields: { handle: "cluster-b", team: "x" } },
        },
      },
    );
    const path = `ipam/prefixes/${prefix.id}/`;
    const { body: before } = await netbox("GET", path);
    const { body: address } = await netbox("POST", `${path}available-ips/`, { body: {} });
    const pools = [`netbox-${prefix.prefix.replaceAll(/[./]/g, "-")}`];
    expect((await netbox("GET", path)).body).toEqual({ ...before, pools });
    expect(await only(prefix.prefix)).toEqual({ ...before, pools });
    expect(await found({ tag: "lab", tenant: "shop" })).toEqual([{ ...before, pools }]);
    vi.stubEnv("ACCESS", "token");
    const change = { description: "cluster c", tenant: null, tags: [] };
    const changed = await netbox("PATCH", path, { body: change, roles: "caller" });
    vi.unstubAllEnvs();
    expect(changed).toMatchObject({ status: 200, body: change });
    expect((await netbox("GET", path)).body).toEqual(changed.body);
    expect(await only(prefix.prefix)).toEqual(changed.body);
    const handle = { custom_fields: { handle: "cluster-d" } };
    expect((await netbox("PATCH", path, { body: handle })).status).toBe(400);
    const same = { custom_fields: { handle: "cluster-b", team: "y" } };
    const [listed] = (
      await netbox("PATCH", "ipam/prefixes/", { body: [{ id: prefix.id, ...same }] })
    ).body;
    expect(listed).toMatchObject({ description: "cluster c", ...same });
    await netbox("DELETE", `ipam/ip-addresses/${address.id}/`);
  });

  it("keeps its id in IPv6 too, and is released by it after its pool", async () => {
    const parent = await only("2001:db8::/56", { vrf: "blue" });
    const { body: prefix } = await netbox(
      "POST",
      `ipam/prefixes/${parent.id}/available-prefixes/`,
      {
        body: { prefix_length: 64 },
      },
    );
    const path = `ipam/prefixes/${prefix.id}/`;
    const { body: address } = await netbox("POST", `${path}available-ips/`, { body: {} });
    const free = await netbox("GET", `${path}available-ips/`, { query: { limit: "1000" } });
    const texts = free.body.map((each: { address: string }) => each.address);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts).not.toContain(address.address);
    const seen = [await netbox("GET", path), { body: await only(prefix.prefix, { vrf: "blue" }) }];
    for (const { body } of seen)
      expect(body).toMatchObject({ id: prefix.id, pools: [expect.stringMatching(/^netbox-/)] });
    vi.stubEnv("ACCESS", "token");
    const second = await netbox("POST", `${path}available-ips/`, {
      body: {},
      roles: "caller@blue",
    });
    vi.unstubAllEnvs();
    expect(second.status).toBe(201);
    for (const { id } of [address, second.body]) await netbox("DELETE", `ipam/ip-addresses/${id}/`);
    const ending = await netbox("DELETE", path);
    expect(ending).toMatchObject({ status: 409, body: { code: "pool_deleting" } });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    for (let minute = 0; minute < 10; minute++) {
      vi.setSystemTime(Date.now() + 60_000);
      await work();
    }
    expect((await netbox("DELETE", path)).status).toBe(204);
    expect((await netbox("GET", path)).status).toBe(404);
  });
});

it("a prefix and a range have the description and the tags that Plat's own API gave them", async () => {
  const said = { description: "rack 7", tags: ["lab"] };
  const seen = { description: "rack 7", tags: [{ slug: "lab" }] };
  const cidr = "10.128.78.0/24";
  await call("POST", "/v1/prefixes", { body: { handle: "rack-7", cidr, ...said } });
  expect(await only(cidr)).toMatchObject(seen);
  const ranged = { cidr: "10.66.0.0/24", ranges: ["10.66.0.10-10.66.0.19"], ...said };
  expect(await call("PUT", "/v1/pools/labelled", { body: ranged })).toMatchObject({ status: 201 });
  const query = { start_address: "10.66.0.10", end_address: "10.66.0.19" };
  const { body } = await netbox("GET", "ipam/ip-ranges/", { query });
  expect(body.results).toMatchObject([seen]);
});

describe("a pool whose creation was cut off", () => {
  const cutOff = async (path: string, body: object) => {
    failWrites("change-plan", new UnavailableError("it is cut off"));
    expect(await netbox("POST", path, { body })).toMatchObject({ status: 503 });
    vi.restoreAllMocks();
  };
  const stateOf = async (name: string) => (await call("GET", `/v1/pools/${name}`)).body.state;
  /** Assigns a prefix, and returns its path, with half a pool of it. */
  const halfMade = async (cidr: string, handle: string) => {
    await call("POST", "/v1/prefixes", { body: { handle, cidr } });
    const path = `ipam/prefixes/${(await only(cidr)).id}/`;
    await cutOff(`${path}available-ips/`, {});
    return path;
  };

  it("is made by the next request for an address of its prefix", async () => {
    const path = await halfMade("10.128.79.0/24", "cluster-79");
    expect(await stateOf("netbox-10-128-79-0-24")).toBe("pending");
    const handle = { custom_fields: { handle: "cluster-79" } };
    expect(await only("10.128.79.0/24")).toMatchObject(handle);
    const made = await netbox("POST", `${path}available-ips/`, { body: {} });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body.address).toMatch(/^10\.128\.79\.\d+\/24$/);
    await netbox("DELETE", `ipam/ip-addresses/${made.body.id}/`);
  });

  it("is made by a repeat of the request for a new prefix", async () => {
    const body = { prefix: "10.61.0.0/24" };
    await cutOff("ipam/prefixes/", body);
    expect(await found(body)).toEqual([]);
    expect(await netbox("POST", "ipam/prefixes/", { body })).toMatchObject({ status: 201 });
    expect(await stateOf("netbox-10-61-0-0-24")).toBeUndefined();
  });

  it("is deleted with its prefix", async () => {
    const path = await halfMade("10.128.80.0/24", "cluster-80");
    expect((await netbox("DELETE", path)).status).toBe(204);
    expect((await netbox("GET", path)).status).toBe(404);
    expect((await call("GET", "/v1/pools/netbox-10-128-80-0-24")).status).toBe(404);
  });

  describe("by Plat's own API", () => {
    /** Assigns a prefix, and returns its id, with half a pool of it. */
    const halfPut = async (cidr: string, name: string, step: string) => {
      await call("POST", "/v1/prefixes", { body: { handle: name, cidr } });
      const { id } = await only(cidr);
      failWrites(step, new UnavailableError("it is cut off"));
      const body = { parent: "clusters", cidr };
      expect(await call("PUT", `/v1/pools/${name}`, { body })).toMatchObject({ status: 503 });
      vi.restoreAllMocks();
      expect(await stateOf(name)).toBe("pending");
      return id;
    };
    const gone = async (cidr: string, name: string) => {
      expect((await call("GET", `/v1/pools/${name}`)).status).toBe(404);
      expect((await call("GET", "/v1/prefixes", { query: { cidr } })).status).toBe(404);
    };

    it("is deleted with its prefix, but not in a list", async () => {
      const cidr = "10.128.82.0/24";
      const id = await halfPut(cidr, "own-82", "change-plan");
      const held = { id, custom_fields: { handle: "own-82" } };
      expect(await only(cidr)).toMatchObject(held);
      const listed = await netbox("DELETE", "ipam/prefixes/", { body: [{ id }] });
      expect(listed).toMatchObject({ status: 409, body: { code: "prefix_in_use" } });
      expect(await stateOf("own-82")).toBe("pending");
      expect(await only(cidr)).toMatchObject(held);
      expect((await netbox("DELETE", `ipam/prefixes/${id}/`)).status).toBe(204);
      await gone(cidr, "own-82");
    });

    it("is deleted without its prefix if that was released meanwhile", async () => {
      const cidr = "10.128.83.0/24";
      const id = await halfPut(cidr, "own-83", "hold-prefix");
      const body = { handle: "own-83", cidr };
      const released = await call("POST", "/v1/prefixes/release", { body });
      expect(released).toMatchObject({ status: 200, body: { complete: true } });
      expect((await netbox("DELETE", `ipam/prefixes/${id}/`)).status).toBe(204);
      await gone(cidr, "own-83");
    });
  });

  it("is what a second request waits for while the first one makes it", async () => {
    const cidr = "10.128.81.0/24";
    const path = await halfMade(cidr, "cluster-81");
    const write = table.write.bind(table);
    let seized = false;
    vi.spyOn(table, "write").mockImplementation(async (each) => {
      // Another request takes the pool over before this one does.
      if (each.step === "put-pool" && !seized) {
        seized = true;
        const item = { ...(await table.get(each.key)), ...each.key, revision: "other" };
        await write({ ...each, when: [], change: { kind: "put", item } });
      }
      return write(each);
    });
    const second = await netbox("POST", `${path}available-ips/`, { body: {} });
    expect(second).toMatchObject({ status: 503, body: { code: "unavailable", retryable: true } });
    vi.restoreAllMocks();
    expect((await netbox("POST", `${path}available-ips/`, { body: {} })).status).toBe(201);
  });
});
