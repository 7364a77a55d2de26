import { assertBlock, type Block } from "../domain/block.ts";
import { assertBlockChange, type BlockChange } from "../domain/block-changes.ts";
import type { BlockCharge } from "../domain/block-charge.ts";
import { GROUP_BITS } from "../domain/block-group.ts";
import type { Charge } from "../domain/budget.ts";
import { cidrOf } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import type { MappedBlock } from "../domain/mapped-block.ts";
import { CorruptItemError } from "../domain/outcome.ts";
import { countedSlotOf, type Slot, slotOf, tagOf } from "../domain/slot.ts";
import { type Attributes, has, idOf, listOf, mapOf, numberOf, textOf } from "./attribute.ts";
import { chargesItem } from "./budget.ts";
import { reading } from "./format.ts";
import { hostReservedFrom, hostReservedItem } from "./host-reserved.ts";
import type { Item, Key, Path, Value } from "./item.ts";
import { addressInKey, blockKey, unescaped } from "./key.ts";
import { readOrNot } from "./readable-items.ts";
import { actorIn } from "./signed-table.ts";
import type { Change } from "./table.ts";

/** This file writes blocks as items and reads items as blocks. `block.ts` has the calls. */

/** Returns the item of a new block. */
export function itemFrom(block: Block): Item {
  assertBlock(block);
  return {
    ...blockKey(block.space, block.cidr),
    prefix: block.cidr.prefix,
    ...(block.whole && { whole: true }),
    pool: block.pool,
    poolId: block.poolId,
    ...(block.host !== undefined && { host: block.host }),
    claimedAt: block.claimedAtMs,
    ...hostReservedItem(block),
    slots: Object.fromEntries([...block.slots].map(([n, slot]) => [String(n), tagOf(slot)])),
    epoch: block.epoch,
    revision: block.revision,
    ...(block.charge && { charge: chargeItem(block.charge) }),
    ...(block.calledFull && { calledFull: true }),
    ...(block.fullWith !== undefined && { fullWith: block.fullWith }),
    ...(block.leased && { leased: true }),
    ...(block.idleSinceMs !== undefined && { idleSince: block.idleSinceMs }),
  };
}

/** Returns the path of a slot in the item of its block. */
export const slotPath = (ordinal: number) => ["slots", String(ordinal)] as const;

/**
 * Returns the update that makes a change of a block. `itemFrom` returns the items of new blocks.
 */
export function updateFrom(change: BlockChange): Change {
  assertBlockChange(change);
  const { slots, idleSinceMs, calledFull, host, epoch, revision, claimedAtMs } = change;
  const fields: readonly (readonly [Path, Value | null | undefined])[] = [
    ...(slots === null ? [[["slots"], {}] as const] : [...(slots ?? [])].map(slotField)),
    [["idleSince"], idleSinceMs],
    [["calledFull"], calledFull],
    [["fullWith"], change.fullWith],
    [["leased"], change.leased],
    [["host"], host],
    [["epoch"], epoch],
    [["revision"], revision],
    [["claimedAt"], claimedAtMs],
    [["hostReserved"], change.hostReserved && { ...change.hostReserved }],
    [["charge"], change.charge && chargeItem(change.charge)],
  ];
  const remove = fields.flatMap(([path, value]) => (value === null ? [path] : []));
  return {
    kind: "update",
    set: fields.flatMap(([path, value]) =>
      value === null || value === undefined ? [] : [[path, value] as const],
    ),
    ...(remove.length > 0 && { remove }),
  };
}

const slotField = ([ordinal, slot]: readonly [number, Slot | null]) =>
  [slotPath(ordinal), slot && tagOf(slot)] as const;

/**
 * Returns the block of an item, or an unreadable block in its place. An unreadable block keeps its
 * range: Plat does not claim the range, take its slots or delete it.
 */
export function current(item: Item): Block {
  const read = readOrNot(item, blockFrom);
  return read instanceof CorruptItemError ? unreadableBlock(item, read) : read;
}

/** Returns what a map shows of the block of an item, or an unreadable block in its place. */
export function currentMapped(item: Item): MappedBlock {
  const read = readOrNot(item, mappedBlockFrom);
  return read instanceof CorruptItemError ? unreadableBlock(item, read) : read;
}

const unreadableBlock = (item: Item, unreadable: CorruptItemError): Block => ({
  ...placeOf(item),
  pool: "",
  poolId: "",
  claimedAtMs: 0,
  slots: new Map([[0, { kind: "foreign", tag: new Uint8Array() } as const]]),
  epoch: "",
  revision: "",
  unreadable,
});

/** Returns the place of the block under a key. Its size follows from its block group. */
export function placeOf({ pk, sk }: Key): Pick<Block, "space" | "cidr"> {
  const [, space = "", group = ""] = pk.split("#");
  const prefix = Number(group.split("/")[1]) + GROUP_BITS;
  return { space: unescaped(space), cidr: cidrOf(addressInKey(sk), prefix) };
}

function slotsFrom(item: Item): ReadonlyMap<number, Slot> {
  const slots = new Map<number, Slot>();
  for (const [n, tag] of Object.entries(mapOf(item, "slots")))
    slots.set(Number(n), slotOf(tag as Uint8Array));
  return slots;
}

/** Returns the fields of a block that are not its slots and that a map shows too. */
function placedFrom(item: Item) {
  const { space, cidr } = placeOf(item);
  if (numberOf(item, "prefix") !== cidr.prefix)
    throw new Error("its prefix is not that of its block group");
  return {
    space,
    cidr,
    ...(item.whole === true && { whole: true as const }),
    poolId: idOf(item, "poolId"),
    ...(item.host !== undefined && { host: idOf(item, "host") as HostId }),
    ...hostReservedFrom(item),
  };
}

/** Returns what a map shows of the block of an item. It decodes a slot when it is asked for. */
const mappedBlockFrom = reading((item: Item): MappedBlock => {
  const tags = mapOf(item, "slots");
  const slots = {
    get(ordinal: number) {
      const tag = tags[ordinal] as Uint8Array | undefined;
      return tag && countedSlotOf(tag);
    },
  };
  return { ...placedFrom(item), slots };
});

/** Returns the block of an item. @throws {CorruptItemError} if the item is unreadable */
export const blockFrom = reading((item: Item): Block => {
  return {
    ...placedFrom(item),
    pool: textOf(item, "pool"),
    claimedAtMs: numberOf(item, "claimedAt"),
    slots: slotsFrom(item),
    epoch: idOf(item, "epoch"),
    revision: idOf(item, "revision"),
    ...(item.charge !== undefined && { charge: chargeFrom(mapOf(item, "charge")) }),
    ...(item.calledFull === true && { calledFull: true }),
    ...(item.fullWith !== undefined && { fullWith: numberOf(item, "fullWith") }),
    ...(item.leased === true && { leased: true }),
    ...(item.idleSince !== undefined && { idleSinceMs: numberOf(item, "idleSince") }),
    ...changedByIn(item),
  };
}, assertBlock);

const chargeItem = ({ charges, ...claimant }: BlockCharge) => ({
  ...claimant,
  charges: chargesItem(charges),
});

function chargeFrom(map: Attributes): BlockCharge {
  const text = (name: keyof BlockCharge) => (has(map, name) ? { [name]: textOf(map, name) } : {});
  return {
    ...text("principal"),
    ...text("tenant"),
    charges: listOf(map, "charges") as unknown as readonly Charge[],
  };
}

function changedByIn(item: Item): Pick<Block, "changedBy"> {
  const changedBy = actorIn(item);
  return changedBy ? { changedBy } : {};
}
