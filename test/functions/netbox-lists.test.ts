import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ThrottledError } from "../../src/base/outcome.ts";
import { netbox } from "./netbox.ts";
import { call, spaceNamed, table } from "./plat.ts";

/* A list of NetBox's dialect is done as a whole, or not at all. */

beforeAll(async () => {
  const none = { cooldownSeconds: 0 };
  await call("PUT", "/v1/config", { body: { indexedAttributes: ["description"] } });
  await call("PUT", "/v1/pools/lan", { body: { cidr: "10.1.0.0/28", ...none } });
  await call("PUT", "/v1/pools/small", { body: { cidr: "10.2.0.0/28" } });
  const prefixes = { assign: "prefixes", blockSize: 24 };
  await call("PUT", "/v1/pools/clusters", {
    body: { cidr: "10.128.0.0/16", ...prefixes, ...none },
  });
  await call("PUT", "/v1/pools/four", { body: { cidr: "10.132.0.0/22", ...prefixes } });
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  const { results } = (await netbox("GET", ADDRESSES)).body;
  for (const { id } of results) await netbox("DELETE", `${ADDRESSES}${id}/`);
});

const ADDRESSES = "ipam/ip-addresses/";
const PREFIXES = "ipam/prefixes/";

interface Named {
  readonly id: number;
}

const idOf = async (prefix: string): Promise<number> =>
  (await netbox("GET", PREFIXES, { query: { prefix } })).body.results[0].id;
const availableIn = async (prefix: string, of: "ips" | "prefixes" = "ips") =>
  `${PREFIXES}${await idOf(prefix)}/available-${of}/`;
const addressesOf = async (prefix: string): Promise<readonly string[]> =>
  (await netbox("GET", ADDRESSES, { query: { parent: prefix } })).body.results.map(
    ({ address }: { address: string }) => address,
  );
const prefixesIn = async (within: string): Promise<readonly string[]> =>
  (await netbox("GET", PREFIXES, { query: { within } })).body.results.map(
    ({ prefix }: { prefix: string }) => prefix,
  );
const many = (count: number, body: object = {}) => Array.from({ length: count }, () => body);
const poolNamed = async (name: string) => (await call("GET", `/v1/pools/${name}`)).body;

/** Lets the database refuse some writes, until the mocks are restored. */
function failWritesWhere(isRefused: (write: Parameters<typeof table.write>[0]) => boolean): void {
  const write = table.write.bind(table);
  vi.spyOn(table, "write").mockImplementation(async (each) => {
    if (isRefused(each)) throw new ThrottledError("too many writes");
    return write(each);
  });
}

/** Assigns addresses of the pool `lan`. */
const assigned = async (count: number): Promise<readonly Named[]> => {
  const path = await availableIn("10.1.0.0/28");
  return (await netbox("POST", path, { body: many(count, { description: "old" }) })).body;
};

describe("a list of deletes of which one is not possible", () => {
  it("leaves the pools before it as they are", async () => {
    await call("PUT", "/v1/pools/free", { body: { cidr: "10.3.0.0/24" } });
    await assigned(1);
    const body = [{ id: await idOf("10.3.0.0/24") }, { id: await idOf("10.1.0.0/28") }];
    const refused = await netbox("DELETE", PREFIXES, { body });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_in_use" } });
    expect(refused.body.detail).toMatch(/ This request changed nothing\.$/);
    expect(await poolNamed("free")).not.toHaveProperty("state");
  });

  it("leaves the assigned prefixes before it with their handles", async () => {
    const path = await availableIn("10.128.0.0/16", "prefixes");
    const { body: prefix } = await netbox("POST", path, { body: { prefix_length: 24 } });
    await assigned(1);
    const body = [{ id: prefix.id }, { id: await idOf("10.1.0.0/28") }];
    expect((await netbox("DELETE", PREFIXES, { body })).status).toBe(409);
    expect(await netbox("GET", `${PREFIXES}${prefix.id}/`)).toMatchObject({ status: 200 });
    await netbox("DELETE", `${PREFIXES}${prefix.id}/`);
  });

  it("does not begin to delete the pool of an assigned prefix, which ends after the request", async () => {
    const path = await availableIn("10.128.0.0/16", "prefixes");
    const { body: prefix } = await netbox("POST", path, { body: { prefix_length: 24 } });
    const child = `${PREFIXES}${prefix.id}/available-ips/`;
    const { body: address } = await netbox("POST", child, { body: {} });
    await netbox("DELETE", `${ADDRESSES}${address.id}/`);
    const refused = await netbox("DELETE", PREFIXES, { body: [{ id: prefix.id }] });
    expect(refused).toMatchObject({ status: 409, body: { code: "prefix_in_use" } });
    expect(refused.body.detail).toMatch(/delete it alone first/);
    const name = `netbox-${prefix.prefix.replaceAll(/[./]/g, "-")}`;
    expect(await poolNamed(name)).not.toHaveProperty("state");
  });

  it("leaves the addresses of a space before it, if the caller has no role in another space", async () => {
    await spaceNamed("blue").put("/v1/pools/lan", { cidr: "10.1.0.0/24" });
    const [here] = await assigned(1);
    const { results } = (await netbox("GET", "ipam/vrfs/")).body;
    const there = await netbox("POST", ADDRESSES, {
      body: { address: "10.1.0.9/24", vrf: results[0].id },
    });
    vi.stubEnv("ACCESS", "token");
    const refused = await netbox("DELETE", ADDRESSES, {
      roles: "caller reader@blue",
      body: [{ id: here?.id }, { id: there.body.id }],
    });
    expect(refused).toMatchObject({ status: 403, body: { code: "forbidden" } });
    vi.unstubAllEnvs();
    expect(await netbox("GET", `${ADDRESSES}${here?.id}/`)).toMatchObject({ status: 200 });
    await netbox("DELETE", `${ADDRESSES}${there.body.id}/`);
  });

  it("is a single delete too, of a network with several pools", async () => {
    for (const [name, range] of [
      ["one", "10.7.0.10-10.7.0.19"],
      ["two", "10.7.0.20-10.7.0.29"],
    ] as const)
      await call("PUT", `/v1/pools/${name}`, { body: { cidr: "10.7.0.0/24", ranges: [range] } });
    await netbox("POST", ADDRESSES, { body: { address: "10.7.0.20" } });
    const refused = await netbox("DELETE", `${PREFIXES}${await idOf("10.7.0.0/24")}/`);
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_in_use" } });
    expect(await poolNamed("one")).not.toHaveProperty("state");
  });
});

describe("a list of changes of which one is not possible", () => {
  it.each([
    ["a text that is too long", { description: "x".repeat(1_025) }],
    [
      "too many custom fields",
      { custom_fields: Object.fromEntries(many(50).map((_, n) => [`f${n}`, "x"])) },
    ],
  ])("leaves the addresses before it as they are: %s", async (_, change) => {
    const [one, two] = await assigned(2);
    const body = [
      { id: one?.id, description: "new" },
      { id: two?.id, ...change },
    ];
    expect((await netbox("PATCH", ADDRESSES, { body })).status).toBe(400);
    const read = await netbox("GET", `${ADDRESSES}${one?.id}/`);
    expect(read.body.description).toBe("old");
  });

  it("leaves the pools before it as they are", async () => {
    await call("PUT", "/v1/pools/going", { body: { cidr: "10.9.0.0/24" } });
    const going = await idOf("10.9.0.0/24");
    await netbox("DELETE", `${PREFIXES}${going}/`);
    const body = [
      { id: await idOf("10.1.0.0/28"), description: "new" },
      { id: going, description: "new" },
    ];
    const refused = await netbox("PATCH", PREFIXES, { body });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_deleting" } });
    expect(await poolNamed("lan")).not.toHaveProperty("description");
  });
});

describe("a list that another request overtakes", () => {
  it("tells which of its objects are done", async () => {
    const ids = (await assigned(3)).map(({ id }) => id);
    let changes = 0;
    failWritesWhere(({ step }) => step === "amend" && ++changes > 1);
    const body = ids.map((id) => ({ id, description: "new" }));
    const { status, body: problem } = await netbox("PATCH", ADDRESSES, { body });
    expect(status).toBe(429);
    expect(problem.detail).toMatch(
      / 1 object of this request changed before: written has the ids\.$/,
    );
    const { results } = (await netbox("GET", ADDRESSES, { query: { description: "new" } })).body;
    expect(problem.written.toSorted()).toEqual(results.map(({ id }: Named) => id).toSorted());
  });
});

describe("a list of objects that there is no room for", () => {
  it("takes no address, so that others get all of them", async () => {
    const path = await availableIn("10.2.0.0/28");
    const refused = await netbox("POST", path, { body: many(17) });
    expect(refused).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
    expect((await netbox("POST", path, { body: many(16) })).status).toBe(201);
  });

  it("takes no prefix, so that others get all of them", async () => {
    const path = await availableIn("10.132.0.0/22", "prefixes");
    for (const more of [{}, { headers: { "idempotency-key": "five" } }]) {
      const refused = await netbox("POST", path, { body: many(5, { prefix_length: 24 }), ...more });
      expect(refused).toMatchObject({ status: 409, body: { code: "pool_exhausted" } });
      expect(refused.body.detail).toMatch(/[^.]+\. This request changed nothing\.$/);
      expect(refused.body.detail).not.toMatch(/so far|keeps/);
    }
    const { status, body } = await netbox("POST", path, { body: many(4, { prefix_length: 24 }) });
    expect(status).toBe(201);
    await netbox("DELETE", PREFIXES, { body: body.map(({ id }: Named) => ({ id })) });
  });

  it("says when there is room, if all addresses cool", async () => {
    const path = await availableIn("10.2.0.0/28");
    const alone = (await netbox("POST", path, { body: {} })).body;
    const listed = (await netbox("POST", path, { body: many(2) })).body;
    for (const body of [alone, listed])
      expect(body).toMatchObject({
        ...{ code: "pool_exhausted", retryable: true, availableAt: expect.any(String) },
        retryAfterSeconds: expect.any(Number),
      });
    expect(listed.availableAt).toBe(alone.availableAt);
  });

  it("makes no pool of an assigned prefix", async () => {
    const path = await availableIn("10.128.0.0/16", "prefixes");
    const { body: prefix } = await netbox("POST", path, { body: { prefix_length: 24 } });
    const child = `${PREFIXES}${prefix.id}/available-ips/`;
    expect((await netbox("POST", child, { body: many(256) })).status).toBe(409);
    expect((await netbox("DELETE", `${PREFIXES}${prefix.id}/`)).status).toBe(204);
  });
});

describe("a list of prefixes that fails after its dry run", () => {
  /** The attributes of a dozen such prefixes are more than a page of Plat has. */
  const attributes = Object.fromEntries(
    Array.from({ length: 45 }, (_, n) => [`a${n}`, "x".repeat(1_000)]),
  );
  const prefixesOf = async (handle: string): Promise<readonly string[]> =>
    (await call("GET", "/v1/prefixes", { query: { handle, limit: "1024" } })).body.prefixes.map(
      ({ cidr }: { cidr: string }) => cidr,
    );
  let handles = 0;
  /** Gives a handle many prefixes, until one has that of a NetBox client beyond its first page. */
  const handleOfPages = async (path: string): Promise<{ handle: string; cidr: string }> => {
    const handle = `region-${handles++}`;
    const body = { prefix_length: 24, custom_fields: { handle } };
    const { prefix: cidr } = (await netbox("POST", path, { body })).body;
    for (let n = 0; n < 20; n++)
      await call("POST", "/v1/prefixes", {
        body: { handle, family: 4, prefixLength: 24, pools: ["region"], attributes },
      });
    const first = await prefixesOf(handle);
    return first.includes(cidr) ? handleOfPages(path) : { handle, cidr };
  };

  it("leaves a handle the prefix that it had before, on whatever page that is", async () => {
    const pool = { cidr: "10.64.0.0/14", assign: "prefixes", blockSize: 24, cooldownSeconds: 0 };
    await call("PUT", "/v1/pools/region", { body: pool });
    const path = await availableIn("10.64.0.0/14", "prefixes");
    const { handle, cidr } = await handleOfPages(path);
    const before = new Set(table.partitions.keys());
    failWritesWhere(({ key: { pk } }) => pk.startsWith("HANDLE#") && !before.has(pk));
    const one = { prefix_length: 24 };
    const body = [{ ...one, custom_fields: { handle } }, one];
    expect(await netbox("POST", path, { body })).toMatchObject({ status: 429 });
    vi.restoreAllMocks();
    const read = await call("GET", "/v1/prefixes", { query: { cidr } });
    expect(read.body).toMatchObject({ prefixes: [{ cidr, handle }] });
  });
});

describe("a list under an Idempotency-Key", () => {
  const headers = { "idempotency-key": "k".repeat(255) };

  it("gets the same addresses again", async () => {
    const path = await availableIn("10.1.0.0/28");
    const request = { headers, body: [{ description: "a" }, { description: "b" }] };
    const [one, two] = [await netbox("POST", path, request), await netbox("POST", path, request)];
    expect(one.status).toBe(201);
    expect(two.body.map(({ address }: { address: string }) => address)).toEqual(
      one.body.map(({ address }: { address: string }) => address),
    );
    expect(await addressesOf("10.1.0.0/28")).toHaveLength(2);
  });

  it("gets the same prefixes again", async () => {
    const path = await availableIn("10.128.0.0/16", "prefixes");
    const request = { headers, body: many(2, { prefix_length: 24 }) };
    const before = await prefixesIn("10.128.0.0/16");
    const [one, two] = [await netbox("POST", path, request), await netbox("POST", path, request)];
    expect(two.body).toEqual(one.body);
    expect(await prefixesIn("10.128.0.0/16")).toHaveLength(before.length + 2);
    await netbox("DELETE", PREFIXES, { body: one.body.map(({ id }: Named) => ({ id })) });
  });

  it("keeps what it has if it is sent with another body", async () => {
    const path = await availableIn("10.1.0.0/28");
    const keyed = { "idempotency-key": "other" };
    const body = [{ description: "a" }, { description: "b" }];
    const made = await netbox("POST", path, { headers: keyed, body });
    expect(made.status).toBe(201);
    const changed = [{ description: "a" }, { description: "c" }];
    const refused = await netbox("POST", path, { headers: keyed, body: changed });
    expect(refused).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    expect(await addressesOf("10.1.0.0/28")).toHaveLength(2);
  });

  it("keeps what it got if the rest fails, and gets the rest by a repeat", async () => {
    const path = await availableIn("10.128.0.0/16", "prefixes");
    const keyed = { headers: { "idempotency-key": "rest" }, body: many(2, { prefix_length: 24 }) };
    const before = await prefixesIn("10.128.0.0/16");
    const handles = new Set<string>();
    failWritesWhere(
      ({ key: { pk } }) =>
        pk.startsWith("HANDLE#") && handles.add(pk).size > 1 && pk !== [...handles][0],
    );
    const { status: failed, body: problem } = await netbox("POST", path, keyed);
    expect(failed).toBe(429);
    expect(problem.detail).toMatch(
      / This request has 1 of its 2 prefixes so far\. Send it again under/,
    );
    vi.restoreAllMocks();
    const { status, body } = await netbox("POST", path, keyed);
    expect(status).toBe(201);
    expect(await prefixesIn("10.128.0.0/16")).toHaveLength(before.length + 2);
    await netbox("DELETE", PREFIXES, { body: body.map(({ id }: Named) => ({ id })) });
  });

  it("is rejected for a key that Plat's own routes reject", async () => {
    const path = await availableIn("10.1.0.0/28");
    for (const body of [many(2), {}]) {
      const keyless = { headers: { "idempotency-key": "a,b" }, body };
      const refused = await netbox("POST", path, keyless);
      expect(refused.body.fields[0].field).toBe("Idempotency-Key");
    }
  });
});
