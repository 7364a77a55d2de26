import { describe, expect, it } from "vitest";
import type { Allocation } from "../../src/kernel/values/allocation.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { contentsOf } from "../../src/store/contents.ts";
import { makeStore } from "../../src/store/stack.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import {
  affinityWith,
  allocationWith,
  blockWith,
  interval,
  jobWith,
  NOW_MS,
  network,
  planWith,
  poolWith,
  spaceJobWith,
  token,
} from "../builders.ts";

type Store = ReturnType<typeof makeStore>;
type Fields = Readonly<Record<string, unknown>>;

const BORROWED = {
  space: "default",
  host: "host:node-1",
  block: network("10.0.0.0/29"),
  state: "confirmed",
  revision: "revision",
  atMs: NOW_MS,
} as const;
const QUOTA_SLOT = {
  space: "default",
  handle: "web-1",
  family: 4,
  number: 0,
  allocation: { id: "record-1", keyed: false },
  revision: "revision",
  atMs: NOW_MS,
} as const;
const INDEX_ENTRY = {
  space: "default",
  attribute: "tenant",
  valueHash: "0000000000000001",
  place: { space: "default", handleHash: "00000000000000ff", id: "id", keyed: false },
  revision: "revision",
  atMs: NOW_MS,
};
const RESERVATION = {
  space: "default",
  name: "routers",
  cidrs: ["10.0.0.0/30"],
  intervals: [interval("10.0.0.0/30")],
  revision: "revision",
};
const NODE = { space: "default", name: "node-1", id: "id", labels: {}, revision: "revision" };
const ENTRY = { space: "default", name: "node-1", id: "id", atMs: NOW_MS };
const NAMESPACE = { space: "default", name: "shop", labels: {}, revision: "revision" };
const PART = { token: token(1), block: network("10.0.0.0/29"), count: 1, ordinals: [0] };

/** Writes the item, with these fields in place of its own. */
type Write = (store: Store, fields: Fields) => Promise<unknown>;
/** An item, and the attributes that every write of such an item, or a search for it, depends on. */
type Case = readonly [item: string, lacks: readonly string[], write: Write];

const CASES: readonly Case[] = [
  [
    "block 10.0.0.0",
    ["epoch", "revision", "poolId"],
    (store, fields) => store.createBlock({ ...blockWith({}), ...fields }),
  ],
  [
    "allocation record-1",
    ["revision", "handle", "digest", "host"],
    (store, fields) => store.createAllocation(allocationWith(fields)),
  ],
  [
    "affinity 0 (IPv4) of host node-1",
    ["revision"],
    (store, fields) => store.createAffinity(affinityWith(fields)),
  ],
  [
    "block 10.0.0.0/29 borrowed by host node-1",
    ["revision"],
    (store, fields) => store.putBorrowedBlock("put", { ...BORROWED, ...fields }, undefined),
  ],
  [
    "quota slot 0 (IPv4) of handle web-1",
    ["revision"],
    (store, fields) => store.putQuotaSlot({ ...QUOTA_SLOT, ...fields }, undefined),
  ],
  [
    "entry of allocation id in the index of tenant",
    ["revision"],
    (store, fields) => store.putIndexEntry({ ...INDEX_ENTRY, ...fields }, undefined),
  ],
  ["pool pool", ["revision", "id"], (store, fields) => store.putPool(poolWith(fields), undefined)],
  [
    "reservation routers",
    ["revision"],
    (store, fields) => store.putReservation({ ...RESERVATION, ...fields }, undefined),
  ],
  [
    "configuration of space default",
    ["revision"],
    (store, { revision = "revision" }) =>
      store.putSettings("default", SETTINGS_DEFAULT, String(revision), undefined),
  ],
  [
    "version of space default",
    ["version"],
    (store, { version = "version" }) => store.raiseVersion("default", String(version)),
  ],
  [
    "address plan of space default",
    ["revision"],
    (store, { revision = "revision" }) =>
      store.changePlan(
        { space: "default", entries: [] },
        planWith(poolWith()).entries,
        String(revision),
      ),
  ],
  [
    "job delete-id",
    ["revision", "poolId", "poolRevision"],
    (store, fields) => store.createJob(jobWith(fields)),
  ],
  [
    "job delete-space",
    ["revision", "spaceRevision", "stamp"],
    (store, fields) => store.createJob(spaceJobWith(fields)),
  ],
  ["node node-1", ["revision", "id"], (store, fields) => store.createNode({ ...NODE, ...fields })],
  [
    "node node-1 in the register",
    ["id"],
    (store, fields) => store.enterNode({ ...ENTRY, ...fields }),
  ],
  [
    "namespace shop",
    ["revision"],
    (store, fields) => store.createNamespace({ ...NAMESPACE, ...fields }),
  ],
];

const EACH = CASES.flatMap(([item, lacks, write]) =>
  lacks.map((field) => ({ item, write, field })),
);

/** Returns the item as it is in the table. */
async function written(write: Write): Promise<Item> {
  const table = new InMemoryTable();
  await write(makeStore(table), {});
  return table.items()[0] as Item;
}

/** Returns why an item with these attributes in place of its own is unreadable. */
const whyNot = (item: Item, attributes: Fields) =>
  contentsOf([{ ...item, ...attributes } as Item]).unreadable.map(({ reason }) => reason);

describe.each(EACH)("the $item without its $field", ({ item: name, field, write }) => {
  it("cannot be read, and is named", async () => {
    const item = await written(write);
    expect(whyNot(item, {})).toEqual([]);
    const named = expect.stringContaining(`the item of ${name} cannot be read: its ${field}`);
    const { [field]: _, ...bare } = item;
    expect(whyNot(bare as Item, {})).toEqual([named]);
    const empty = expect.stringContaining(`the item of ${name} cannot be read: it`);
    expect(whyNot(item, { [field]: "" })).toEqual([empty]);
  });

  it("is not written", async () => {
    const table = new InMemoryTable();
    const attempt = async () => write(makeStore(table), { [field]: "" });
    await expect(attempt()).rejects.toThrow(`it has no ${field}`);
    expect(table.items()).toEqual([]);
  });
});

describe("an allocation", () => {
  it.each<readonly [string, Partial<Allocation>]>([
    ["it has no token", { parts: [{ ...PART, token: "" }] }],
    ["an ordinal 8", { parts: [{ ...PART, ordinals: [8] }] }],
    ["an ordinal 0.5", { parts: [{ ...PART, ordinals: [0.5] }] }],
    ["2 ordinals for 1 addresses", { parts: [{ ...PART, ordinals: [0, 1] }] }],
    ["its count is 0", { parts: [{ ...PART, count: 0, ordinals: [] }] }],
    ["its want is NaN", { want: Number.NaN }],
    ["no whole number of milliseconds", { atMs: 0.5 }],
    ["no whole number of milliseconds", { expiresAtMs: Number.NaN }],
    ["it has no revision", { quotaSlots: [{ family: 4, number: 0, revision: "" }] }],
    ["its count is -1", { missing: [{ family: 4, count: -1, code: "pool_exhausted" }] }],
  ])("is not written, and not read, where %s", async (problem, changes) => {
    const table = new InMemoryTable();
    const store = makeStore(table);
    const attempt = async () => store.createAllocation(allocationWith(changes));
    await expect(attempt()).rejects.toThrow(problem);
    expect(table.items()).toEqual([]);
  });

  it("whose quota slots or parts are of another shape cannot be read", async () => {
    const item = await written((store) =>
      store.createAllocation(allocationWith({ reused: [token(2)] })),
    );
    expect(whyNot(item, { quotaSlots: [{ family: 4, number: 0 }] })).toEqual([
      "the item of allocation record-1 cannot be read: it has no revision",
    ]);
    const part = { block: "10.0.0.0/29", count: 1, ordinals: [9] };
    expect(whyNot(item, { parts: { [token(1)]: part } })).toEqual([
      "the item of allocation record-1 cannot be read: a part of it has an ordinal 9, after 7",
    ]);
  });
});

it("settings of another type than their defaults cannot be read, and are not written", async () => {
  const put = (settings: Fields) => (store: Store) =>
    store.putSettings("default", { ...SETTINGS_DEFAULT, ...settings }, "revision", undefined);
  const item = await written(put({}));
  expect(whyNot(item, { settings: { cooldownSeconds: "30" } })).toEqual([
    expect.stringContaining("configuration of space default cannot be read: its cooldownSeconds"),
  ]);
  await expect(written(put({ strictAffinity: undefined }))).rejects.toThrow(
    "its strictAffinity is no flag",
  );
});

it("a pool with a use that is not known, or an impossible block size, cannot be read", async () => {
  const item = await written((store) => store.putPool(poolWith(), undefined));
  expect(whyNot(item, { allowedUses: ["Anycast"] })).toEqual([
    "the item of pool pool cannot be read: its allowedUses has no known use: Anycast",
  ]);
  expect(whyNot(item, { blockSize: 64 })).toEqual([
    "the item of pool pool cannot be read: its blockSize 64 is no prefix length of IPv4",
  ]);
});

it("a condition on nothing is refused before it reaches a table", async () => {
  const table = new InMemoryTable();
  const store = makeStore(table);
  const block = blockWith({});
  await store.createBlock(block);
  const before = table.items();
  const { epoch: _, revision: __, ...bare } = block;
  const unlearned = { ...bare, epoch: "", revision: "" };
  await expect(store.noteFull(unlearned, { calledFull: true })).rejects.toThrow(
    "full-epoch compares with nothing",
  );
  await expect(store.deleteBlock(unlearned)).rejects.toThrow("delete-rev compares with nothing");
  await expect(
    store.deleteNode({ ...NODE, revision: undefined as unknown as string }),
  ).rejects.toThrow("delete-node-rev compares with nothing");
  expect(table.items()).toEqual(before);
});
