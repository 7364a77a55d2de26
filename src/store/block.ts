import { assertBlock, type Block } from "../domain/block.ts";
import {
  assertBlockChange,
  type BlockChange,
  type ClaimFields,
  callingFull,
  changingHost,
  fencing,
  freeingSlots,
  markingIdle,
  takingSlots,
} from "../domain/block-changes.ts";
import { GROUP_BITS } from "../domain/block-group.ts";
import { type Cidr, cidrOf } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import { CorruptItemError, type Outcome } from "../domain/outcome.ts";
import { type Slot, slotOf, tagOf } from "../domain/slot.ts";
import { idOf, mapOf, numberOf, textOf } from "./attribute.ts";
import { absent, equals, present } from "./clause.ts";
import { reading } from "./format.ts";
import { hostReservedFrom, hostReservedItem } from "./host-reserved.ts";
import type { Item, Key, Path, Value } from "./item.ts";
import { addressInKey, blockKey, blockPk, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import { readOrNot } from "./readable-items.ts";
import type { Change, Table } from "./table.ts";

/** One slot of a write: the ordinal, and what its author saw there (nothing: it was never used). */
export interface SlotSeen {
  readonly ordinal: number;
  readonly seen: Slot | undefined;
}

/** Block items: the unit of compare-and-swap. Each method is one call. */
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

    /** Every block of a block group, also those that cannot be read; an eventually consistent look may only suggest. */
    async scanGroup(space: string, group: Cidr, options: { readonly consistent: boolean }) {
      return (await table.query(blockPk(space, group), options)).map(current);
    },

    /** Lists the places of blocks in a block group; eventually consistent. */
    async listBlockPlaces(space: string, group: Cidr): Promise<readonly Cidr[]> {
      const options = { consistent: false, only: [] };
      return (await table.query(blockPk(space, group), options)).map((key) => placeOf(key).cidr);
    },

    /** The arbiter of every claim: of all who create a block, one is done. */
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

    /** Takes slots of a block, all or none, if its epoch is still the one learned (rule 1). */
    async takeSlots(
      learned: Block,
      slots: readonly SlotSeen[],
      taken: Slot,
      revision: string,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "take-slots",
        key: blockKey(learned.space, learned.cidr),
        when: [
          // Nobody has declared this author's part dead, and the block is still whose it was.
          equals("take-epoch", learned.epoch, "epoch"),
          // Nobody else has the slot: it is as it was seen.
          ...slots.map((slot) =>
            slot.seen
              ? equals("take-slot", tagOf(slot.seen), ...slotPath(slot.ordinal))
              : absent("take-slot", ...slotPath(slot.ordinal)),
          ),
        ],
        change: updateFrom(
          takingSlots(
            slots.map(({ ordinal }) => ordinal),
            taken,
            revision,
          ),
        ),
      });
      // A block that cannot be read any more is another than the one learned: its taker goes elsewhere.
      if (outcome.outcome === "lost" && outcome.item)
        return { outcome: "lost", item: current(outcome.item) };
      return withItem(outcome, blockFrom);
    },

    /** Frees slots that hold exactly this tag (I5): cooling from a time on, or as if never used when nobody was told. */
    async freeSlots(
      { space, cidr }: Pick<Block, "space" | "cidr">,
      {
        ordinals,
        taken,
        coolingSinceMs,
      }: {
        readonly ordinals: readonly number[];
        readonly taken: Slot & { readonly kind: "taken" };
        readonly coolingSinceMs: number | undefined;
      },
      revision: string,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "free-slots",
        key: blockKey(space, cidr),
        when: ordinals.map((ordinal) => equals("free-tag", tagOf(taken), ...slotPath(ordinal))),
        change: updateFrom(freeingSlots(ordinals, taken, coolingSinceMs, revision)),
      });
      return withItem(outcome, blockFrom);
    },

    /** Changes the epoch, so that every write conditional on an earlier one fails; answers with the block after that (rule 1). */
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

    /** Notes in a block, while it is the one seen, that it may be called full; answers with the block as it stands then. */
    async noteCalledFull(seen: Block): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "full-note",
        key: blockKey(seen.space, seen.cidr),
        when: [equals("full-epoch", seen.epoch, "epoch")],
        change: updateFrom(callingFull),
      });
      return withItem(outcome, blockFrom);
    },

    /** Changes whose block it is, and what its host keeps for itself, exactly as it was seen; every write in flight then fails (rule 1). */
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

    /** First sight of an empty block: what has cooled is swept, and the mark set that any assign removes. */
    async markIdle(seen: Block, nowMs: number, revision: string): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "mark-idle",
        key: blockKey(seen.space, seen.cidr),
        when: [equals("idle-rev", seen.revision, "revision")],
        change: updateFrom(markingIdle(nowMs, revision)),
      });
      return withItem(outcome, blockFrom);
    },

    /** Deletes a block exactly as it was seen (I6). */
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

function itemFrom(block: Block): Item {
  assertBlock(block);
  return {
    ...blockKey(block.space, block.cidr),
    prefix: block.cidr.prefix,
    pool: block.pool,
    poolId: block.poolId,
    ...(block.host !== undefined && { host: block.host }),
    claimedAt: block.claimedAtMs,
    ...hostReservedItem(block),
    slots: Object.fromEntries([...block.slots].map(([n, slot]) => [String(n), tagOf(slot)])),
    epoch: block.epoch,
    revision: block.revision,
    ...(block.calledFull && { calledFull: true }),
    ...(block.idleSinceMs !== undefined && { idleSince: block.idleSinceMs }),
  };
}

const slotPath = (ordinal: number) => ["slots", String(ordinal)] as const;

/** The update of an item that makes a change of its block. The items of new blocks are those of `itemFrom`. */
function updateFrom(change: BlockChange): Change {
  assertBlockChange(change);
  const { slots, idleSinceMs, calledFull, host, epoch, revision, claimedAtMs } = change;
  const fields: readonly (readonly [Path, Value | null | undefined])[] = [
    ...(slots === null ? [[["slots"], {}] as const] : [...(slots ?? [])].map(slotField)),
    [["idleSince"], idleSinceMs],
    [["calledFull"], calledFull],
    [["host"], host],
    [["epoch"], epoch],
    [["revision"], revision],
    [["claimedAt"], claimedAtMs],
    [["hostReserved"], change.hostReserved && { ...change.hostReserved }],
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

/** A block that cannot be read stands where it stands: nobody claims its range, takes from it or deletes it. */
function current(item: Item): Block {
  const read = readOrNot(item, blockFrom);
  if (!(read instanceof CorruptItemError)) return read;
  const slots = new Map([[0, { kind: "foreign", tag: new Uint8Array() } as const]]);
  return {
    ...placeOf(item),
    pool: "",
    poolId: "",
    claimedAtMs: 0,
    slots,
    epoch: "",
    revision: "",
    unreadable: read,
  };
}

/** Returns the place of the block under a key; its size follows from its block group. */
function placeOf({ pk, sk }: Key): Pick<Block, "space" | "cidr"> {
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

/** The block of an item, for who must know what stands there. @throws {CorruptItemError} */
export const blockFrom = reading((item: Item): Block => {
  const { space, cidr } = placeOf(item);
  if (numberOf(item, "prefix") !== cidr.prefix)
    throw new Error("its prefix is not that of its block group");
  return {
    space,
    cidr,
    pool: textOf(item, "pool"),
    poolId: idOf(item, "poolId"),
    ...(item.host !== undefined && { host: idOf(item, "host") as HostId }),
    claimedAtMs: numberOf(item, "claimedAt"),
    ...hostReservedFrom(item),
    slots: slotsFrom(item),
    epoch: idOf(item, "epoch"),
    revision: idOf(item, "revision"),
    ...(item.calledFull === true && { calledFull: true }),
    ...(item.idleSince !== undefined && { idleSinceMs: numberOf(item, "idleSince") }),
  };
}, assertBlock);
