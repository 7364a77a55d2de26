import { EVERY_SHARD, shardOfSpace } from "../../src/base/hash.ts";
import { affinityFrom } from "../../src/kernel/items/affinity.ts";
import type { Block } from "../../src/kernel/values/block.ts";
import type { Slot } from "../../src/kernel/values/slot.ts";
import { intervalOf, parseCidr } from "../../src/net/cidr.ts";
import type { AddressPlanEntry } from "../../src/nouns/pool/address-plan.ts";
import { type Pool, subnetIdOf } from "../../src/nouns/pool/pool.ts";
import { SETTINGS_DEFAULT, type Settings } from "../../src/nouns/settings/settings.ts";
import { openTable } from "../../src/table/format.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { drafted } from "./drafts.ts";
import { drawAnew, EARLIER_MS, someId } from "./drawn.ts";
import type { Cloud, Sabotage } from "./lambda.ts";
import { LargeTable } from "./large-table.ts";
import { ModelledTable } from "./modelled-table.ts";

/** A table under modelled conditions, and the functions' access to it. */
export interface LargeCloud extends Cloud {
  readonly items: LargeTable;
}

/** Makes the cloud in which a fact sets its scene. */
export type NewCloud = () => Promise<LargeCloud>;

/**
 * Makes a cloud with an empty table.
 *
 * @param sabotage the fault under the product
 */
export async function newCloud(sabotage?: Sabotage): Promise<LargeCloud> {
  drawAnew();
  const clock = new VirtualClock();
  const items = new LargeTable();
  const first = new InMemoryTable();
  await openTable(first);
  for (const item of first.items()) items.put(item);
  const table = new ModelledTable(clock, items);
  return {
    clock,
    items,
    table,
    processes: { count: 1 },
    scheduledRuns: [],
    ...(sabotage && { sabotage }),
  };
}

/** Returns a pool as `PUT /v1/pools` creates it. */
export function poolOf(
  space: string,
  name: string,
  cidr: string,
  changes: Partial<Pool> = {},
): Pool {
  const parsed = parseCidr(cidr);
  if (!parsed.ok) throw new Error(parsed.problem);
  return {
    space,
    name,
    id: someId(),
    state: "active",
    revision: someId(),
    cidr: parsed.value,
    blockSize: parsed.value.family === 4 ? 26 : 122,
    disabled: false,
    assignmentMode: "Automatic",
    allowedUses: ["Workload"],
    borrowing: "allowed",
    cooldownSeconds: 0,
    ...changes,
  };
}

/** Returns a pool as `PUT /v1/pools` creates it with `ranges`: by default its whole CIDR. */
export function rangedPoolOf(
  space: string,
  name: string,
  cidr: string,
  changes: Partial<Pool> = {},
): Pool {
  const pool = poolOf(space, name, cidr);
  return { ...pool, subnetId: pool.id, ranges: [intervalOf(pool.cidr)], ...changes };
}

/**
 * Puts a space with its register entry, version, settings, pools, address plan and reservations.
 */
export function putSpace(
  items: LargeTable,
  space: string,
  pools: readonly Pool[],
  settings: Partial<Settings> = {},
  reserved: readonly string[] = [],
): void {
  const all = { ...SETTINGS_DEFAULT, ...settings };
  items.put(drafted((store) => store.registerSpace(space, someId())));
  items.put(drafted((store) => store.raiseVersion(space, someId())));
  items.put(drafted((store) => store.putSettings(space, all, someId(), undefined)));
  for (const pool of pools) items.put(drafted((store) => store.putPool(pool, undefined)));
  const entries = pools.map(
    ({ name, id, subnetId, cidr, blockSize }): AddressPlanEntry => ({
      pool: name,
      id,
      ...(subnetId !== undefined && { subnetId }),
      cidr,
      blockSize,
    }),
  );
  items.put(drafted((store) => store.changePlan({ space, entries: [] }, entries, someId())));
  if (reserved.length === 0) return;
  const reservation = {
    space,
    name: "reserved",
    cidrs: reserved,
    intervals: [],
    revision: someId(),
  };
  items.put(drafted((store) => store.putReservation(reservation, undefined)));
}

/**
 * Returns the pages of a pool's block-group index with these block groups, some of them believed to
 * be full.
 */
export function indexPages(
  pool: Pool,
  groups: Iterable<bigint>,
  isFull: (group: bigint) => boolean = () => false,
): readonly Item[] {
  const [space, id] = [pool.space, subnetIdOf(pool)];
  const pages = new Map<string, Item>();
  const enter = (item: Item) => pages.set(item.sk, item);
  for (const group of groups) {
    const page = drafted((store) => store.addGroup(space, id, group));
    enter(drafted((store) => store.addGroup(space, id, group), pages.get(page.sk)));
    if (isFull(group))
      enter(drafted((store) => store.markFull(space, id, group), pages.get(page.sk)));
  }
  return [...pages.values()];
}

/** Returns the hint that a pool without reservations is full. */
export const fullPoolItem = ({ space, id }: Pool): Item =>
  drafted((store) => store.callPoolFull({ space, poolId: id, reserved: "" }));

/** Returns a block that was made long ago; empty and without a host unless the options say otherwise. */
export function blockItem(
  pool: Pool,
  { cidr, host, ...changes }: Pick<Block, "cidr"> & Partial<Block>,
): Item {
  const block: Block = {
    space: pool.space,
    cidr,
    pool: pool.name,
    poolId: subnetIdOf(pool),
    ...(host !== undefined && { host }),
    claimedAtMs: EARLIER_MS,
    slots: new Map(),
    epoch: someId(),
    revision: someId(),
    ...changes,
  };
  return drafted((store) => store.createBlock(block));
}

/** Returns the affinity of a block at a place of its host. */
export function affinityItem(
  pool: Pool,
  host: `${string}:${string}`,
  place: number,
  cidr: Block["cidr"],
): Item {
  return drafted((store) =>
    store.createAffinity({
      space: pool.space,
      host: host as NonNullable<Block["host"]>,
      family: cidr.family,
      place,
      block: cidr,
      pool: pool.name,
      state: "confirmed",
      revision: someId(),
      atMs: EARLIER_MS,
    }),
  );
}

/**
 * Returns the hint that the block of an affinity is full, as the host's requests write it after a
 * read of the block.
 */
export const fullBlockItem = (affinity: Item): Item => {
  const { space, host, block, revision } = affinityFrom(affinity);
  return drafted((store) => store.callBlockFull({ space, host, block, affinity: revision }));
};

/** Returns slots that are all taken, by requests whose allocations no test reads. */
export function takenSlots(count: number): ReadonlyMap<number, Slot> {
  const slot = (): Slot => ({ kind: "taken", token: someId(), handleHash: "00000000000000ff" });
  return new Map(Array.from({ length: count }, (_, n) => [n, slot()]));
}

/** Returns names of spaces that hash to one shard, in their order. */
export const namesOfOneShard = (): readonly string[] =>
  Array.from(
    { length: 4 * EVERY_SHARD.length },
    (_, i) => `vrf-${String(i).padStart(2, "0")}`,
  ).filter((name, _, [first = ""]) => shardOfSpace(name) === shardOfSpace(first));
