import { assertBlock, type Block } from "../domain/block.ts";
import { assertBlockChange, type BlockChange } from "../domain/block-changes.ts";
import type { BlockCharge } from "../domain/block-charge.ts";
import { GROUP_BITS } from "../domain/block-group.ts";
import { cidrOf } from "../domain/cidr.ts";
import type { MappedBlock } from "../domain/mapped-block.ts";
import { CorruptItemError } from "../domain/outcome.ts";
import { countedSlotOf, type Slot, slotOf, tagOf } from "../domain/slot.ts";
import { mapOf, numberOf } from "./attribute.ts";
import {
  codec,
  type FlatForm,
  type Form,
  type Forms,
  flat,
  host,
  hostReserved,
  id,
  mark,
  number,
  optional,
  record,
  someOf,
  text,
  under,
} from "./codec.ts";
import { reading } from "./format.ts";
import type { Item, Key, Path, Value } from "./item.ts";
import { addressInKey, blockKey, unescaped } from "./key.ts";
import { readOrNot } from "./readable-items.ts";
import { actorIn } from "./signed-table.ts";
import type { Change } from "./table.ts";

/** This file writes blocks as items and reads items as blocks. `block.ts` has the calls. */

/** Returns the path of a slot in the item of its block. */
export const slotPath = (ordinal: number) => ["slots", String(ordinal)] as const;

/**
 * Returns the update that makes a change of a block. `itemFrom` returns the items of new blocks.
 */
export function updateFrom(change: BlockChange): Change {
  assertBlockChange(change);
  const { slots } = change;
  const fields: Readonly<Record<Exclude<keyof BlockChange, "slots">, Field>> = {
    idleSinceMs: [["idleSince"], change.idleSinceMs],
    calledFull: [["calledFull"], change.calledFull],
    fullWith: [["fullWith"], change.fullWith],
    leased: [["leased"], change.leased],
    host: [["host"], change.host],
    epoch: [["epoch"], change.epoch],
    revision: [["revision"], change.revision],
    claimedAtMs: [["claimedAt"], change.claimedAtMs],
    hostReserved: [
      ["hostReserved"],
      change.hostReserved && hostReserved.write(change.hostReserved),
    ],
    charge: [["charge"], change.charge && charge.write(change.charge)],
  };
  const all = [
    ...(slots === null ? [[["slots"], {}] as const] : [...(slots ?? [])].map(slotField)),
    ...Object.values(fields),
  ];
  const remove = all.flatMap(([path, value]) => (value === null ? [path] : []));
  return {
    kind: "update",
    set: all.flatMap(([path, value]) =>
      value === null || value === undefined ? [] : [[path, value] as const],
    ),
    ...(remove.length > 0 && { remove }),
  };
}

/** A path, and its next value: `null` removes it, and nothing leaves it. */
type Field = readonly [Path, Value | null | undefined];

const slotField = ([ordinal, slot]: readonly [number, Slot | null]): Field => [
  slotPath(ordinal),
  slot && tagOf(slot),
];

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

/** The slots, by their ordinals. */
const slots: Form<Block["slots"]> = {
  write: (slots) => Object.fromEntries([...slots].map(([n, slot]) => [String(n), tagOf(slot)])),
  read(attributes, name) {
    const slots = new Map<number, Slot>();
    for (const [n, tag] of Object.entries(mapOf(attributes, name)))
      slots.set(Number(n), slotOf(tag as Uint8Array));
    return slots;
  },
};

/** The fields of a block that a map shows too, beside its slots and those in its key. */
const PLACED = {
  whole: optional(mark),
  poolId: id,
  host: optional(host),
  hostReserved: optional(hostReserved),
} satisfies Partial<Forms<Block>>;
const placed = flat<Pick<Block, keyof typeof PLACED>>(PLACED);

/** Returns the place of the block of an item. Its item repeats its size. */
function placeIn(item: Item): Pick<Block, "space" | "cidr"> {
  const place = placeOf(item);
  if (numberOf(item, "prefix") !== place.cidr.prefix)
    throw new Error("its prefix is not that of its block group");
  return place;
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
  return { ...placeIn(item), ...placed.read(item), slots };
});

const charge = record<BlockCharge>({
  principal: optional(text),
  tenant: optional(text),
  charges: someOf(),
});

/** The table writes the actor itself (`signed-table.ts`). */
const changedBy: FlatForm<Block["changedBy"]> = {
  isFlat: true,
  write: () => ({}),
  read: (item) => actorIn(item as Item),
};

const BLOCK = codec<Block, "space" | "cidr", "unreadable">({
  key: ({ space, cidr }) => blockKey(space, cidr),
  named: placeIn,
  attributes: {
    ...PLACED,
    pool: text,
    claimedAtMs: under("claimedAt", number),
    slots,
    epoch: id,
    revision: id,
    charge: optional(charge),
    calledFull: optional(mark),
    fullWith: optional(number),
    leased: optional(mark),
    idleSinceMs: under("idleSince", optional(number)),
    changedBy,
  },
  derive: () => ({}),
  beside: ({ cidr }) => ({ prefix: cidr.prefix }),
  assert: assertBlock,
});

/** Returns the item of a new block. */
export const itemFrom = BLOCK.item;

/** Returns the block of an item. @throws {CorruptItemError} if the item is unreadable */
export const blockFrom = BLOCK.from;
