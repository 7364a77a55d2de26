import { describe, expect, it } from "vitest";
import { fromJson, toJson } from "../../src/api/schema/json-values.ts";
import { PAGE_MS_MAX } from "../../src/base/limits.ts";
import { type Contents, joinedContents } from "../../src/invariants/contents.ts";
import type { HttpReply } from "../../src/local/client.ts";
import { contentsOf } from "../../src/store/contents.ts";
import type { Item, Key } from "../../src/table/item.ts";
import * as keys from "../../src/table/key.ts";
import { context, newSpace, pagesOf, spaceWithPool, startAnew, table } from "./plat.ts";

/** The maximum size of an answer: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html. */
const LAMBDA_BYTES_MAX = 6_291_556;

type Space = ReturnType<typeof newSpace>;

const contentsIn = ({ body }: HttpReply) => fromJson(body.contents) as Contents;

/** Reads all pages of the contents of a space, and returns them with the bytes of each answer as Lambda sends it. */
async function readAll(plat: Space): Promise<{ contents: Contents; bytes: number[] }> {
  const pages = await pagesOf(plat, "/v1/contents");
  return {
    contents: joinedContents(pages.map(contentsIn)),
    bytes: pages.map(({ body }) =>
      Buffer.byteLength(JSON.stringify({ body: JSON.stringify(body) })),
    ),
  };
}

/** Returns what a table has of a space. */
function ofSpace(contents: Contents, space: string): Contents {
  const spaceOf = (item: object) =>
    (item as { space?: string }).space ?? (item as { place?: { space: string } }).place?.space;
  const kinds = Object.entries(contents).map(([kind, items]) => [
    kind,
    items.filter((item: object) => spaceOf(item) === space),
  ]);
  return { ...joinedContents([]), ...Object.fromEntries(kinds), walks: contents.walks };
}

/** Returns contents in an order that does not depend on that of the reads. */
const inOrder = (contents: Contents) =>
  Object.entries(contents).map(([kind, items]) => [
    kind,
    items.map((item: object) => JSON.stringify(toJson(item))).toSorted(),
  ]);

const put = (item: Item) => table.write(writeOf(item));
const writeOf = (item: Item) => ({
  step: "test",
  key: { pk: item.pk, sk: item.sk },
  when: [],
  change: { kind: "put" as const, item },
});

describe("the contents of a space", () => {
  it("are all its items as the table has them, and none of another's", async () => {
    const plat = await spaceWithPool({ nodeSelector: 'zone == "west"', disabled: false });
    const other = await spaceWithPool();
    for (const { assign, put } of [plat, other]) {
      await put("/v1/nodes/n1", { labels: { zone: "west" } });
      await put("/v1/namespaces/shop", { labels: {} });
      await put("/v1/reservations/r", { cidrs: ["10.0.0.0/30"] });
      await assign({
        host: "n1",
        ipv4: 20,
        handle: "h",
        attributes: { pod: "p", $map: "x" },
        limitPerHandle: 20,
      });
    }
    const { contents } = await readAll(plat);
    const { items } = await table.scan(table.items().length);
    expect(inOrder(contents)).toEqual(inOrder(ofSpace(contentsOf(items), plat.space)));
    const kinds = Object.entries(contents).filter(([, items]) => items.length > 0);
    expect(kinds.map(([kind]) => kind)).toEqual(
      expect.arrayContaining([
        "blocks",
        "affinities",
        "quotaSlots",
        "allocations",
        "pools",
        "reservations",
      ]),
    );
    expect(contents.blocks.every(({ space }) => space === plat.space)).toBe(true);
  });

  it("are read without a scan, at a price that does not depend on other spaces", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/nodes/n1", { labels: {} });
    await plat.assign({ host: "n1", ipv4: 5, handle: "h" });
    const readsOf = async () => {
      const calls: string[] = [];
      const { get, query, scan } = table;
      for (const [name, read] of Object.entries({ get, query, scan }))
        Object.assign(table, {
          [name]: (...args: never[]) => {
            calls.push(name);
            return (read as (...args: never[]) => unknown).apply(table, args);
          },
        });
      await readAll(plat);
      Object.assign(table, { get, query, scan });
      return calls.toSorted();
    };
    const alone = await readsOf();
    const other = await spaceWithPool();
    for (let n = 0; n < 100; n++) await other.put(`/v1/namespaces/n${n}`, { labels: {} });
    await other.assign({ host: "n1", ipv4: 200, handle: "h" });
    const beside = await readsOf();
    expect(alone).not.toContain("scan");
    expect(beside).toEqual(alone);
  });

  it("have an item once, although several blocks on several pages lead to it", async () => {
    const plat = await spaceWithPool();
    await plat.put("/v1/nodes/n1", { labels: {} });
    await plat.assign({ host: "n1", ipv4: 200, handle: "h" });
    let pages: Contents[] = [];
    // Each page ends after one look.
    startAnew({
      now: (() => {
        let ms = Date.now();
        return () => (ms += PAGE_MS_MAX + 1);
      })(),
    });
    try {
      pages = (await pagesOf(plat, "/v1/contents")).map(contentsIn);
    } finally {
      startAnew({ now: Date.now });
    }
    const sent = pages.flatMap(({ affinities }) => affinities);
    const { affinities, allocations, blocks, nodes } = joinedContents(pages);
    expect(blocks).toHaveLength(13);
    expect(affinities).toHaveLength(13);
    expect(sent.length).toBeGreaterThan(13);
    expect([allocations.length, nodes.length]).toEqual([1, 1]);
  });

  it("name no other space in what they tell of the walks of repair", async () => {
    const [plat, other] = [await spaceWithPool(), await spaceWithPool()];
    const indexedBut = { fromMs: 1, spaces: [plat.space, other.space] };
    await context.store.writeProgress(3, { indexedBut });
    const { contents } = await readAll(plat);
    table.partitions.delete("SWEEP");
    expect(contents.walks).toEqual([{ shard: 3, indexedBut: { fromMs: 1, spaces: [plat.space] } }]);
  });

  it("come in pages that a function can answer, however large its items are", async () => {
    const plat = newSpace();
    // This is the worst case: an item of the maximum size, of characters that JSON writes in six bytes each.
    const large = "\u0001".repeat(400_000);
    for (let n = 0; n < 3; n++)
      await put({ ...keys.nodeEntryKey(plat.space, `n${n}`), id: large, at: 1, f: 1 } as Item);
    const { contents, bytes } = await readAll(plat);
    for (const { pk, sk } of table.items().filter(({ id }) => id === large))
      table.partitions.get(pk)?.delete(sk);
    expect(contents.nodeEntries.map(({ name }) => name).sort()).toEqual(["n0", "n1", "n2"]);
    expect(Math.max(...bytes)).toBeLessThan(LAMBDA_BYTES_MAX);
    expect(bytes.length).toBeGreaterThan(1);
  });
});

describe("an item of a space that cannot be read", () => {
  const block = { family: 4, base: 0x0a000000n, prefix: 28 } as const;

  /** Returns a space with an item of each kind to which something leads. */
  async function spaceWithAll() {
    const plat = await spaceWithPool();
    await plat.put("/v1/config", { indexedAttributes: ["pod"] });
    await plat.put("/v1/quotas/all", { addresses: 100 });
    await plat.put("/v1/reservations/r", { cidrs: ["10.0.0.128/30"] });
    await plat.put("/v1/nodes/n1", { labels: {} });
    await plat.put("/v1/namespaces/shop", { labels: {} });
    await plat.put("/v1/applications/shop/Deployment/web", { replicas: 1 });
    await plat.put("/v1/pools/gone", { cidr: "10.1.0.0/24" });
    await plat.delete("/v1/pools/gone", { "if-match": "*" });
    const asked = { host: "n1", handle: "h", limitPerHandle: 2, attributes: { pod: "p" } };
    await plat.assign({ ...asked, address: "10.0.0.1" });
    await plat.assign({ host: "n2", address: "10.0.0.2", handle: "far" });
    return plat;
  }

  const EACH: readonly (readonly [string, (space: string) => Key])[] = [
    ["its configuration", (space) => keys.configKey(space)],
    ["a pool", (space) => keys.poolKey(space, "broken")],
    ["a reservation", (space) => keys.reservationKey(space, "broken")],
    ["a quota", (space) => keys.quotaKey(space, "broken")],
    ["its version", (space) => keys.versionKey(space)],
    ["its entry in the register of spaces", (space) => keys.spaceKey(space)],
    ["its address plan", (space) => keys.planKey(space)],
    ["a hint that a pool is full", (space) => keys.fullPoolKey(space, "broken")],
    ["the usage of a pool", (space) => keys.poolUsageKey(space, "broken")],
    ["a job", (space) => keys.jobKey(space, "broken")],
    ["a namespace", (space) => keys.namespaceKey(space, "broken")],
    [
      "an application",
      (space) => keys.applicationKey(space, { namespace: "a", kind: "Deployment", name: "b" }),
    ],
    ["an entry of the register of nodes", (space) => keys.nodeEntryKey(space, "broken")],
    ["the report of a node", (space) => keys.reportKey(space, "n1")],
    ["the requests of a quota", (space) => keys.requestRateKey(space, "all")],
    [
      "a block of a group that has blocks",
      (space) => keys.blockKey(space, { ...block, base: block.base + 64n }),
    ],
    ["a host's affinity", (space) => keys.affinityKey(space, "host:n1", 4, 7)],
    ["a borrowed block", (space) => keys.borrowedBlockKey(space, "host:n2", block)],
    ["a node", (space) => keys.nodeKey(space, "n2")],
    ["a quota slot", (space) => keys.quotaSlotKey(space, "h", 4, 1)],
  ];

  it.each(EACH)(
    "is named by its key, with the reason, in its own space only: %s",
    async (_, keyIn) => {
      const [plat, other] = [await spaceWithAll(), await spaceWithAll()];
      const key = keyIn(plat.space);
      const { pk, sk } = key;
      const before = table.partitions.get(pk)?.get(sk);
      await put({ ...key, broken: true } as Item);
      try {
        const name = `${pk} ${sk}`;
        const { contents } = await readAll(plat);
        expect(contents.unreadable).toEqual([{ key: name, reason: expect.any(String) }]);
        expect((await readAll(other)).contents.unreadable).toEqual([]);
      } finally {
        if (before) await put(before);
        else table.partitions.get(pk)?.delete(sk);
      }
    },
  );
});
