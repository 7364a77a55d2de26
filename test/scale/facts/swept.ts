import { collect } from "../../../src/allocator/collect.ts";
import { BLOCKS_PER_CELL, cellCount } from "../../../src/domain/cell.ts";
import type { Cidr } from "../../../src/domain/cidr.ts";
import type { Random } from "../../../src/domain/fresh.ts";
import { hostId } from "../../../src/domain/host.ts";
import { PASS_MS_MAX } from "../../../src/domain/limits.ts";
import type { Pool } from "../../../src/domain/pool.ts";
import type { AssignmentRecord } from "../../../src/domain/record.ts";
import { EVERY_SHARD } from "../../../src/domain/shard.ts";
import type { Slot } from "../../../src/domain/slot.ts";
import { freshToken } from "../../../src/domain/token.ts";
import { addressInKey } from "../../../src/store/key.ts";
import { cellCrowd, hostCrowd } from "../crowds.ts";
import { drafted } from "../drafts.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import type { LargeTable } from "../large-table.ts";
import { blockItem, EARLIER_MS, mapPages, newCloud, poolOf, putSpace, rowItem } from "../scene.ts";

const SPACE = "default";
const ADDRESSES_PER_BLOCK = 64;
const RUNS_PER_HOUR = 60;
const ITEMS = 100_000_000;

/** What no index knows is come to within a day. */
export function sweptFacts(form: Form): readonly Fact[] {
  const cidr = form === "full" ? "10.0.0.0/8" : "10.0.0.0/16";
  return [
    {
      name: "The whole table comes by once a day at a hundred million items",
      size: `reckoned from one run over one of ${EVERY_SHARD.length} segments, where almost all items are allocations`,
      bound: 24,
      unit: "hours",
      async measure(sabotage) {
        const cloud = await newCloud(sabotage);
        putAssignedSpace(cloud.items, cidr);
        const { ms } = await cloud.clock.run(() =>
          new LambdaFunction(cloud).run((context) => collect(context, 0)),
        );
        const inARun = (cloud.table.scanned / ms) * PASS_MS_MAX;
        return ITEMS / (inARun * EVERY_SHARD.length * RUNS_PER_HOUR);
      },
    },
  ];
}

/** Puts a space whose every address is assigned, each to a handle of its own; every block is another host's. */
function putAssignedSpace(items: LargeTable, cidr: string): void {
  const pool = poolOf(SPACE, "main", cidr);
  putSpace(items, SPACE, [pool]);
  const cells = Number(cellCount(pool));
  const blocks = cells * BLOCKS_PER_CELL;
  const cidrOf = (block: number): Cidr => ({
    ...pool.cidr,
    base: pool.cidr.base + BigInt(block * ADDRESSES_PER_BLOCK),
    prefix: pool.blockSize,
  });
  const held = (number: number) =>
    heldAt(pool, number, cidrOf(Math.floor(number / ADDRESSES_PER_BLOCK)));
  const blockOf = (block: number) => {
    const slots = Array.from(
      { length: ADDRESSES_PER_BLOCK },
      (_, n) => [n, held(block * ADDRESSES_PER_BLOCK + n).slot] as const,
    );
    const host = hostId("host", `node-${block}`);
    return blockItem(pool, { cidr: cidrOf(block), host, slots: new Map(slots) });
  };
  const firstOf = (cell: number) => cell * BLOCKS_PER_CELL;
  items.addCrowd({
    ...cellCrowd(pool, cells, (cell) =>
      Array.from({ length: BLOCKS_PER_CELL }, (_, i) => blockOf(firstOf(cell) + i)),
    ),
    itemAt: (_, sk) => {
      const { value } = addressInKey(sk);
      return blockOf(Number(value - pool.cidr.base) / ADDRESSES_PER_BLOCK);
    },
  });
  items.addCrowd(
    hostCrowd(SPACE, blocks, (block) => [
      rowItem(pool, hostId("host", `node-${block}`), 0, cidrOf(block)),
    ]),
  );
  const head = `HANDLE#${SPACE}#`;
  items.addCrowd({
    count: blocks * ADDRESSES_PER_BLOCK,
    keyOf: (number) => `${head}${hashOf(number)}`,
    numberOf: (pk) => {
      const number = pk.startsWith(head) ? Number(`0x${pk.slice(head.length)}`) : Number.NaN;
      return number < blocks * ADDRESSES_PER_BLOCK ? number : undefined;
    },
    itemsOf: (number) => [drafted((store) => store.createRecord(held(number).record))],
  });
  const all = Array.from({ length: cells }, (_, i) => BigInt(i));
  for (const page of mapPages(pool, all, () => true)) items.put(page);
}

/** As if a handle's hash were its number: so a partition is found without a list of all handles. */
const hashOf = (number: number): string => number.toString(16).padStart(16, "0");

/** Bytes that no other number has. */
const numbered = (number: number): Random => ({
  fraction: () => 0,
  bytes: (count) => {
    const bytes = Buffer.alloc(count);
    bytes.writeUInt32BE(number);
    return bytes;
  },
});

/** The record and the slot of an address, the same each time. */
function heldAt(pool: Pool, number: number, cidr: Cidr) {
  const random = numbered(number);
  const id = Buffer.from(random.bytes(11)).toString("base64url");
  const place = { space: pool.space, handleHash: hashOf(number), id, keyed: false };
  const token = freshToken(place, random);
  const ordinal = number % ADDRESSES_PER_BLOCK;
  const record: AssignmentRecord = {
    place,
    state: "live",
    handle: `workload-${number}`,
    host: hostId("host", `node-${Math.floor(number / ADDRESSES_PER_BLOCK)}`),
    attributes: { pod: "web-0", namespace: "shop" },
    owners: new Map(),
    want: 1,
    missing: [],
    parts: [{ token, block: cidr, count: 1, ordinals: [ordinal] }],
    given: new Set(),
    seats: [],
    also: [],
    digest: "digest",
    revision: id,
    atMs: EARLIER_MS,
  };
  const slot: Slot = { kind: "taken", token, handleHash: place.handleHash };
  return { record, slot };
}
