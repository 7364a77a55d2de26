import { beforeEach, describe, expect, it } from "vitest";
import * as keys from "../../src/table/key.ts";
import { blockWith, network } from "../builders.ts";
import { call, context, pagesOf, scheduledRun, spaceWithPool, table } from "./plat.ts";

type Plat = Awaited<ReturnType<typeof spaceWithPool>>;

/** Searches the whole table, and returns what was found, with the number of pages. */
async function search() {
  const get = (path: string, query = {}) => call("GET", path, { query });
  const pages = await pagesOf({ get }, "/v1/orphans");
  expect(pages.map(({ body }) => body.complete)).toEqual(pages.map((_, n) => !pages[n + 1]));
  const orphans: { space: string; cidr: string }[] = pages.flatMap(({ body }) => body.orphans);
  const unreadable: { space: string; item: string }[] = pages.flatMap(
    ({ body }) => body.unreadable ?? [],
  );
  return { orphans, unreadable, pages: pages.length };
}

/** Leaves blocks of a pool that is gone in a space. */
async function leave({ space }: Plat, ...cidrs: readonly string[]): Promise<void> {
  for (const cidr of cidrs)
    await context.store.createBlock(
      blockWith({}, { space, cidr: network(cidr), pool: "gone", poolId: "gone" }),
    );
}

const tellOf = ({ space, cidr }: { space: string; cidr: string }) => `${space} ${cidr}`;

beforeEach(() => table.partitions.clear());

describe("a search for orphans", () => {
  it("returns the blocks of no pool, of both families and of every space", async () => {
    const [one, two] = [await spaceWithPool(), await spaceWithPool()];
    const cidrs = ["192.168.7.0/28", "2001:db8:7::40/122"];
    for (const plat of [one, two]) {
      await plat.assign({ host: "n1", ipv4: 1 });
      await leave(plat, ...cidrs);
    }
    const { orphans, unreadable } = await search();
    expect(orphans.map(tellOf).toSorted()).toEqual(
      [one, two].flatMap(({ space }) => cidrs.map((cidr) => tellOf({ space, cidr }))).toSorted(),
    );
    expect(orphans[0]).toMatchObject({ pool: "gone", host: "node-1", inUse: 0 });
    expect(unreadable).toEqual([]);
  });

  it("returns a block whose group the index of its pool does not name", async () => {
    const plat = await spaceWithPool();
    const { body } = await plat.assign({ host: "n1", ipv4: 1 });
    const { space } = plat;
    for (const pk of table.partitions.keys())
      if (pk.startsWith(`GROUPINDEX#${space}#`)) table.partitions.delete(pk);
    const [{ block }] = body.addresses;
    expect((await search()).orphans.map(tellOf)).toEqual([tellOf({ space, cidr: block })]);
    await scheduledRun("repair")();
    table.partitions.clear();
  });

  it("ends a page by time, and continues with a cursor once repair has run", async () => {
    const plat = await spaceWithPool();
    const { scan } = table;
    table.scan = (_, options) => scan.call(table, 1, options);
    try {
      for (let n = 0; n < 40; n++) await plat.put(`/v1/namespaces/n${n}`, { labels: {} });
      const { status, body } = await call("GET", "/v1/orphans");
      expect({ status, code: body.code, retryable: body.retryable }).toEqual({
        ...{ status: 503, code: "unavailable", retryable: true },
      });
      expect(body.detail).toContain("the next run of repair");
      table.scan = scan;
      await scheduledRun("repair")();
      await leave(plat, "192.168.9.0/28");
      table.scan = (_, options) => scan.call(table, 1, options);
      const { orphans, pages } = await search();
      expect(orphans.map(({ cidr }) => cidr)).toEqual(["192.168.9.0/28"]);
      expect(pages).toBeGreaterThan(1);
    } finally {
      table.scan = scan;
    }
  });

  it("keeps its key, so that a cursor stays valid over later runs of repair", async () => {
    await scheduledRun("repair")();
    const key = await context.store.readCursorKey();
    expect(key).toHaveLength(43);
    await scheduledRun("repair")();
    expect(await context.store.readCursorKey()).toBe(key);
  });

  it("goes on past what cannot be read, and names it with its space", async () => {
    const [plat, other] = [await spaceWithPool(), await spaceWithPool()];
    await leave(plat, "192.168.7.0/28");
    await leave(other, "192.168.8.0/28");
    const block = keys.blockKey(plat.space, network("10.0.0.0/28"));
    const pool = keys.poolKey(other.space, "broken");
    for (const key of [block, pool])
      await table.write({ step: "test", key, when: [], change: { kind: "put", item: { ...key } } });
    const { orphans, unreadable } = await search();
    table.partitions.clear();
    expect(orphans.map(tellOf)).toEqual([`${plat.space} 192.168.7.0/28`]);
    expect(unreadable.toSorted((a, b) => (a.item < b.item ? -1 : 1))).toEqual([
      { space: plat.space, item: "block 10.0.0.0", reason: expect.any(String) },
      { space: other.space, item: "block 192.168.8.0/28", reason: expect.any(String) },
    ]);
  });
});
