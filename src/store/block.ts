import { parseAddress } from "../domain/address.ts";
import type { Block, BlockChanges } from "../domain/block.ts";
import { CELL_BITS } from "../domain/cell.ts";
import { type Cidr, cidrOf } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import { type Outcome, Unreadable } from "../domain/outcome.ts";
import { type Slot, slotOf, tagOf } from "../domain/slot.ts";
import { absent, equals, present } from "./clause.ts";
import { hostReservedFrom, hostReservedItem } from "./host-reserved.ts";
import { addressInKey, blockKey, blockPk, unescaped } from "./key.ts";
import { withItem } from "./outcome.ts";
import type { Item, Table } from "./table.ts";

/** One slot of a write: the ordinal, and what its author saw there (nothing: it was never used). */
export interface SlotSeen {
  readonly ordinal: number;
  readonly seen: Slot | undefined;
}

/** Block items: the unit of compare-and-swap. Each method is one call. */
export function blockItems(table: Table) {
  return {
    async readBlock(space: string, cidr: Cidr): Promise<Block | undefined> {
      const item = await table.get(blockKey(space, cidr));
      return item && readableBlock(item);
    },

    /** Every block of a cell; an eventually consistent look may only suggest. */
    async lookAtCell(space: string, cell: Cidr, options: { readonly consistent: boolean }) {
      return (await table.query(blockPk(space, cell), options)).flatMap(standing);
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
      return withItem(await table.write(write), readableBlock);
    },

    /** Takes slots of a block, all or none, if its epoch is still the one learned (rule 1). */
    async takeSlots(
      learned: Block,
      slots: readonly SlotSeen[],
      taken: Slot,
      revision: string,
    ): Promise<Outcome<Block>> {
      const at = ({ ordinal }: SlotSeen) => ["slots", String(ordinal)] as const;
      const outcome = await table.write({
        step: "take-slots",
        key: blockKey(learned.space, learned.cidr),
        when: [
          // Nobody has declared this author's part dead, and the block is still whose it was.
          equals("take-epoch", learned.epoch, "epoch"),
          // Nobody else has the slot: it is as it was seen.
          ...slots.map((slot) =>
            slot.seen
              ? equals("take-slot", tagOf(slot.seen), ...at(slot))
              : absent("take-slot", ...at(slot)),
          ),
        ],
        change: {
          kind: "update",
          set: [
            ...slots.map((slot) => [at(slot), tagOf(taken)] as const),
            [["revision"], revision] as const,
          ],
          remove: [["idleSince"]],
        },
      });
      // A block that cannot be read any more is another than the one learned: its taker goes elsewhere.
      if (outcome.outcome === "lost" && outcome.item)
        return { outcome: "lost", item: standing(outcome.item)[0] };
      return withItem(outcome, readableBlock);
    },

    /** Frees slots that hold exactly this tag (I5): cooling from a time on, or as if never used when nobody was told. */
    async freeSlots(
      space: string,
      cidr: Cidr,
      ordinals: readonly number[],
      taken: Slot & { readonly kind: "taken" },
      coolingSinceMs: number | undefined,
      revision: string,
    ): Promise<Outcome<Block>> {
      const paths = ordinals.map((ordinal) => ["slots", String(ordinal)] as const);
      const cooling =
        coolingSinceMs === undefined
          ? undefined
          : tagOf({ kind: "cooling", token: taken.token, sinceMs: coolingSinceMs });
      const outcome = await table.write({
        step: "free-slots",
        key: blockKey(space, cidr),
        when: paths.map((path) => equals("free-tag", tagOf(taken), ...path)),
        change: {
          kind: "update",
          set: [
            ...(cooling ? paths.map((path) => [path, cooling] as const) : []),
            [["revision"], revision] as const,
          ],
          ...(!cooling && { remove: paths }),
        },
      });
      return withItem(outcome, readableBlock);
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
        change: { kind: "update", set: [[["epoch"], epoch]] },
      });
      return withItem(outcome, readableBlock);
    },

    /** Changes whose block it is, and what its host keeps for itself, exactly as it was seen; every write in flight then fails (rule 1). */
    async changeHost(
      step: string,
      seen: Block,
      host: HostId | undefined,
      fresh: BlockChanges,
    ): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step,
        key: blockKey(seen.space, seen.cidr),
        when: [equals(`${step}-rev`, seen.revision, "revision")],
        change: {
          kind: "update",
          set: [
            ...(host === undefined ? [] : [[["host"], host] as const]),
            [["epoch"], fresh.epoch] as const,
            [["revision"], fresh.revision] as const,
            [["claimedAt"], fresh.claimedAtMs] as const,
            ...Object.entries(hostReservedItem(fresh)).map(
              ([name, kept]) => [[name], kept] as const,
            ),
          ],
          remove: [
            ["idleSince"],
            ...(host === undefined ? [["host"] as const] : []),
            ...(fresh.hostReserved === undefined ? [["hostReserved"] as const] : []),
          ],
        },
      });
      return withItem(outcome, readableBlock);
    },

    /** First sight of an empty block: what has cooled is swept, and the mark set that any assign removes. */
    async markIdle(seen: Block, nowMs: number, revision: string): Promise<Outcome<Block>> {
      const outcome = await table.write({
        step: "mark-idle",
        key: blockKey(seen.space, seen.cidr),
        when: [equals("idle-rev", seen.revision, "revision")],
        change: {
          kind: "update",
          set: [
            [["slots"], {}],
            [["idleSince"], nowMs],
            [["revision"], revision],
          ],
        },
      });
      return withItem(outcome, readableBlock);
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
        : withItem(outcome, readableBlock);
    },
  };
}

function itemFrom(block: Block): Item {
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
    ...(block.idleSinceMs !== undefined && { idleSince: block.idleSinceMs }),
  };
}

/** A block that cannot be read stands where it stands: nobody claims its range, takes from it or deletes it. */
function standing(item: Item): Block[] {
  try {
    return [blockFrom(item)];
  } catch {
    const prefix = Number(item.pk.split("/").at(-1)) + CELL_BITS;
    const address = parseAddress(item.sk);
    if (!address.ok || Number.isNaN(prefix)) return [];
    const slots = new Map([[0, { kind: "foreign", tag: new Uint8Array() } as const]]);
    const space = unescaped(item.pk.split("#")[1] as string);
    const cidr = cidrOf(address.value, prefix);
    return [{ space, cidr, pool: "", poolId: "", claimedAtMs: 0, slots, epoch: "", revision: "" }];
  }
}

/** The block of an item, for who must know what stands there. @throws Unreadable */
function readableBlock(item: Item): Block {
  try {
    return blockFrom(item);
  } catch (cause) {
    throw new Unreadable(`the item of block ${item.sk} cannot be read`, { cause });
  }
}

export function blockFrom(item: Item): Block {
  const slots = item.slots as Record<string, Uint8Array>;
  return {
    space: unescaped(item.pk.split("#")[1] as string),
    cidr: cidrOf(addressInKey(item.sk), item.prefix as number),
    pool: item.pool as string,
    poolId: item.poolId as string,
    ...(item.host !== undefined && { host: item.host as HostId }),
    claimedAtMs: item.claimedAt as number,
    ...hostReservedFrom(item),
    slots: new Map(Object.entries(slots).map(([n, tag]) => [Number(n), slotOf(tag)])),
    epoch: item.epoch as string,
    revision: item.revision as string,
    ...(item.idleSince !== undefined && { idleSinceMs: item.idleSince as number }),
  };
}
