import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { spaceCode } from "../../src/netbox/ids.ts";
import { netbox } from "./netbox.ts";
import { call, spaceNamed } from "./plat.ts";

const LAN = { cidr: "10.1.0.0/24", kind: "subnet", gateway: "10.1.0.1", cooldownSeconds: 0 };
/** The ids of 10.1.0.0/24 and of 10.1.0.7 in the global table. */
const LAN_ID = 2 ** 24 + 0x0a0100;
const SEVEN = 0x0a010007;
const AVAILABLE = `ipam/prefixes/${LAN_ID}/available-ips/`;

beforeAll(async () => {
  await call("PUT", "/v1/pools/lan", { body: LAN });
  await spaceNamed("blue").put("/v1/pools/lan", { cidr: "10.1.0.0/24" });
  await spaceNamed("red").put("/v1/pools/v6", { cidr: "2001:db8::/64" });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  const { body } = await netbox("GET", "ipam/ip-addresses/", { query: { limit: "0" } });
  for (const { id } of body.results) await netbox("DELETE", `ipam/ip-addresses/${id}/`);
});

const assign = (body: unknown = {}) => netbox("POST", AVAILABLE, { body });

describe("the root of the dialect", () => {
  it("tells the version of NetBox that it follows", async () => {
    const { status, headers, body } = await netbox("GET", "status/");
    expect({ status, version: headers["api-version"] }).toEqual({ status: 200, version: "4.4" });
    expect(body["netbox-version"]).toMatch(/^4\.4\.\d+$/);
    expect((await netbox("GET", "")).headers["api-version"]).toBe("4.4");
    expect(await netbox("HEAD", "status/")).toMatchObject({ status: 200 });
    expect((await netbox("GET", "ipam/")).body.vrfs).toBe("http://plat.test/api/ipam/vrfs/");
  });
});

describe("a prefix", () => {
  it("is a pool, under an id made of its CIDR", async () => {
    const { body } = await netbox("GET", `ipam/prefixes/${LAN_ID}/`);
    expect(body).toMatchObject({
      id: LAN_ID,
      url: `http://plat.test/api/ipam/prefixes/${LAN_ID}/`,
      prefix: "10.1.0.0/24",
      family: { value: 4, label: "IPv4" },
      status: { value: "active", label: "Active" },
      vrf: null,
      is_pool: false,
      description: "",
      pools: ["lan"],
    });
  });

  it.each([
    ["the network", { prefix: "10.1.0.0/24" }, 1],
    ["another network", { prefix: "10.1.0.0/16" }, 0],
    ["an address in it", { contains: "10.1.0.9" }, 1],
    ["an address that Proxmox searches for", { q: "10.1.0.0" }, 1],
    ["a network around it", { within: "10.0.0.0/8" }, 1],
    ["itself, which is not within itself", { within: "10.1.0.0/24" }, 0],
    ["itself, which is included", { within_include: "10.1.0.0/24" }, 1],
    ["another family", { family: "6" }, 0],
    ["another status", { status: "container" }, 0],
    ["its length", { mask_length: "24", is_pool: "false" }, 1],
  ])("is found by %s", async (_, query, count) => {
    const { body } = await netbox("GET", "ipam/prefixes/", { query });
    expect(body.count).toBe(count);
    expect(body.results).toHaveLength(count);
  });

  it("is not found by a filter that Plat does not know", async () => {
    const { status, headers, body } = await netbox("GET", "ipam/prefixes/", {
      query: { site: "berlin" },
    });
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 400,
      type: "application/json",
    });
    expect(body.fields[0].field).toBe("?site");
  });
});

describe("the next free address", () => {
  it("is assigned with what the client says of it", async () => {
    const { status, headers, body } = await assign({
      description: "mac:aa:bb",
      dns_name: "web-0.example.org",
      tags: [{ name: "Web Server" }, { slug: "eu" }],
      custom_fields: { team: "shop", empty: null },
    });
    expect(status).toBe(201);
    expect(headers.location).toBe("/api/ipam/ip-addresses/");
    expect(body).toMatchObject({
      address: expect.stringMatching(/^10\.1\.0\.\d+\/24$/),
      status: { value: "active" },
      description: "mac:aa:bb",
      dns_name: "web-0.example.org",
      tags: [{ slug: "web-server" }, { slug: "eu" }],
      custom_fields: { team: "shop" },
      assigned_object: null,
    });
    const read = await netbox("GET", `ipam/ip-addresses/${body.id}/`);
    expect({ ...read.body, created: null, last_updated: null }).toEqual(body);
  });

  it("is one for each object of a list, each with its own fields", async () => {
    const { status, body } = await assign([{ description: "a" }, { description: "b" }]);
    expect(status).toBe(201);
    expect(body.map(({ description }: { description: string }) => description)).toEqual(["a", "b"]);
    expect(new Set(body.map(({ id }: { id: number }) => id)).size).toBe(2);
  });

  it("has a handle that the dialect makes, unless the client names one", async () => {
    const made = (await assign()).body.address.split("/")[0];
    expect((await call("GET", `/v1/addresses/${made}`)).body).toMatchObject({
      handle: expect.stringMatching(/^netbox\/[\w-]{15}$/),
      host: "netbox",
    });
    const named = await assign({ custom_fields: { handle: "web-0", host: "kvm-1" } });
    expect(named.body.custom_fields).toEqual({ handle: "web-0", host: "kvm-1" });
    expect((await call("GET", "/v1/handles/web-0")).body.addresses).toHaveLength(1);
  });

  it("is the same for a repeat with the same Idempotency-Key", async () => {
    const request = { body: { description: "once" }, headers: { "idempotency-key": "k1" } };
    const [one, two] = [
      await netbox("POST", AVAILABLE, request),
      await netbox("POST", AVAILABLE, request),
    ];
    expect(two.body).toEqual(one.body);
  });

  it("is 409 where there is none, and a list gets all or none", async () => {
    await call("PUT", "/v1/pools/tiny", { body: { cidr: "10.9.0.0/30", blockSize: 30 } });
    const tiny = `ipam/prefixes/${2 ** 30 + (0x0a090000 >>> 2)}/available-ips/`;
    const { status, body } = await netbox("POST", tiny, { body: Array(5).fill({}) });
    expect({ status, code: body.code }).toEqual({ status: 409, code: "pool_exhausted" });
    const held = await netbox("GET", "ipam/ip-addresses/", { query: { parent: "10.9.0.0/30" } });
    expect(held.body.count).toBe(0);
  });

  it("is rejected with fields that Plat has nothing for", async () => {
    const { status, body } = await assign({ nat_inside: 4, tags: [{}], site: 1 });
    expect(status).toBe(400);
    expect(body.fields.map(({ field }: { field: string }) => field).sort()).toEqual([
      "nat_inside",
      "site",
      "tags[0]",
    ]);
  });
});

describe("a specific address", () => {
  const create = (body: object) => netbox("POST", "ipam/ip-addresses/", { body });

  it("is assigned under the id that is its number", async () => {
    const { status, body } = await create({ address: "10.1.0.7/24", status: "dhcp" });
    expect({ status, id: body.id, state: body.status.value }).toEqual({
      status: 201,
      id: SEVEN,
      state: "dhcp",
    });
  });

  it("is a mistake of the request if somebody has it", async () => {
    await create({ address: "10.1.0.7/24" });
    const { status, body } = await create({ address: "10.1.0.7/24" });
    expect({ status, field: body.fields[0].field }).toEqual({ status: 400, field: "address" });
    expect(body.detail).toMatch(/is assigned to handle \S+[^.]\.$/);
  });

  it("must have the length of its network, and be in a prefix", async () => {
    expect((await create({ address: "10.1.0.7/16" })).body.detail).toMatch(/10\.1\.0\.7\/24/);
    expect((await create({ address: "10.2.0.7/24" })).body.detail).toMatch(/in no prefix/);
  });

  it("changes its fields, and keeps those that a change does not name", async () => {
    await create({
      address: "10.1.0.7/24",
      description: "old",
      custom_fields: { team: "a", x: "1" },
    });
    const changed = await netbox("PATCH", `ipam/ip-addresses/${SEVEN}/`, {
      body: { description: "new", custom_fields: { x: null } },
    });
    expect(changed).toMatchObject({ status: 200, body: { description: "new" } });
    const { body } = await netbox("GET", `ipam/ip-addresses/${SEVEN}/`);
    expect(body).toMatchObject({ description: "new", custom_fields: { team: "a" } });
    expect(body.custom_fields).not.toHaveProperty("x");
  });

  it("does not move", async () => {
    await create({ address: "10.1.0.7/24" });
    const moved = await netbox("PUT", `ipam/ip-addresses/${SEVEN}/`, {
      body: { address: "10.1.0.8/24" },
    });
    expect(moved.body.detail).toMatch(/address cannot change: it is 10\.1\.0\.7/);
    const narrowed = await netbox("PATCH", `ipam/ip-addresses/${SEVEN}/`, {
      body: { address: "10.1.0.7/25" },
    });
    expect(narrowed).toMatchObject({ status: 400, body: { fields: [{ field: "address" }] } });
    const kept = await netbox("PUT", `ipam/ip-addresses/${SEVEN}/`, {
      body: { address: "10.1.0.7/24", status: "active", vrf: null, tags: [] },
    });
    expect(kept.status).toBe(200);
  });

  it("is released by its id, and is then gone", async () => {
    await create({ address: "10.1.0.7/24" });
    expect((await netbox("DELETE", `ipam/ip-addresses/${SEVEN}/`)).status).toBe(204);
    expect((await netbox("GET", `ipam/ip-addresses/${SEVEN}/`)).status).toBe(404);
    expect((await netbox("DELETE", `ipam/ip-addresses/${SEVEN}/`)).status).toBe(404);
  });
});

describe("the list of addresses", () => {
  const list = (query: Record<string, string>) => netbox("GET", "ipam/ip-addresses/", { query });

  interface Page {
    readonly count: number;
    readonly results: readonly { readonly id: number }[];
    readonly next: string | null;
  }

  /** Walks through a list by its links. */
  async function pagesOf(first: Record<string, string>): Promise<readonly Page[]> {
    const pages: Page[] = [];
    for (let query: Record<string, string> | undefined = first; query && pages.length < 20; ) {
      const page: Page = (await list(query)).body;
      pages.push(page);
      query = page.next ? Object.fromEntries(new URL(page.next).searchParams) : undefined;
    }
    return pages;
  }
  const idsIn = (pages: readonly Page[]) =>
    new Set(pages.flatMap(({ results }) => results.map(({ id }) => id)));

  it.each([
    ["a value with a comma", { description: "c,d" }, ["c,d"]],
    ["either value of a repeated filter", { description: ["c,d", "e"] }, ["c,d", "e"]],
    ["all tags of a repeated tag", { tag: ["one", "two"] }, ["e"]],
    ["__n", { description__n: "e" }, ["c,d", "far"]],
    ["__isw", { description__isw: "C" }, ["c,d"]],
    ["__iew", { description__iew: "AR" }, ["far"]],
    ["__ic of either", { description__ic: [",", "fa"] }, ["c,d", "far"]],
    ["__empty", { dns_name__empty: "false" }, ["e"]],
    ["either address", { address: ["10.1.0.3/24", "10.1.0.5"] }, ["c,d", "far"]],
    ["its ids", { id: [`${SEVEN - 4}`, `${SEVEN - 3}`] }, ["c,d", "e"]],
    ["either parent", { parent: ["10.1.0.2/31", "10.1.0.5/32"] }, ["c,d", "far"]],
    ["mask_length", { mask_length: "24" }, ["c,d", "e", "far"]],
    ["another mask_length", { mask_length: "25" }, []],
    ["created__gte", { created__gte: "2020-01-01" }, ["c,d", "e", "far"]],
    ["created__lt", { created__lt: "2020-01-01" }, []],
    ["the beginning of an address", { q: "10.1.0.", tag: "one" }, ["c,d", "e"]],
    ["the handle", { cf_handle: "h,1" }, ["far"]],
    ["q as an address", { q: "10.1.0.5" }, ["far"]],
    ["q as a text", { q: "FAR" }, ["far"]],
    ["q as an address with its length", { q: "10.1.0.5/24" }, ["far"]],
    ["q beside address", { address: ["10.1.0.3", "10.1.0.5"], q: "far" }, ["far"]],
    ["q beside id", { id: `${SEVEN - 4}`, q: "far" }, []],
    ["dns_name", { dns_name: "e.example.org" }, ["e"]],
    ["parent and family", { parent: "10.1.0.0/24", family: "4", tag: "two" }, ["e"]],
    ["a tag that it must not have", { tag__n: "one" }, ["far"]],
  ])("takes a value as it is: %s", async (_, query, descriptions) => {
    const tags = [{ slug: "one" }];
    const items = [
      { address: "10.1.0.3/24", description: "c,d", tags },
      {
        ...{ address: "10.1.0.4/24", description: "e", dns_name: "e.example.org" },
        tags: [...tags, { slug: "two" }],
      },
      { address: "10.1.0.5/24", description: "far", custom_fields: { handle: "h,1" } },
    ];
    await netbox("POST", "ipam/ip-addresses/", { body: items });
    for (const limit of ["1", "1000"]) {
      const { body } = await list({ ...query, limit } as Record<string, string>);
      expect(body.count).toBe(descriptions.length);
      const found = body.results.map(({ description }: { description: string }) => description);
      expect(found).toEqual(limit === "1" ? descriptions.slice(0, 1) : descriptions);
    }
  });

  it.each([
    { q: ["a", "b"] },
    { limit: ["1", "2"] },
    { vrf: ["blue", "red"] },
    { description__xx: "a" },
    { created__gte: "yesterday" },
    { family: "six" },
    { id: "1,2" },
    { tag: "a,b" },
    { cursor: "1.x" },
    { cf_description: "a" },
    { cf_status__n: "active" },
    { vrf: "typo", vrf_id: "null" },
    { vrf: "blue", vrf_id: "null" },
  ])("rejects what it cannot filter by: %j", async (query) => {
    const { status, body } = await list(query as unknown as Record<string, string>);
    expect({ status, field: body.fields[0].field }).toEqual({
      status: 400,
      field: `?${Object.keys(query)[0]}`,
    });
  });

  it("walks through what a filter leaves, page by page, with one count", async () => {
    const body = Array.from({ length: 60 }, (_, n) => ({ description: n % 3 === 0 ? "x" : "y" }));
    await assign(body);
    const pages = await pagesOf({ limit: "7", description: "x" });
    expect(pages.map(({ count }) => count)).toEqual([20, 20, 20]);
    expect(idsIn(pages).size).toBe(20);
    const middle = await list({ limit: "5", offset: "18", description: "x" });
    expect(middle.body.results).toHaveLength(2);
    expect(middle.body.previous).toContain("offset=13");
    const far = await list({ limit: "5", offset: "58" });
    expect(far.body).toMatchObject({ count: 60, next: null });
    expect(far.body.results).toHaveLength(2);
    expect((await list({ limit: "5", offset: "60" })).body).toMatchObject({
      ...{ count: 60, next: null, results: [] },
    });
  });

  it("pages to its end if there is no time for a count, which then is one more than what it has seen", async () => {
    await assign(Array(40).fill({ description: "x" }));
    const startedAtMs = Date.now();
    let looks = 0;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => startedAtMs + looks++ * 900);
    try {
      for (const filters of [{}, { description: "x" }]) {
        const pages = await pagesOf({ ...filters, limit: "15" });
        expect({ seen: idsIn(pages).size, last: pages.at(-1)?.count }).toEqual({
          seen: 40,
          last: 40,
        });
        expect(pages[0]?.count).toBeGreaterThan(15);
      }
    } finally {
      clock.mockRestore();
    }
  });
});

describe("a VRF", () => {
  const vrfs = async (request = {}) => (await netbox("GET", "ipam/vrfs/", request)).body.results;
  const idOf = async (name: string) =>
    (await vrfs()).find((vrf: { name: string }) => vrf.name === name).id;

  it("is a space, and has prefixes and addresses of its own", async () => {
    const id = await idOf("blue");
    expect((await netbox("GET", `ipam/vrfs/${id}/`)).body).toMatchObject({
      name: "blue",
      rd: null,
    });
    const query = { vrf_id: String(id) };
    const [prefix] = (await netbox("GET", "ipam/prefixes/", { query })).body.results;
    expect(prefix).toMatchObject({ prefix: "10.1.0.0/24", vrf: { id, name: "blue" } });
    const { body } = await netbox("POST", `ipam/prefixes/${prefix.id}/available-ips/`, {
      body: {},
    });
    expect(body).toMatchObject({ vrf: { id } });
    expect((await netbox("GET", "ipam/ip-addresses/", { query })).body.count).toBe(1);
    expect((await netbox("GET", "ipam/ip-addresses/")).body.count).toBe(0);
    expect((await netbox("DELETE", `ipam/ip-addresses/${body.id}/`)).status).toBe(204);
  });

  it("takes a specific address by the id in the body", async () => {
    const vrf = await idOf("blue");
    const { status, body } = await netbox("POST", "ipam/ip-addresses/", {
      body: { address: "10.1.0.9/24", vrf },
    });
    expect({ status, vrf: body.vrf.id }).toEqual({ status: 201, vrf });
    await netbox("DELETE", `ipam/ip-addresses/${body.id}/`);
  });

  it("has IPv6 too, under ids below 2^53", async () => {
    const query = { vrf: "red" };
    const [prefix] = (await netbox("GET", "ipam/prefixes/", { query })).body.results;
    const made = await netbox("POST", `ipam/prefixes/${prefix.id}/available-ips/`, { body: {} });
    expect(Number.isSafeInteger(made.body.id)).toBe(true);
    const read = await netbox("GET", `ipam/ip-addresses/${made.body.id}/`);
    expect(read.body.address).toBe(made.body.address);
    await netbox("DELETE", `ipam/ip-addresses/${made.body.id}/`);
    const vrf = await idOf("red");
    const far = { address: "2001:db8::ffff:ffff:ffff/64", vrf };
    const { status, body } = await netbox("POST", "ipam/ip-addresses/", { body: far });
    expect({ status, detail: body.detail }).toMatchObject({
      status: 400,
      detail: expect.stringContaining("has no id"),
    });
    expect(body.fields).toMatchObject([{ field: "address", value: "2001:db8::ffff:ffff:ffff" }]);
    expect((await netbox("GET", "ipam/ip-addresses/", { query })).body.count).toBe(0);
    // A block there would be one of the host, from which it gets its next address.
    const { blocks } = (await spaceNamed("red").get("/v1/blocks")).body;
    expect(blocks.map(({ cidr }: { cidr: string }) => cidr)).not.toContain(
      "2001:db8::ffff:ffff:ffc0/122",
    );
  });
});

it("an id that stands for two spaces acts on neither, and names both", async () => {
  const names = new Map<number, string>();
  let pair: readonly string[] = [];
  for (let n = 0; pair.length === 0; n++) {
    const [name, other] = [`s${n}`, names.get(spaceCode(`s${n}`))];
    if (other !== undefined) pair = [other, name];
    names.set(spaceCode(name), name);
  }
  for (const name of pair) await spaceNamed(name).put("/v1/pools/a", { cidr: "10.1.0.0/24" });
  const [one = "", two = ""] = pair;
  const made = await netbox("POST", "ipam/ip-addresses/", {
    body: { address: "10.1.0.7/24", vrf: { name: one } },
  });
  expect(made.status).toBe(201);
  const { status, body } = await netbox("DELETE", `ipam/ip-addresses/${made.body.id}/`);
  expect({ status, detail: body.detail }).toEqual({
    status: 400,
    detail: expect.stringContaining(`10.1.0.7 of ${two}`),
  });
  expect(body.detail).toContain(`10.1.0.7 of ${one}`);
});

describe("a caller with a token", () => {
  const as = (roles: string, request: object = {}) => {
    vi.stubEnv("ACCESS", "token");
    return { ...request, roles };
  };

  it("acts in the spaces of its roles, and sees their VRFs only", async () => {
    const { body } = await netbox("GET", "ipam/vrfs/", as("caller@blue reader@red"));
    expect(body.results.map(({ name }: { name: string }) => name).sort()).toEqual(["blue", "red"]);
    const all = await netbox("GET", "ipam/vrfs/", as("reader@*"));
    expect(all.body.count).toBeGreaterThanOrEqual(2);
  });

  it("needs the role of Plat's route", async () => {
    const reader = await netbox("POST", AVAILABLE, as("reader", { body: {} }));
    expect(reader).toMatchObject({ status: 403, body: { code: "forbidden", role: "caller" } });
    const foreign = await netbox("GET", "ipam/prefixes/", as("operator@blue"));
    expect(foreign.status).toBe(403);
    const caller = await netbox("POST", AVAILABLE, as("caller", { body: {} }));
    expect(caller.status).toBe(201);
    const address = caller.body.address.split("/")[0];
    vi.unstubAllEnvs();
    expect((await call("GET", `/v1/addresses/${address}`)).body.assignedBy).toBe("token:ci");
  });

  it("may name its own tenant by its slug or its id, when it assigns and when it changes", async () => {
    const own = { tenant: "Shop 7" };
    const { body: found } = await netbox("GET", "tenancy/tenants/", { query: { name: "Shop 7" } });
    const [{ id }] = found.results;
    for (const tenant of [{ slug: "shop-7" }, "shop-7", id, { name: "Shop 7" }]) {
      const made = await netbox("POST", AVAILABLE, {
        ...as("caller", { body: { tenant } }),
        ...own,
      });
      expect(made).toMatchObject({ status: 201, body: { tenant: { name: "Shop 7" } } });
    }
    const { body: free } = await netbox("POST", AVAILABLE, as("caller", { body: {} }));
    const change = as("caller", { body: { tenant: { slug: "shop-7" } } });
    const changed = await netbox("PATCH", `ipam/ip-addresses/${free.id}/`, { ...change, ...own });
    expect(changed).toMatchObject({ status: 200, body: { tenant: { name: "Shop 7" } } });
  });

  it("belongs to its tenant", async () => {
    const { body } = await netbox("POST", AVAILABLE, {
      ...as("caller", { body: {} }),
      tenant: "t3",
    });
    expect(body.tenant).toMatchObject({ name: "t3", slug: "t3" });
    const other = { body: { tenant: { name: "t4" } } };
    const refused = await netbox("POST", AVAILABLE, { ...as("caller", other), tenant: "t3" });
    const change = { ...as("caller", other), tenant: "t3" };
    const changed = await netbox("PATCH", `ipam/ip-addresses/${body.id}/`, change);
    for (const answer of [refused, changed]) {
      expect(answer).toMatchObject({
        ...{ status: 403, body: { code: "tenant_mismatch", fields: [{ field: "tenant" }] } },
      });
      expect(answer.body.detail).toMatch(/^tenant must be absent/);
    }
  });
});

it("has no answer of 500 to hostile requests", async () => {
  const values = [null, true, 1, -1, 1e308, "", "x", [], [null], {}, { id: -1 }, "10.1.0.300/24"];
  const names = ["address", "vrf", "tags", "custom_fields", "status", "prefix", "__proto__"];
  const bodies = [
    ...values,
    ...names.flatMap((name) => values.map((value) => ({ address: "10.1.0.9/24", [name]: value }))),
    ...["{", "\ud800", "x".repeat(2_000_000)],
    Array(257).fill({}),
  ];
  const LISTS = ["prefixes", "ip-addresses", "vrfs", "ip-ranges", "aggregates"];
  const ids = [0, LAN_ID, SEVEN, 2 ** 52 + 5, 2 ** 53 - 1];
  for (const body of bodies)
    for (const [method, path] of [
      ["POST", "ipam/ip-addresses/"],
      ["POST", AVAILABLE],
      ["PATCH", `ipam/ip-addresses/${SEVEN}/`],
      ["POST", "ipam/prefixes/"],
      ["PATCH", `ipam/prefixes/${LAN_ID}/`],
      ["POST", `ipam/prefixes/${LAN_ID}/available-prefixes/`],
    ] as const)
      expect((await netbox(method, path, { body })).status).toBeLessThan(500);
  for (const id of ids)
    for (const list of LISTS)
      expect((await netbox("GET", `ipam/${list}/${id}/`)).status).toBeLessThan(500);
  const filters = ["id", "address", "parent", "q", "family", "vrf_id", "vrf", "limit", "cursor"];
  for (const name of [...filters, "contains", "prefix", "cf___proto__", "__proto__"])
    for (const value of ["", "x", "-1", "10.0.0.1/99", "::/0", "\ud800", "9".repeat(30), "1.x"])
      for (const list of LISTS) {
        const { status } = await netbox("GET", `ipam/${list}/`, { query: { [name]: value } });
        expect(status).toBeLessThan(500);
      }
});

it("answers unknown paths and methods with what there is", async () => {
  expect(await netbox("GET", "dcim/devices/")).toMatchObject({ status: 404 });
  expect(await netbox("POST", "ipam/aggregates/", { body: {} })).toMatchObject({
    status: 405,
    headers: { allow: "GET", "content-type": "application/json" },
  });
  expect((await netbox("GET", "ipam/ip-addresses/9007199254740993/")).status).toBe(404);
});
