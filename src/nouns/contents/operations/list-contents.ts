import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import {
  type Contents,
  joinedContents,
  PARTS_OF_SPACE,
  type PartOfSpace,
} from "../../../invariants/contents.ts";
import { groupsAfter } from "../../../kernel/blocks/walk-pool.ts";
import { pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import type { Block } from "../../../kernel/values/block.ts";
import { allocationStartIn } from "../../../kernel/values/fresh.ts";
import { affinityTypeOf, type HostId, hostId, hostName } from "../../../kernel/values/host.ts";
import { entriesOf } from "../../../kernel/values/index-entry.ts";
import type { Slot } from "../../../kernel/values/slot.ts";
import { seenFrom } from "../../../kernel/values/sweep.ts";
import type { Address } from "../../../net/address.ts";
import { addressAt, type Cidr, contains, intervalOf } from "../../../net/cidr.ts";
import { type Pool, subnetIdOf } from "../../pool/pool.ts";
import { walkOrder } from "../../pool/subnet.ts";

/**
 * Items of a space, or slots of its blocks, that a listing looks at together. With `LOOKS_PER_PAGE` a page reads 1,024 allocations, as a
 * page of a search does.
 */
const CONTENTS_ITEMS_PER_LOOK = 32;

type NamedPart = (typeof PARTS_OF_SPACE)[number];

/** The place in a space where a read continues: in a part of it, or at a place of a walk over its blocks. It names nothing of other spaces. */
export type ContentsPosition = (
  | { readonly part: NamedPart; readonly after?: string | undefined }
  | { readonly place: string; readonly from?: Address | undefined }
) & {
  /** The number of items that the page before already has, of those that the next read returns. */
  readonly told?: number | undefined;
};

/** A page of the items of a space. */
export interface ContentsPage {
  readonly contents: Contents;
  /** Absent on the last page. */
  readonly next?: ContentsPosition;
}

/** The result of a look: some items, and the position behind them. */
interface Look {
  readonly contents: Contents;
  readonly next: ContentsPosition | undefined;
}

/**
 * Reads a page of the items of a space, for a caller that checks the space as a whole. Every read is a Query of a partition of the space
 * (decision 118), so what nothing in the space leads to is not on any page. An item to which several blocks lead can be on more
 * than one.
 *
 * A walk over a table in use is no snapshot. It can miss an item that is written during the walk. Of two items that change together,
 * it can return one from before and one from after.
 *
 * @param bytesOf returns the bytes of some items in the answer
 * @param bytesMax the maximum for the whole answer: at least the bytes of the largest item
 */
export async function listContents(
  context: Context,
  { space, position }: { readonly space: string; readonly position?: ContentsPosition | undefined },
  bytesOf: (contents: Contents) => number,
  bytesMax: number,
): Promise<ContentsPage> {
  const budget = pageBudget(context);
  const found: Contents[] = [];
  let bytes = 0;
  let next: ContentsPosition = position ?? FIRST;
  for await (const look of looksFrom(context, space, next)) {
    budget.look();
    const told = next.told ?? 0;
    const items = told === 0 ? look.contents : slice(look.contents, told, sizeOf(look.contents));
    const size = bytesOf(items);
    if (bytes + size > bytesMax && found.length > 0) return pageOf(found, next);
    if (size > bytesMax) {
      const count = fitting(items, bytesOf, bytesMax);
      return pageOf([slice(items, 0, count)], { ...next, told: told + count });
    }
    bytes += size;
    found.push(items);
    if (!look.next) break;
    next = look.next;
    if (budget.isSpent) return pageOf(found, next);
  }
  return pageOf(found);
}

const FIRST: ContentsPosition = { part: PARTS_OF_SPACE[0] };

const pageOf = (found: readonly Contents[], next?: ContentsPosition): ContentsPage => ({
  contents: joinedContents(found),
  ...(next !== undefined && { next }),
});

const sizeOf = (contents: Contents): number =>
  Object.values(contents).reduce((sum, items) => sum + items.length, 0);

/** Returns the items from one place to another, in the order of their kinds. */
function slice(contents: Contents, from: number, to: number): Contents {
  let passed = 0;
  const kinds = Object.entries(contents).map(([kind, items]) => {
    const some = items.slice(Math.max(from - passed, 0), Math.max(to - passed, 0));
    passed += items.length;
    return [kind, some] as const;
  });
  return { ...NOTHING, ...Object.fromEntries(kinds) };
}

/** Returns how many items, from the first on, fit into an answer. A single one always fits. */
function fitting(contents: Contents, bytesOf: (some: Contents) => number, bytesMax: number) {
  let count = sizeOf(contents);
  while (count > 1 && bytesOf(slice(contents, 0, count)) > bytesMax) count = Math.ceil(count / 2);
  return count;
}

/** Looks at a space from a position on: at its parts, and then at its blocks. */
async function* looksFrom(
  context: Context,
  space: string,
  position: ContentsPosition,
): AsyncGenerator<Look> {
  const reader = readerOf(context, space);
  const within = (contents: Contents): Contents => ({
    ...contents,
    walks: contents.walks.map((walk) => seenFrom(walk, space)),
  });
  if ("part" in position) {
    const first = PARTS_OF_SPACE.indexOf(position.part);
    for (const [i, part] of PARTS_OF_SPACE.entries()) {
      if (i < first) continue;
      const following = PARTS_OF_SPACE[i + 1];
      let after = i === first ? position.after : undefined;
      do {
        const limit = CONTENTS_ITEMS_PER_LOOK;
        const { contents, next } = await context.store.readPart(
          space,
          { of: part },
          { after, limit },
        );
        const beyond = following === undefined ? BLOCKS : { part: following };
        yield {
          contents: joinedContents([within(contents), ...(await reader.aroundRegister(contents))]),
          next: next === undefined ? beyond : { part, after: next },
        };
        after = next;
      } while (after !== undefined);
    }
  }
  yield* looksAtBlocks(context, space, reader, "place" in position ? position : BLOCKS);
}

/** The position before the blocks of the first pool. */
const BLOCKS = { place: "" };

const NOTHING = joinedContents([]);

/**
 * Looks at the blocks of a space, pool by pool in the order of a walk. Blocks that pools share belong to the first of them, and
 * blocks of a pool that is gone to the one that has their range now.
 */
async function* looksAtBlocks(
  { store }: Context,
  space: string,
  reader: Reader,
  position: Extract<ContentsPosition, { readonly place: string }>,
): AsyncGenerator<Look> {
  const { pools } = await store.readSpace(space);
  const subnets = new Set(pools.map(subnetIdOf));
  const ahead = walkOrder(pools, { from: position.place });
  for (const [i, { pool, place }] of ahead.entries()) {
    const following = ahead[i + 1];
    const beyond = following && { place: following.place };
    const at = (from: Address) => ({ place, from });
    const isThere = place === position.place && position.from?.family === pool.cidr.family;
    const start = isThere ? position.from : undefined;
    const poolId = subnetIdOf(pool);
    const { contents: index } = await store.readPart(space, { of: "index", poolId });
    const indexes = new Set(index.maps.flatMap(({ groups }) => [...groups]));
    const groups = groupsAfter(pool, indexes, undefined, (group) => !start || ends(group, start));
    const [first] = groups;
    if (!start) yield { contents: index, next: first ? at(addressAt(first, 0)) : beyond };
    for (const [n, group] of groups.entries()) {
      const from = n === 0 && start ? start : addressAt(group, 0);
      const { contents } = await store.readPart(space, { of: "group", group });
      const { unreadable } = contents;
      const blocks = contents.blocks.filter(
        (block) =>
          block.poolId === poolId || (!subnets.has(block.poolId) && isWithin(pool, block.cidr)),
      );
      const stops = stopsIn(blocks, from);
      const nextGroup = groups[n + 1];
      const behind = nextGroup ? at(addressAt(nextGroup, 0)) : beyond;
      for (
        let offset = 0;
        offset === 0 || offset < stops.length;
        offset += CONTENTS_ITEMS_PER_LOOK
      ) {
        const found = await reader.around(stops.slice(offset, offset + CONTENTS_ITEMS_PER_LOOK));
        const isStart = offset === 0 && from.value <= group.base;
        const stop = stops[offset + CONTENTS_ITEMS_PER_LOOK];
        yield {
          contents: joinedContents([...found, ...(isStart ? [{ ...NOTHING, unreadable }] : [])]),
          next: stop ? at(stop.address) : behind,
        };
      }
    }
  }
}

/** Returns true if a network has an address from this one on. */
const ends = (network: Cidr, from: Address): boolean => intervalOf(network).last >= from.value;

const isWithin = ({ cidr }: Pool, { family, base }: Cidr): boolean =>
  contains(cidr, { family, value: base });

/** A place in a block at which a walk can continue: its beginning, or a slot that is not free. */
interface Stop {
  readonly address: Address;
  /** The block, where it begins. */
  readonly block?: Block;
  readonly slot?: Slot | undefined;
}

/** Returns the stops from an address on, in the order of addresses. */
const stopsIn = (blocks: readonly Block[], from: Address): readonly Stop[] =>
  blocks
    .filter(({ cidr }) => ends(cidr, from))
    .toSorted((a, b) => (a.cidr.base < b.cidr.base ? -1 : 1))
    .flatMap((block) =>
      [...new Set([0, ...block.slots.keys()])]
        .toSorted((a, b) => a - b)
        .map((ordinal) => ({
          address: addressAt(block.cidr, ordinal),
          slot: block.slots.get(ordinal),
          ...(ordinal === 0 && { block }),
        })),
    )
    .filter(({ address }) => address.value >= from.value);

type Reader = ReturnType<typeof readerOf>;

/** Reads what items lead to, each part of the space once for a page. */
function readerOf({ store }: Context, space: string) {
  const seen = new Set<string>();
  const readOnce = async (parts: readonly PartOfSpace[]): Promise<Contents[]> => {
    const fresh = parts.filter((part) => {
      const name = JSON.stringify(part);
      return !seen.has(name) && seen.add(name);
    });
    const read = await inParallel(fresh, PAGE_READS_AT_ONCE, (part) => store.readPart(space, part));
    return read.map(({ contents }) => contents);
  };
  return {
    /** Returns the budgets of quotas, and what is known of nodes. A node that states networks need not be registered. */
    aroundRegister: ({ quotas, nodeEntries, statedRanges }: Contents): Promise<Contents[]> =>
      readOnce([
        ...quotas.map(({ name }): PartOfSpace => ({ of: "budgets", quota: name })),
        ...[
          ...nodeEntries.map(({ name }) => name),
          ...statedRanges.map(({ node }) => node),
        ].flatMap((name) => partsOfHost(hostId("host", name))),
      ]),

    /** Returns blocks and the allocations of slots, and what these lead to. */
    async around(stops: readonly Stop[]): Promise<readonly Contents[]> {
      const blocks = stops.flatMap(({ block = [] }) => block);
      const owners = blocks.flatMap(({ host }) => (host === undefined ? [] : partsOfHost(host)));
      const found = await readOnce([...owners, ...stops.flatMap(({ slot }) => partsOfSlot(slot))]);
      const allocations = found.flatMap((each) => each.allocations);
      const further = await readOnce(allocations.flatMap(partsOfAllocation));
      return [{ ...NOTHING, blocks }, ...found, ...further];
    },
  };
}

const partsOfHost = (host: HostId): readonly PartOfSpace[] => [
  { of: "host", host },
  ...(affinityTypeOf(host) === "host" ? [{ of: "node", name: hostName(host) } as const] : []),
];

const partsOfSlot = (slot: Slot | undefined): readonly PartOfSpace[] =>
  slot?.kind === "taken" || slot?.kind === "quarantined"
    ? [{ of: "allocations", handleHash: slot.handleHash, start: allocationStartIn(slot.token) }]
    : [];

const partsOfAllocation = (allocation: Allocation): readonly PartOfSpace[] => [
  ...partsOfHost(allocation.host),
  ...(allocation.quotaSlots.length > 0
    ? [{ of: "quotaSlots", handle: allocation.handle } as const]
    : []),
  ...entriesOf(allocation).map((entry) => ({ of: "indexEntry", entry }) as const),
];
