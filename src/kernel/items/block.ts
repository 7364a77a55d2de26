import { CorruptItemError, type Outcome } from "../../base/outcome.ts";
import { type Cidr, cidrOf } from "../../net/cidr.ts";
import type { BlockCharge } from "../../nouns/quota/block-charge.ts";
import type { MappedBlock } from "../../nouns/utilization/usage.ts";
import { mapOf, numberOf } from "../../table/attribute.ts";
import { absent, equals, present } from "../../table/clause.ts";
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
  withItem,
} from "../../table/codec.ts";
import { reading, readOrNot } from "../../table/format.ts";
import type { AttributePath, Item, Key, Value } from "../../table/item.ts";
import { addressInKey, blockKey, blockPk, unescaped } from "../../table/key.ts";
import { actorIn } from "../../table/signed-table.ts";
import type { Change, Table } from "../../table/table.ts";
import { assertBlock, type Block } from "../values/block.ts";
import {
  assertBlockChange,
  type BlockChange,
  type ClaimFields,
  changingHost,
  type FullNote,
  fencing,
  freeingHeldSlots,
  freeingSlots,
  type HeldSlot,
  markingIdle,
  type ReleasedChange,
  recharging,
  type TakeNotes,
  takingSlots,
} from "../values/block-changes.ts";
import { GROUP_BITS } from "../values/block-group.ts";
import type { HostId } from "../values/host.ts";
import { countedSlotOf, type Slot, slotOf, tagOf } from "../values/slot.ts";
import type { SlotsToFree, SlotsToTake } from "../values/slot-writes.ts";

/**
 * The calls for blocks. A block item is the unit of compare-and-swap. Each method is one call to
 * the database.
 */
export function blockItems(table: Table) {
  return {
    async readBlock(
      space: string,
      cidr: Cidr,
      options?: { readonly consistent: boolean },
    ): Promise<Block | undefined> {
      const item = await table.get(blockKey(space, cidr), options);
      return item && blockFrom(item);
    },

    /**
     * Returns every block of a block group, including unreadable ones. An eventually consistent
     * read may only suggest.
     */
    async scanGroup(space: string, group: Cidr, options: { readonly consistent: boolean }) {
      return (await table.query(blockPk(space, group), options)).map(current);
    },

    /**
     * Returns what a map shows of every block of a block group, including unreadable ones:
     * eventually consistent.
     */
    async mapGroup(space: string, group: Cidr) {
      const items = await table.query(blockPk(space, group), { consistent: false });
      return items.map(currentMapped);
    },

    /** Returns the places of the blocks in a block group, eventually consistent. */
    async listBlockPlaces(space: string, group: Cidr): Promise<readonly Cidr[]> {
      const options = { consistent: false, only: [] };
      return (await table.query(blockPk(space, group), options)).map((key) => placeOf(key).cidr);
    },

    /**
     * Creates a block. This write decides every claim: of all callers that create the same block,
     * one succeeds.
     */
    async createBlock(block: Block): Promise<Outcome<Block>> {
      const item = itemFrom(block);
      const write = {
        step: "create-block",
        key: item,
        when: [absent("block-absent", "pk")],
        change: { kind: "put", item },
      } as const;
      return withItem(await table.write(write), blockFrom);
    },

    /**
     * Takes slots of a block for requests, or holds them for an application: all or none, if the
     * block still has the learned epoch (rule 1).
     */
    async takeSlots(
      learned: Pick<Block, "space" | "cidr" | "epoch">,
      takes: readonly SlotsToTake[],
      revision: string,
      notes?: TakeNotes,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "take-slots",
        key: blockKey(learned.space, learned.cidr),
        when: [
          // The block has the same host, and no repair has declared this author's part dead.
          equals("take-epoch", learned.epoch, "epoch"),
          // No other request has the slot: it is as the author read it.
          ...takes
            .flatMap(({ slots }) => slots)
            .map((slot) =>
              slot.seen
                ? equals("take-slot", tagOf(slot.seen), ...slotPath(slot.ordinal))
                : absent("take-slot", ...slotPath(slot.ordinal)),
            ),
        ],
        change: updateFrom(
          takingSlots(
            takes.map(({ slots, taken }) => ({
              ordinals: slots.map(({ ordinal }) => ordinal),
              taken,
            })),
            revision,
            notes,
          ),
        ),
      });
      // An unreadable block differs from the learned one, so the caller tries another block.
      if (outcome.outcome === "lost" && outcome.item)
        return { outcome: "lost", item: current(outcome.item) };
      return withItem(outcome, blockFrom);
    },

    /**
     * Frees slots that hold exactly these tags (I5), all or none. A freed slot cools from a time on, or is in
     * quarantine. It becomes unused if no caller was told of its address.
     */
    async freeSlots(
      { space, cidr }: Pick<Block, "space" | "cidr">,
      frees: readonly SlotsToFree[],
      revision: string,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "free-slots",
        key: blockKey(space, cidr),
        when: [
          ...frees.flatMap(({ taken, freed }) =>
            [...freed.keys()].map((ordinal) =>
              equals("free-tag", tagOf(taken), ...slotPath(ordinal)),
            ),
          ),
          ...(frees.some(({ isOfAddress }) => isOfAddress) ? [absent("free-whole", "whole")] : []),
        ],
        change: updateFrom(
          freeingSlots(new Map(frees.flatMap(({ freed }) => [...freed])), revision),
        ),
      });
      return withItem(outcome, blockFrom);
    },

    /**
     * Replaces a released slot if it is exactly the one seen: with a quarantine after a report of a
     * conflict, or without it when an operator lifts it.
     */
    async replaceReleased(
      step: "quarantine" | "lift",
      { space, cidr }: Pick<Block, "space" | "cidr">,
      { ordinal, seen, next }: ReleasedChange,
      revision: string,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step,
        key: blockKey(space, cidr),
        when: [equals(`${step}-slot`, tagOf(seen), ...slotPath(ordinal))],
        change: updateFrom(freeingSlots(new Map([[ordinal, next]]), revision)),
      });
      return withItem(outcome, blockFrom);
    },

    /**
     * Lets held slots go that are exactly as they were seen: no instance of the application has
     * taken one since.
     */
    async freeHeldSlots(
      { space, cidr }: Pick<Block, "space" | "cidr">,
      held: readonly HeldSlot[],
      sinceMs: number,
      fresh: Pick<ClaimFields, "epoch" | "revision">,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "let-go",
        key: blockKey(space, cidr),
        when: held.map(({ ordinal, seen }) =>
          equals("let-go-tag", tagOf(seen), ...slotPath(ordinal)),
        ),
        change: updateFrom(freeingHeldSlots(held, sinceMs, fresh)),
      });
      return withItem(outcome, blockFrom);
    },

    /**
     * Changes the epoch, so that every write that is conditional on an earlier epoch fails. Returns
     * the block after the change (rule 1).
     */
    async fenceBlock(
      step: string,
      space: string,
      cidr: Cidr,
      epoch: string,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step,
        key: blockKey(space, cidr),
        when: [present("fence-block", "pk")],
        change: updateFrom(fencing(epoch)),
      });
      return withItem(outcome, blockFrom);
    },

    /**
     * Notes that a block is full, if its epoch is the one seen: that its host may have a hint of it,
     * or with how many taken slots. Returns the block after the write.
     */
    async noteFull(seen: Block, note: FullNote): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "full-note",
        key: blockKey(seen.space, seen.cidr),
        when: [equals("full-epoch", seen.epoch, "epoch")],
        change: updateFrom(note),
      });
      return withItem(outcome, blockFrom);
    },

    /**
     * Changes the host of a block and its host-reserved addresses, if its revision is the one seen.
     * Every write in flight then fails (rule 1).
     */
    async changeHost(
      step: string,
      seen: Block,
      host: HostId | undefined,
      fresh: ClaimFields,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step,
        key: blockKey(seen.space, seen.cidr),
        when: [equals(`${step}-rev`, seen.revision, "revision")],
        change: updateFrom(changingHost(host, fresh)),
      });
      return withItem(outcome, blockFrom);
    },

    /**
     * Marks an empty block as idle, and drops its slots whose cooldown has ended. Any assign
     * removes the mark.
     */
    async markIdle(seen: Block, nowMs: number, revision: string): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "mark-idle",
        key: blockKey(seen.space, seen.cidr),
        when: [equals("idle-rev", seen.revision, "revision")],
        change: updateFrom(markingIdle(nowMs, revision)),
      });
      return withItem(outcome, blockFrom);
    },

    /** Charges a block to other quotas, if its revision is the one seen (I21). */
    async rechargeBlock(
      seen: Block,
      charge: BlockCharge | undefined,
      revision: string,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "recharge-block",
        key: blockKey(seen.space, seen.cidr),
        when: [equals("recharge-block-rev", seen.revision, "revision")],
        change: updateFrom(recharging(charge, revision)),
      });
      return withItem(outcome, blockFrom);
    },

    /** Deletes a block if its revision is the one seen (I6). */
    async deleteBlock(seen: Block): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "delete-block",
        key: blockKey(seen.space, seen.cidr),
        when: [equals("delete-rev", seen.revision, "revision")],
        change: { kind: "delete" },
      });
      return outcome.outcome === "done"
        ? { outcome: "done", item: seen }
        : withItem(outcome, blockFrom);
    },
  };
}

/** Returns the path of a slot in the item of its block. */
const slotPath = (ordinal: number) => ["slots", String(ordinal)] as const;

/**
 * Returns the update that makes a change of a block. `itemFrom` returns the items of new blocks.
 */
function updateFrom(change: BlockChange): Change {
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
type Field = readonly [AttributePath, Value | null | undefined];

const slotField = ([ordinal, slot]: readonly [number, Slot | null]): Field => [
  slotPath(ordinal),
  slot && tagOf(slot),
];

/**
 * Returns the block of an item, or an unreadable block in its place. An unreadable block keeps its
 * range: Plat does not claim the range, take its slots or delete it.
 */
function current(item: Item): Block {
  const read = readOrNot(item, blockFrom);
  return read instanceof CorruptItemError ? unreadableBlock(item, read) : read;
}

/** Returns what a map shows of the block of an item, or an unreadable block in its place. */
function currentMapped(item: Item): MappedBlock {
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
function placeOf({ pk, sk }: Key): Pick<Block, "space" | "cidr"> {
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
const itemFrom = BLOCK.item;

const held = flat<Pick<Block, "slots" | "host">>({ slots, host: optional(host) });

/** Returns who holds what in the block of an item. @throws {CorruptItemError} if that is unreadable */
export const heldFrom = reading((item: Item) => held.read(item));

/** Returns the block of an item. @throws {CorruptItemError} if the item is unreadable */
export const blockFrom = BLOCK.from;
