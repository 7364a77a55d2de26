import { beforeAll, expect, it } from "vitest";
import { netbox } from "./netbox.ts";
import { call, spaceNamed } from "./plat.ts";

/** The rows of each list: more than two pages have. */
const ROWS = 250;
const LIMIT = 100;
/** Some resources of a space are fewer. */
const FEW = 150;
const MINUTES_MS = 600_000;

const numbers = (count: number) => [...Array(count).keys()];

/** Sends a request for each row. */
async function each(count: number, request: (n: number) => readonly [string, string, object]) {
  for (const n of numbers(count)) {
    const [method, path, body] = request(n);
    const { status, body: answer } = await call(method, path, { body });
    if (status >= 300) expect(answer).toBe(`done: ${method} ${path}`);
  }
}

beforeAll(async () => {
  const blockSize = 28;
  // Empty pools come before those with rows, by name.
  await each(ROWS, (n) => [
    "PUT",
    `/v1/pools/a-${n}`,
    { cidr: `10.4.${n}.0/24`, blockSize, ranges: [`10.4.${n}.0/28`], tags: [`tag-${n}`] },
  ]);
  await call("PUT", "/v1/pools/m", { body: { cidr: "10.0.0.0/16", blockSize } });
  await call("PUT", "/v1/pools/p", {
    body: { cidr: "10.1.0.0/16", blockSize: 26, assign: "prefixes" },
  });
  await call("PUT", "/v1/pools/r", {
    body: { cidr: "10.2.0.0/16", blockSize, ranges: ["10.2.0.0/16"] },
  });
  const attributes = { owner: "ops" };
  await each(ROWS, (n) => [
    "POST",
    "/v1/assign",
    { host: `h-${n}`, ipv4: 1, pools: ["m"], handle: `one-${n}`, attributes },
  ]);
  await each(ROWS, () => [
    "POST",
    "/v1/assign",
    { host: "h", ipv4: 1, pools: ["m"], handle: "many" },
  ]);
  await each(ROWS, (n) => ["POST", "/v1/prefixes", { handle: `p-${n}`, family: 4 }]);
  await each(ROWS, (n) => ["PUT", `/v1/nodes/n-${n}`, { labels: {} }]);
  await each(ROWS, (n) => ["PUT", `/v1/namespaces/n-${n}`, { labels: {} }]);
  await each(FEW, (n) => ["PUT", `/v1/quotas/q-${n}`, { addresses: 9_000 }]);
  await each(FEW, (n) => ["PUT", `/v1/reservations/r-${n}`, { cidrs: [`10.3.${n}.0/24`] }]);
  await each(ROWS, (n) => [
    "PUT",
    `/v1/applications/shop/Deployment/a-${n}`,
    { replicas: 1, addresses: { number: "1", pools: ["r"] } },
  ]);
  for (const n of numbers(ROWS))
    await call("POST", `/v1/pools/a-${n}/drain`, { headers: { "if-match": "*" } });
  for (const n of numbers(ROWS))
    await spaceNamed(`s-${n}`).put("/v1/pools/m", { cidr: "10.0.0.0/24" });
}, MINUTES_MS);

/** Returns how many rows each page of a list has, to its end. */
async function sizesOf(path: string, query: Readonly<Record<string, string>>) {
  const sizes: number[] = [];
  let next: string | undefined;
  do {
    const { status, body } = await call("GET", path, {
      query: { ...query, ...(next && { cursor: next }) },
    });
    expect(status).toBe(200);
    const [rows = []] = Object.values<unknown>(body).filter((value) => Array.isArray(value));
    sizes.push(rows.length);
    next = body.next;
  } while (next);
  return sizes;
}

/** Checks that there are so many rows at least, and that each page is full, but for the last one with rows and what comes behind it. */
function expectWhole(path: string, sizes: readonly number[], limit: number, rows: number) {
  const last = sizes.findLastIndex((size) => size > 0);
  const full = sizes.slice(0, last);
  expect([path, full]).toEqual([path, full.map(() => limit)]);
  expect(full.length * limit + (sizes[last] ?? 0)).toBeGreaterThanOrEqual(rows);
}

it.each<[path: string, query: Readonly<Record<string, string>>, rows: number]>([
  ["/v1/addresses", {}, ROWS],
  ["/v1/addresses", { pool: "m" }, ROWS],
  ["/v1/addresses", { handle: "many" }, ROWS],
  ["/v1/addresses", { host: "h" }, ROWS],
  ["/v1/addresses", { state: "assigned", "attribute.owner": "ops" }, ROWS],
  ["/v1/handles", { prefix: "one-" }, ROWS],
  ["/v1/handles/many", {}, ROWS],
  ["/v1/hosts", {}, ROWS],
  ["/v1/blocks", { pool: "m" }, ROWS],
  ["/v1/affinities", {}, ROWS],
  ["/v1/pools", {}, ROWS],
  ["/v1/jobs", {}, ROWS],
  ["/v1/reservations", {}, FEW],
  ["/v1/quotas", {}, FEW],
  ["/v1/nodes", {}, ROWS],
  ["/v1/namespaces", {}, ROWS],
  ["/v1/spaces", {}, ROWS],
])("the pages of %s with %j are full up to the last one", async (path, query, rows) => {
  expectWhole(path, await sizesOf(path, { limit: `${LIMIT}`, ...query }), LIMIT, rows);
});

it("the pages of /v1/utilization over empty pools are full", async () => {
  const [first, second] = await sizesOf("/v1/utilization", { limit: `${LIMIT}` });
  expect([first, second]).toEqual([LIMIT, LIMIT]);
});

it("the pages of /v1/applications have as many rows as their maximum", async () => {
  const path = "/v1/applications";
  expectWhole(path, await sizesOf(path, { limit: "25" }), 25, ROWS);
});

it.each(["ip-addresses", "prefixes", "ip-ranges", "vrfs"])(
  "the pages of %s in NetBox's dialect are full up to the last one",
  async (list) => {
    const sizes: number[] = [];
    for (let offset = 0, isLast = false; !isLast; offset += LIMIT) {
      const query = { limit: `${LIMIT}`, offset: `${offset}` };
      const { status, body } = await netbox("GET", `ipam/${list}/`, { query });
      expect(status).toBe(200);
      sizes.push(body.results.length);
      isLast = !body.next;
    }
    expectWhole(list, sizes, LIMIT, ROWS);
  },
);
