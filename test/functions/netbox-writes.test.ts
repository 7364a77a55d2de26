import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ciliumNode } from "../node-objects.ts";
import { netbox } from "./netbox.ts";
import { call, scheduledRun, spaceNamed } from "./plat.ts";

const work = scheduledRun("work");

beforeAll(async () => {
  const none = { cooldownSeconds: 0 };
  await call("PUT", "/v1/pools/lan", { body: { cidr: "10.1.0.0/24", kind: "subnet", ...none } });
  const clusters = { cidr: "10.128.0.0/16", assign: "prefixes", blockSize: 24, ...none };
  await call("PUT", "/v1/pools/clusters", { body: clusters });
  const ranges = ["10.4.0.10-10.4.0.12", "10.4.0.20-10.4.0.22"];
  await call("PUT", "/v1/pools/dhcp", { body: { cidr: "10.4.0.0/24", ranges, ...none } });
  await spaceNamed("blue").put("/v1/pools/lan", { cidr: "10.1.0.0/24", ...none });
});

afterEach(async () => {
  vi.useRealTimers();
  const { body } = await netbox("GET", "ipam/ip-addresses/", { query: { limit: "0" } });
  const ids = body.results.map(({ id }: { id: number }) => ({ id }));
  if (ids.length > 0) await netbox("DELETE", "ipam/ip-addresses/", { body: ids });
});

const ADDRESSES = "ipam/ip-addresses/";
const PREFIXES = "ipam/prefixes/";

/** Sends a body, and returns the answer, which must be a good one. */
async function send(method: string, path: string, body: unknown) {
  const answer = await netbox(method, path, { body });
  expect({ path, body: answer.body, isGood: answer.status < 300 }).toMatchObject({ isGood: true });
  return answer.body;
}
const listed = async (path: string, query: Record<string, string | readonly string[]> = {}) =>
  (await netbox("GET", path, { query: query as Record<string, string> })).body;
const prefixNamed = async (prefix: string) => (await listed(PREFIXES, { prefix })).results[0];
const availableIn = async (prefix: string) =>
  `${PREFIXES}${(await prefixNamed(prefix)).id}/available-ips/`;
const named = (items: readonly { description: string }[]) =>
  items.map(({ description }) => description);

describe("a list of changes", () => {
  const three = () =>
    send(
      "POST",
      ADDRESSES,
      [7, 8, 9].map((n) => ({ address: `10.1.0.${n}/24`, description: `d${n}` })),
    );

  it("changes each address by its id, and answers with all", async () => {
    const [one, two, rest] = await three();
    const changes = [
      { id: one.id, description: "x" },
      { id: two.id, tags: ["web"] },
    ];
    const changed = await send("PATCH", ADDRESSES, changes);
    expect(changed).toMatchObject([{ description: "x" }, { tags: [{ slug: "web" }] }]);
    const { results } = await listed(ADDRESSES, { ordering: "address" });
    expect(named(results)).toEqual(["x", "d8", "d9"]);
    expect(rest.description).toBe("d9");
  });

  it("changes nothing if one of the changes is not possible", async () => {
    const [one, two] = await three();
    const bodies = [
      [
        { id: one.id, description: "x" },
        { id: 1, description: "y" },
      ],
      [
        { id: one.id, description: "x" },
        { id: two.id, address: "10.1.0.99/24" },
      ],
      [
        { id: one.id, description: "x" },
        { id: one.id, description: "y" },
      ],
    ];
    for (const body of bodies)
      expect((await netbox("PATCH", ADDRESSES, { body })).status).toBe(400);
    expect(named((await listed(ADDRESSES, { ordering: "id" })).results)).toEqual([
      "d7",
      "d8",
      "d9",
    ]);
  });

  it("deletes what the ids name, or nothing if one of them names nothing", async () => {
    const made = await three();
    const ids = made.map(({ id }: { id: number }) => ({ id }));
    expect((await netbox("DELETE", ADDRESSES, { body: [...ids, { id: 1 }] })).status).toBe(400);
    expect((await listed(ADDRESSES)).count).toBe(3);
    expect((await netbox("DELETE", ADDRESSES, { body: ids })).status).toBe(204);
    expect((await listed(ADDRESSES)).count).toBe(0);
    expect((await netbox("DELETE", ADDRESSES, { body: [] })).status).toBe(400);
  });

  it("is one of prefixes too", async () => {
    const { id: parent } = await prefixNamed("10.128.0.0/16");
    const made = await send("POST", `${PREFIXES}${parent}/available-prefixes/`, [
      { prefix_length: 24, description: "a" },
      { prefix_length: 24, description: "b" },
    ]);
    const ids = made.map(({ id }: { id: number }) => ({ id }));
    await send("PATCH", PREFIXES, [{ ...ids[0], description: "c", tenant: "shop" }]);
    const { results } = await listed(PREFIXES, { within: "10.128.0.0/16", ordering: "id" });
    expect(named(results).sort()).toEqual(["b", "c"]);
    expect((await listed(PREFIXES, { tenant: "shop" })).results).toMatchObject([ids[0]]);
    expect((await netbox("DELETE", PREFIXES, { body: ids })).status).toBe(204);
    expect((await listed(PREFIXES, { within: "10.128.0.0/16" })).count).toBe(0);
  });
});

describe("a filter of many ids", () => {
  it("takes 256 of them", async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));
    expect((await netbox("GET", ADDRESSES, { query: { id: ids(256) as never } })).status).toBe(200);
    const { status, body } = await netbox("GET", ADDRESSES, { query: { id: ids(257) as never } });
    expect({ status, field: body.fields[0].field }).toEqual({ status: 400, field: "?id" });
  });
});

describe("the order of addresses", () => {
  it("is that of ordering, over all pages", async () => {
    const addresses = ["10.4.0.20", "10.1.0.10", "10.1.0.9", "10.4.0.10"];
    for (const address of addresses) await send("POST", ADDRESSES, { address });
    const page = async (ordering: string, offset = "0") =>
      (await listed(ADDRESSES, { ordering, limit: "2", offset })).results.map(
        ({ address }: { address: string }) => address,
      );
    expect([...(await page("address")), ...(await page("address", "2"))]).toEqual([
      ...["10.1.0.9/24", "10.1.0.10/24", "10.4.0.10/24", "10.4.0.20/24"],
    ]);
    expect(await page("-address")).toEqual(["10.4.0.20/24", "10.4.0.10/24"]);
    expect((await netbox("GET", ADDRESSES, { query: { ordering: "size" } })).status).toBe(400);
  });
});

describe("tags and tenants", () => {
  it("exist under each name, with an id that a write can send", async () => {
    const [tag] = (await listed("extras/tags/", { slug: "web" })).results;
    const [tenant] = (await listed("tenancy/tenants/", { name: "Shop 7" })).results;
    expect({ tag, tenant }).toMatchObject({ tag: { slug: "web" }, tenant: { slug: "shop-7" } });
    for (const { url } of [tag, tenant]) {
      const path = url.replace("http://plat.test/api/", "");
      expect((await netbox("GET", path)).body).toMatchObject({ url });
    }
    const made = await send("POST", ADDRESSES, {
      ...{ address: "10.1.0.7/24", tags: [tag.id], tenant: tenant.id },
    });
    expect(made).toMatchObject({
      tags: [{ id: tag.id, slug: "web" }],
      tenant: { id: tenant.id, name: "shop-7" },
    });
    const filters = [{ tenant: "shop-7" }, { tenant_id: String(tenant.id) }, { tag: "web" }];
    for (const filter of filters)
      expect((await listed(ADDRESSES, filter)).results).toMatchObject([{ id: made.id }]);
    const cleared = await send("PATCH", `${ADDRESSES}${made.id}/`, { tenant: null, tags: [] });
    expect(cleared).toMatchObject({ tenant: null, tags: [] });
  });

  it("are found by a slug in capitals, which is the same one", async () => {
    const said = { address: "10.1.0.7/24", tags: [{ slug: "DC1" }], tenant: { slug: "Shop-7" } };
    const made = await send("POST", ADDRESSES, said);
    expect(made).toMatchObject({ tags: [{ slug: "dc1" }], tenant: { slug: "shop-7" } });
    for (const filter of [{ tag: "DC1" }, { tenant: "Shop-7" }, { tag__n: "DC2" }])
      expect((await listed(ADDRESSES, filter)).results).toMatchObject([{ id: made.id }]);
    for (const filter of [{ tag__n: "DC1" }, { tenant__n: "Shop-7" }, { tag: "-" }])
      expect((await listed(ADDRESSES, filter)).count).toBe(0);
    await send("PATCH", `${ADDRESSES}${made.id}/`, { tenant: null });
    expect((await listed(ADDRESSES, { tenant: "-" })).count).toBe(0);
    for (const path of ["extras/tags/", "tenancy/tenants/"])
      expect((await listed(path, { slug: "DC1" })).results).toMatchObject([{ slug: "dc1" }]);
  });

  it("of a longer slug are named by the slug, because its id leads to nothing", async () => {
    const [tag] = (await listed("extras/tags/", { slug: "load-balancers" })).results;
    const body = { address: "10.1.0.7/24", tags: [tag.id] };
    const { status, body: problem } = await netbox("POST", ADDRESSES, { body });
    expect({ status, field: problem.fields[0].field }).toEqual({ status: 400, field: "tags[0]" });
    const made = await send("POST", ADDRESSES, { ...body, tags: [{ slug: "load-balancers" }] });
    expect(made.tags).toMatchObject([{ id: tag.id, slug: "load-balancers" }]);
  });

  it("of Plat's own API are found by their slugs, and stay as they are in a PUT of them", async () => {
    const attributes = { tags: "Web Server,eu", tenant: "Shop 7" };
    const wanted = { host: "h", handle: "own", address: "10.1.0.7", attributes };
    await call("POST", "/v1/assign", { body: wanted });
    const [read] = (await listed(ADDRESSES, { tag: "web-server", tenant: "shop-7" })).results;
    const { id, address, tags, tenant } = read;
    await send("PUT", `${ADDRESSES}${id}/`, { address, tags, tenant });
    await send("PATCH", `${ADDRESSES}${id}/`, { tags: [...tags, "new"] });
    const { owner } = (await call("GET", "/v1/addresses/10.1.0.7")).body;
    expect(owner.active).toEqual({ tags: "Web Server,eu,new", tenant: "Shop 7" });
    const said = { cidr: "10.67.0.0/24", ranges: ["10.67.0.10-10.67.0.19"], tags: ["Web Server"] };
    await call("PUT", "/v1/pools/tagged", { body: said });
    for (const path of [PREFIXES, "ipam/ip-ranges/"])
      expect((await listed(path, { tag: "web-server" })).count).toBe(1);
  });

  it.each(["extras/tags/", "tenancy/tenants/", "ipam/vrfs/"])(
    "are in no list of all, and a new one at %s is rejected, never stored nowhere",
    async (path) => {
      const body = { name: "x", slug: "x" };
      expect((await netbox("POST", path, { body })).status).toBe(400);
      if (path !== "ipam/vrfs/") expect((await listed(path)).count).toBe(0);
    },
  );
});

describe("a custom field", () => {
  const fields = { text: "5", number: 5, flag: false, list: ["a", 1], object: { a: null } };

  it("has the type that it was written with", async () => {
    const { id } = await send("POST", ADDRESSES, {
      ...{ address: "10.1.0.7/24", custom_fields: fields },
    });
    expect((await netbox("GET", `${ADDRESSES}${id}/`)).body.custom_fields).toEqual(fields);
    await send("PATCH", `${ADDRESSES}${id}/`, { custom_fields: { number: "6", text: true } });
    await send("PATCH", `${ADDRESSES}${id}/`, { custom_fields: { list: null } });
    const { body } = await netbox("GET", `${ADDRESSES}${id}/`);
    const { list: _, ...left } = fields;
    expect(body.custom_fields).toEqual({ ...left, number: "6", text: true });
    expect((await listed(ADDRESSES, { cf_flag: "false" })).results).toMatchObject([{ id }]);
    const { attributes, owner } = (await call("GET", "/v1/addresses/10.1.0.7")).body;
    expect({ ...attributes, ...owner.active }).toMatchObject({ number: "6", flag: "false" });
  });

  it.each([
    ["custom_fields.deep", (deep: string) => `"custom_fields": {"deep": ${deep}}`],
    ["vrf", (deep: string) => `"vrf": {"id": 1, "deep": ${deep}}`],
  ])("is rejected if it is nested too deeply, as another object: %s", async (field, entry) => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const { status, body } = await netbox("POST", ADDRESSES, {
      body: `{"address": "10.1.0.7/24", ${entry(deep)}}`,
    });
    expect({ status, field: body.fields[0].field }).toEqual({ status: 400, field });
  });

  it("named handle or host is a text", async () => {
    const body = { address: "10.1.0.7/24", custom_fields: { handle: 7 } };
    const { status, body: problem } = await netbox("POST", ADDRESSES, { body });
    expect({ status, field: problem.fields[0].field }).toEqual({
      ...{ status: 400, field: "custom_fields.handle" },
    });
  });
});

describe("a custom field with a name that no attribute may have", () => {
  it.each(["constructor", "__proto__"])("is rejected, never lost: %s", async (name) => {
    const one = await send("POST", ADDRESSES, { address: "10.1.0.8" });
    const field = JSON.parse(`{"${name}": "x"}`);
    const sent = [
      ["POST", ADDRESSES, { address: "10.1.0.7", custom_fields: field }],
      ["PATCH", `${ADDRESSES}${one.id}/`, { custom_fields: field }],
      ["POST", await availableIn("10.1.0.0/24"), { custom_fields: field }],
      ["POST", PREFIXES, { prefix: "10.12.0.0/24", custom_fields: field }],
    ] as const;
    for (const [method, path, body] of sent)
      expect(await netbox(method, path, { body })).toMatchObject({
        status: 400,
        body: {
          fields: [
            {
              field: `custom_fields.${name}`,
              problem: "is a name that no attribute may have",
            },
          ],
        },
      });
  });

  it("is not prototype, which is kept", async () => {
    const path = await availableIn("10.1.0.0/24");
    const custom = { prototype: "x" };
    const { body } = await netbox("POST", path, { body: { custom_fields: custom } });
    expect(body.custom_fields).toEqual(custom);
    const change = { custom_fields: { prototype: "y" } };
    const changed = await netbox("PATCH", `${ADDRESSES}${body.id}/`, { body: change });
    expect(changed.body.custom_fields).toEqual({ prototype: "y" });
  });
});

describe("a description and tags", () => {
  it("are those of the pool that a prefix is, and change with it", async () => {
    const said = { description: "rack 7", tags: [{ name: "lab" }] };
    const made = await send("POST", PREFIXES, { prefix: "10.66.0.0/24", ...said });
    expect(made).toMatchObject({ description: "rack 7", tags: [{ slug: "lab" }] });
    const same = { prefix: "10.66.0.0/24", status: "active", ...said, is_pool: false };
    await send("PUT", `${PREFIXES}${made.id}/`, same);
    const change = { description: "rack 8", tags: [] };
    await send("PUT", `${PREFIXES}${made.id}/`, { ...same, ...change });
    const pool = (await call("GET", "/v1/pools/netbox-10-66-0-0-24")).body;
    expect(pool).toMatchObject({ description: "rack 8", kind: "subnet" });
    expect(pool).not.toHaveProperty("tags");
    expect(await prefixNamed("10.66.0.0/24")).toMatchObject({ description: "rack 8", tags: [] });
    const other = { status: "container" };
    expect((await netbox("PATCH", `${PREFIXES}${made.id}/`, { body: other })).status).toBe(400);
  });

  it("are those of an assigned prefix, and change with it", async () => {
    const { id: parent } = await prefixNamed("10.128.0.0/16");
    const path = `${PREFIXES}${parent}/available-prefixes/`;
    const made = await send("POST", path, { prefix_length: 24 });
    const change = { prefix: made.prefix, description: "a", tags: [{ slug: "x" }], tenant: "shop" };
    expect(await send("PUT", `${PREFIXES}${made.id}/`, change)).toMatchObject({
      ...{ description: "a", tags: [{ slug: "x" }], tenant: { name: "shop" } },
    });
    expect(await prefixNamed(made.prefix)).toMatchObject({ description: "a" });
    const query = { cidr: made.prefix };
    const { prefixes } = (await call("GET", "/v1/prefixes", { query })).body;
    expect(prefixes).toMatchObject([{ description: "a", tags: ["x"] }]);
    await netbox("DELETE", `${PREFIXES}${made.id}/`);
  });
});

describe("the next free prefix under a handle", () => {
  it("is the same for a repeat, and stays if a list of them fails", async () => {
    const { id: parent } = await prefixNamed("10.128.0.0/16");
    const path = `${PREFIXES}${parent}/available-prefixes/`;
    const body = { prefix_length: 24, custom_fields: { handle: "cluster-1" } };
    const [one, two] = [await send("POST", path, body), await send("POST", path, body)];
    expect(two).toMatchObject({ id: one.id, prefix: one.prefix });
    const failing = [body, { prefix_length: 25 }];
    expect((await netbox("POST", path, { body: failing })).status).toBe(409);
    expect((await prefixNamed(one.prefix)).id).toBe(one.id);
    const twice = await netbox("POST", path, { body: [body, body] });
    expect(twice.body.fields[0].field).toBe("custom_fields.handle");
    await netbox("DELETE", `${PREFIXES}${one.id}/`);
  });

  it("is told as it is by a repeat that says other things of it", async () => {
    const { id: parent } = await prefixNamed("10.128.0.0/16");
    const path = `${PREFIXES}${parent}/available-prefixes/`;
    const saying = (description: string, team?: string) => ({
      ...{ prefix_length: 24, description },
      custom_fields: { handle: "cluster-2", ...(team && { team }) },
    });
    const { id } = await send("POST", path, saying("a", "shop"));
    const repeated = await send("POST", path, saying("b"));
    const read = await listed(`${PREFIXES}${id}/`);
    expect(read).toMatchObject({ id, description: "a", custom_fields: { team: "shop" } });
    expect(repeated).toEqual(read);
    await send("PATCH", `${PREFIXES}${id}/`, { description: "c", tags: ["x"] });
    const after = await listed(`${PREFIXES}${id}/`);
    expect(await send("POST", path, saying("b"))).toEqual(after);
    expect(after.description).toBe("c");
    await netbox("DELETE", `${PREFIXES}${id}/`);
  });

  it("is the same for a repeat under one Idempotency-Key", async () => {
    const { id: parent } = await prefixNamed("10.128.0.0/16");
    const path = `${PREFIXES}${parent}/available-prefixes/`;
    const request = { body: { prefix_length: 24 }, headers: { "idempotency-key": "k-1" } };
    const [one, two] = [await netbox("POST", path, request), await netbox("POST", path, request)];
    expect(two.body.id).toBe(one.body.id);
    await netbox("DELETE", `${PREFIXES}${one.body.id}/`);
  });
});

describe("a prefix inside a container", () => {
  it("is assigned when it is created", async () => {
    const body = { prefix: "10.128.9.0/24", description: "c", custom_fields: { handle: "c-9" } };
    const made = await send("POST", PREFIXES, body);
    expect(made).toMatchObject({ prefix: "10.128.9.0/24", custom_fields: { handle: "c-9" } });
    expect((await netbox("GET", `${PREFIXES}${made.id}/`)).body).toMatchObject({ id: made.id });
    const again = await netbox("POST", PREFIXES, { body: { prefix: "10.128.9.0/24" } });
    expect(again).toMatchObject({ status: 400, body: { fields: [{ field: "prefix" }] } });
    expect((await netbox("DELETE", `${PREFIXES}${made.id}/`)).status).toBe(204);
  });

  it("is the same for a repeat under one Idempotency-Key", async () => {
    const request = { body: { prefix: "10.128.11.0/24" }, headers: { "idempotency-key": "k-11" } };
    const made = await netbox("POST", PREFIXES, request);
    expect(made.status).toBe(201);
    expect((await netbox("POST", PREFIXES, request)).body).toEqual(made.body);
    await netbox("DELETE", `${PREFIXES}${made.body.id}/`);
  });

  it("has addresses once it is assigned, and goes with them", async () => {
    const prefix = await send("POST", PREFIXES, { prefix: "10.128.10.0/24" });
    const path = `${PREFIXES}${prefix.id}/available-ips/`;
    const query = { limit: "2" };
    const free = async () =>
      (await listed(path, query)).map(({ address }: { address: string }) => address);
    expect(await free()).toEqual(["10.128.10.1/24", "10.128.10.2/24"]);
    const made = await send("POST", path, [{ description: "a" }, { description: "b" }]);
    expect(made[0].address).toMatch(/^10\.128\.10\.\d+\/24$/);
    expect(await prefixNamed("10.128.10.0/24")).toMatchObject({ id: prefix.id });
    const inUse = await netbox("DELETE", `${PREFIXES}${prefix.id}/`);
    expect(inUse).toMatchObject({ status: 409, body: { code: "pool_in_use" } });
    for (const { id } of made) await netbox("DELETE", `${ADDRESSES}${id}/`);
    const ending = await netbox("DELETE", `${PREFIXES}${prefix.id}/`);
    const { job, retryAfterSeconds, detail } = ending.body;
    expect(ending).toMatchObject({ status: 409, body: { code: "pool_deleting", retryable: true } });
    expect(retryAfterSeconds).toBeGreaterThan(60);
    const { earliestEndAt } = (await call("GET", `/v1/jobs/${job}`)).body;
    expect(detail).toMatch(`Send the request again after ${earliestEndAt}`);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    for (let minute = 0; minute < 10; minute++) {
      vi.setSystemTime(Date.now() + 60_000);
      await work();
    }
    expect((await netbox("DELETE", `${PREFIXES}${prefix.id}/`)).status).toBe(204);
    expect((await listed(PREFIXES, { prefix: "10.128.10.0/24" })).count).toBe(0);
  });
});

it("an address of a CiliumNode is changed and released by its node only, and a request says so", async () => {
  const space = spaceNamed("cilium");
  await space.put("/v1/pools/main", { cidr: "10.9.0.0/24" });
  const object = { body: ciliumNode("node-1", { uid: "a" }), query: { mode: "crd" } };
  const node = await space.call("PUT", "/v1/nodes/node-1/cilium", object);
  const [address = ""] = Object.keys(node.body.spec.ipam.pool);
  const [vrf] = (await listed("ipam/vrfs/", { name: "cilium" })).results;
  const { id } = (await listed(ADDRESSES, { address, vrf_id: String(vrf.id) })).results[0];
  const change = { description: "mine" };
  for (const [method, path, body] of [
    ["DELETE", `${ADDRESSES}${id}/`, undefined],
    ["DELETE", ADDRESSES, [{ id }]],
    ["PATCH", `${ADDRESSES}${id}/`, change],
    ["PATCH", ADDRESSES, [{ id, ...change }]],
  ] as const)
    expect(await netbox(method, path, { body })).toMatchObject({
      status: 400,
      body: {
        code: "invalid_request",
        detail: `${address} is an address of a node, which /v1/nodes/{node}/cilium assigns and releases.`,
      },
    });
  expect((await space.get(`/v1/addresses/${address}`)).body.state).toBe("assigned");
});

it("what is free in a range is in this range, and not in another one of its pool", async () => {
  const { results } = await listed("ipam/ip-ranges/", { start_address: "10.4.0.20" });
  const free = await listed(`ipam/ip-ranges/${results[0].id}/available-ips/`);
  expect(free.map(({ address }: { address: string }) => address)).toEqual([
    ...["10.4.0.20/24", "10.4.0.21/24", "10.4.0.22/24"],
  ]);
});

describe("what the dialect tells of itself", () => {
  it("are the choices of a list, to OPTIONS", async () => {
    const { status, headers, body } = await netbox("OPTIONS", ADDRESSES);
    expect({ status, allow: headers.allow }).toEqual({
      ...{ status: 200, allow: "GET, POST, PATCH, PUT, DELETE" },
    });
    const { POST } = body.actions;
    expect(POST.status.choices).toContainEqual({ value: "dhcp", display_name: "DHCP" });
    expect(POST.role.choices).toContainEqual({ value: "vip", display_name: "VIP" });
    expect(POST.address.required).toBe(true);
    expect(POST).not.toHaveProperty("id");
    expect((await netbox("OPTIONS", "dcim/devices/")).status).toBe(404);
  });

  it("are its paths and filters, in an OpenAPI document", async () => {
    const { paths } = await listed("schema/");
    const { parameters } = paths["/api/ipam/ip-addresses/"].get;
    const filters = parameters.map(({ name }: { name: string }) => name);
    expect(filters).toEqual(expect.arrayContaining(["parent", "description__ic", "tag__n", "q"]));
    const plain = filters.filter((name: string) => !/__|limit|offset|^q$|ordering/.test(name));
    expect(plain.length).toBeGreaterThan(10);
    for (const name of plain) {
      const { body } = await netbox("GET", ADDRESSES, { query: { [name]: "" } });
      expect(JSON.stringify(body.fields ?? [])).not.toContain("is not a filter here");
    }
    expect(Object.keys(paths["/api/ipam/prefixes/{id}/"])).toEqual([
      "get",
      "patch",
      "put",
      "delete",
    ]);
  });

  it.each(["ipam/roles/", "ipam/rirs/", "ipam/vlans/", "dcim/sites/", "extras/custom-fields/"])(
    "is that there is nothing at %s",
    async (path) => {
      expect(await listed(path, { name: "x", anything: "y" })).toEqual({
        ...{ count: 0, next: null, previous: null, results: [] },
      });
    },
  );
});

it("a prefix length that a pool cannot have is named as the client sent it", async () => {
  const { id } = await prefixNamed("10.128.0.0/16");
  const path = `${PREFIXES}${id}/available-prefixes/`;
  const refused = await netbox("POST", path, { body: { prefix_length: 128 } });
  const fields = [{ field: "prefix_length", value: 128 }];
  expect(refused).toMatchObject({ status: 400, body: { fields } });
});

describe("a field that Plat rejects", () => {
  const LONG = "x".repeat(1_025);
  it.each<[string, object]>([
    ["comments", { comments: LONG }],
    ["custom_fields.team", { custom_fields: { team: LONG } }],
    ["custom_fields.host", { custom_fields: { host: LONG } }],
    ["custom_fields.handle", { custom_fields: { handle: "a?b" } }],
  ])("has the name that the client sent, in each kind of request: %s", async (field, body) => {
    const free = await availableIn("10.1.0.0/24");
    const { id } = await send("POST", free, {});
    const prefixes = `${PREFIXES}${(await prefixNamed("10.128.0.0/16")).id}/available-prefixes/`;
    const prefix = await send("POST", prefixes, { prefix_length: 24 });
    const [isOfHost, isFixed] = [field.endsWith("host"), /(host|handle)$/.test(field)];
    const requests: readonly (readonly [string, string, unknown])[] = [
      ["POST", free, body],
      ["POST", free, [{}, body]],
      ...(isOfHost ? [] : [["POST", prefixes, { prefix_length: 24, ...body }] as const]),
      ...(isFixed ? [] : [["PATCH", `${ADDRESSES}${id}/`, body] as const]),
      ...(isFixed ? [] : [["PATCH", `${PREFIXES}${prefix.id}/`, body] as const]),
    ];
    for (const [method, path, sent] of requests) {
      const refused = await netbox(method, path, { body: sent });
      expect({ path, status: refused.status, fields: refused.body.fields }).toMatchObject({
        ...{ path, status: 400, fields: [{ field }] },
      });
      expect(refused.body.detail).toContain(`${field} `);
    }
    await netbox("DELETE", `${PREFIXES}${prefix.id}/`);
  });
});
