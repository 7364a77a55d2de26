import { describe, expect, it } from "vitest";
import { fromJson } from "../../src/contract/schema/json-values.ts";
import { type Contents, together } from "../../src/domain/contents.ts";
import { withinSpace } from "../../src/domain/within-space.ts";
import { sealCursor } from "../../src/edge/http/cursor.ts";
import { contentsOf } from "../../src/store/contents.ts";
import type { Item, Key } from "../../src/store/item.ts";
import * as keys from "../../src/store/key.ts";
import { allocationWith } from "../domain/builders.ts";
import { newSpace, spaceWithPool, table } from "./plat.ts";

/** The maximum size of an answer: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html. */
const LAMBDA_BYTES_MAX = 6_291_556;

type Space = ReturnType<typeof newSpace>;

/** Reads all pages of the contents of a space, and returns them with the bytes of each answer as Lambda sends it. */
async function readAll(plat: Space): Promise<{ contents: Contents; bytes: number[] }> {
  const pages: Contents[] = [];
  const bytes: number[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await plat.get("/v1/contents", cursor ? { cursor } : {});
    expect(status).toBe(200);
    pages.push(fromJson(body.contents) as Contents);
    bytes.push(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(body) })));
    cursor = body.next;
  } while (cursor);
  return { contents: together(pages), bytes };
}

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
    expect(contents).toEqual(withinSpace(contentsOf(items), plat.space));
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

  it("have what cannot be read, by its key and with the reason, of this space only", async () => {
    const [plat, other] = [newSpace(), newSpace()];
    const broken = [plat, other].map(
      ({ space }) => ({ pk: `BLOCK#${space}#10.0.0.0/20`, sk: "10.0.0.0" }) as Item,
    );
    for (const item of broken) await put(item);
    const { contents } = await readAll(plat);
    for (const { pk } of broken) table.partitions.delete(pk);
    expect(contents.unreadable).toEqual([
      {
        key: `BLOCK#${plat.space}#10.0.0.0/20 10.0.0.0`,
        reason: expect.any(String),
      },
    ]);
  });

  it("go on only with a cursor of the same space", async () => {
    const plat = newSpace();
    const cursor = sealCursor(["contents", "another"], { after: '{"pk":"A","sk":"B"}' });
    const { status, body } = await plat.get("/v1/contents", { cursor });
    expect(status).toBe(400);
    expect(body.fields[0].field).toBe("?cursor");
  });
});

describe("an item that cannot be read", () => {
  const space = "tenant-7";
  const place = { space, handleHash: "00000000000000ff", id: "id", keyed: false };
  const entry = { space, attribute: "a # x", valueHash: "0000000000000001", place };
  const block = { family: 4, base: 0x0a000000n, prefix: 26 } as const;
  it.each<[string, Key]>([
    ["a block", keys.blockKey(space, block)],
    ["a row", keys.affinityKey(space, "host:n#1 x", 4, 0)],
    ["a borrowed block", keys.borrowedBlockKey(space, "host:n1", block)],
    ["a quota slot", keys.quotaSlotKey(space, "a handle # x", 4, 0)],
    ["an index entry", keys.indexEntryKey(entry)],
    ["an allocation", keys.allocationKey(allocationWith({}).place)],
    ["a pool", keys.poolKey(space, "main")],
    ["a reservation", keys.reservationKey(space, "r")],
    ["a plan", keys.planKey(space)],
    ["a page of a map", keys.blockGroupIndexKey(space, "id", "0")],
    ["a job", keys.jobKey(space, "delete-id")],
    ["a node", keys.nodeKey(space, "n1")],
    ["an entry of the register", keys.nodeEntryKey(space, "n1")],
    ["a namespace", keys.namespaceKey(space, "shop")],
    [
      "an application",
      keys.applicationKey(space, { namespace: "shop", kind: "Deployment", name: "web" }),
    ],
  ])("belongs to the space in its key: %s", (kind, { pk, sk }) => {
    const unreadable = [{ key: `${pk} ${sk}`, reason: "" }];
    const of = (name: string) => withinSpace({ ...together([]), unreadable }, name).unreadable;
    expect(of(kind === "an allocation" ? "default" : space)).toEqual(unreadable);
    expect(of("tenant")).toEqual([]);
  });
});
