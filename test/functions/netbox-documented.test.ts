import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { LISTS, OPERATIONS } from "../../src/netbox/dialect.ts";
import { netbox } from "./netbox.ts";
import { call } from "./plat.ts";

/* The tables of docs/netbox.md are those of the code, and each row of its differences is seen to be true. */

const PAGE = readFileSync(new URL("../../docs/netbox.md", import.meta.url), "utf8");

/** Returns the cells of the rows of a table, by its header. */
function rowsOf(header: string): readonly (readonly string[])[] {
  const [, after = ""] = PAGE.split(`${header}\n`);
  const [table = ""] = after.split("\n\n");
  return table
    .split("\n")
    .slice(1)
    .map((row) => row.slice(2, -2).split(" | "));
}

const codesIn = (text = ""): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

it("names the paths and the methods that the dialect serves", () => {
  const documented = rowsOf("| Path | Methods | In Plat |").flatMap(([paths, methods]) =>
    codesIn(paths).flatMap((path) => codesIn(methods).map((method) => `${method} ${path}`)),
  );
  const served = Object.keys(OPERATIONS).map((key) => {
    const [method, path] = key.split(" ");
    return `${method} ${path === "" ? "/api/" : `/api/${path}/`}`;
  });
  expect([...documented].sort()).toEqual(served.sort());
});

it.each([
  ["prefixes", "ipam/prefixes"],
  ["IP addresses", "ipam/ip-addresses"],
  ["IP ranges", "ipam/ip-ranges"],
  ["aggregates", "ipam/aggregates"],
  ["VRFs", "ipam/vrfs"],
  ["tags and tenants", "extras/tags"],
])("names the filters of %s", (list, path) => {
  const [, filters] = rowsOf("| List | Filters |").find(([name]) => name === list) ?? [];
  const of = (LISTS[path]?.filters ?? []).filter(
    (name) => !name.includes("__") && !["limit", "offset", "ordering"].includes(name),
  );
  const documented = codesIn(filters).filter((name) => name !== "cf_NAME");
  expect([...documented].sort()).toEqual([...of].sort());
});

const PREFIXES = "ipam/prefixes/";
const ADDRESSES = "ipam/ip-addresses/";

const idOf = async (prefix: string): Promise<number> =>
  (await netbox("GET", PREFIXES, { query: { prefix } })).body.results[0].id;
const free = async (prefix: string) => `${PREFIXES}${await idOf(prefix)}/available-ips/`;
const post = (path: string, body: unknown) => netbox("POST", path, { body });
const remove = (path: string, { id }: { id: number }) => netbox("DELETE", `${path}${id}/`);
const take = (address: string) => post(ADDRESSES, { address });

beforeAll(async () => {
  await call("PUT", "/v1/pools/lan", { body: { cidr: "10.1.0.0/16", cooldownSeconds: 600 } });
  await call("PUT", "/v1/pools/tiny", { body: { cidr: "10.9.0.0/30", blockSize: 30 } });
  const clusters = { cidr: "10.128.0.0/16", assign: "prefixes", blockSize: 24 };
  await call("PUT", "/v1/pools/clusters", { body: clusters });
});

/** What shows that each difference is as the page says, by what NetBox does. */
const SHOWN: Readonly<Record<string, () => Promise<void>>> = {
  "assigns the lowest free address": async () => {
    const path = await free("10.1.0.0/16");
    const lowest = (await netbox("GET", path, { query: { limit: "3" } })).body;
    const { body } = await post(path, [{}, {}, {}]);
    const addressesOf = (items: readonly { address: string }[]) =>
      items.map(({ address }) => address).sort();
    expect(addressesOf(body)).not.toEqual(addressesOf(lowest));
  },
  "ids are numbers in a row": async () => {
    const one = (await take("10.1.7.1/16")).body;
    const two = (await take("10.1.7.3/16")).body;
    expect(two.id - one.id).toBe(2);
  },
  "a prefix can have any prefix length": async () => {
    const path = `${PREFIXES}${await idOf("10.128.0.0/16")}/available-prefixes/`;
    expect((await post(path, { prefix_length: 25 })).status).toBe(409);
  },
  "a prefix can be changed": async () => {
    const path = `${PREFIXES}${await idOf("10.1.0.0/16")}/`;
    const patch = (body: unknown) => netbox("PATCH", path, { body });
    expect((await patch({ description: "lan" })).body.description).toBe("lan");
    expect((await patch({ prefix: "10.2.0.0/16" })).status).toBe(400);
    await take("10.1.8.1/16");
    expect((await netbox("DELETE", path)).status).toBe(409);
  },
  "a prefix can overlap others": async () => {
    for (const prefix of ["10.1.4.0/24", "10.0.0.0/14"])
      expect(await post(PREFIXES, { prefix })).toMatchObject({
        ...{ status: 409, body: { code: "pool_overlap" } },
      });
  },
  "a container has child prefixes and their children": async () => {
    const child = (await post(PREFIXES, { prefix: "10.128.7.0/24" })).body;
    expect((await post(PREFIXES, { prefix: "10.128.8.0/25" })).status).toBeGreaterThanOrEqual(400);
    const inner = `${PREFIXES}${child.id}/available-prefixes/`;
    expect((await post(inner, { prefix_length: 25 })).status).toBe(400);
  },
  "tags, tenants and VRFs are created": async () => {
    for (const path of ["extras/tags/", "tenancy/tenants/", "ipam/vrfs/"])
      expect((await post(path, { name: "x", slug: "x" })).status).toBe(400);
  },
  "a tag has a name, a slug and a colour": async () => {
    const { body } = await netbox("GET", "extras/tags/", { query: { name: "The Web" } });
    expect(body.results).toMatchObject([{ name: "the-web", slug: "the-web" }]);
  },
  "an id of a tag or a tenant can be sent": async () => {
    for (const [slug, status] of [
      ["ten-digits", 201],
      ["more-than-ten", 400],
    ] as const) {
      const { body } = await netbox("GET", "extras/tags/", { query: { slug } });
      const path = await free("10.1.0.0/16");
      expect((await post(path, { tags: [body.results[0].id] })).status).toBe(status);
    }
  },
  "any address can be created": async () => {
    for (const address of ["10.200.0.1/16", "10.1.9.1/24"])
      expect((await take(address)).status).toBe(400);
  },
  "a deleted address is free at once": async () => {
    const { body } = await take("10.1.10.1/16");
    await remove(ADDRESSES, body);
    expect(await take("10.1.10.1/16")).toMatchObject({
      ...{ status: 409, body: { code: "address_cooling" } },
    });
  },
  "a list of objects is one transaction": async () => {
    expect((await post(await free("10.9.0.0/30"), Array(5).fill({}))).status).toBe(409);
    const { body } = await netbox("GET", ADDRESSES, { query: { parent: "10.9.0.0/30" } });
    expect(body.count).toBe(0);
  },
  "errors name fields at the top": async () => {
    const { headers, body } = await take("10.1.0.7/24");
    expect(headers["content-type"]).toBe("application/json");
    expect(body).toMatchObject({ code: "invalid_request", fields: [{ field: "address" }] });
    expect(body.detail).toContain("10.1.0.7");
  },
  "no room is 409, a duplicate 400": async () => {
    await take("10.1.11.1/16");
    expect((await take("10.1.11.1/16")).status).toBe(400);
    expect((await post(PREFIXES, { prefix: "10.1.0.0/16" })).status).toBe(400);
    expect((await post(await free("10.9.0.0/30"), Array(5).fill({}))).status).toBe(409);
  },
};

describe("a difference", () => {
  const [, section = ""] = PAGE.split("## Differences\n\n");
  const rows = section
    .split("\n\n")[0]
    ?.split("\n")
    .slice(2)
    .map((row) => row.slice(2).split(" | ")[0] ?? "");

  it.each(rows ?? [])("is true: NetBox says that %s", async (row) => {
    expect(Object.keys(SHOWN)).toContain(row);
    await SHOWN[row]?.();
  });

  it("has a row on the page for each that is shown here", () => {
    expect([...(rows ?? [])].sort()).toEqual(Object.keys(SHOWN).sort());
  });
});
