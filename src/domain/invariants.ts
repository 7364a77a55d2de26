import { parseAddress } from "./address.ts";
import { type Allocation, isOver, type Part } from "./allocation.ts";
import { type Block, capacityOf, heldBy, takenIn } from "./block.ts";
import { groupIndexOf, groupOf, isBlockOf } from "./block-group.ts";
import type { BorrowedBlock } from "./borrowed-block.ts";
import {
  type Cidr,
  contains,
  formatCidr,
  intervalOf,
  ordinalOf,
  overlaps,
  sameCidr,
} from "./cidr.ts";
import type { Contents } from "./contents.ts";
import { isHostReserved } from "./host-reserved.ts";
import type { Node } from "./node.ts";
import type { Pool } from "./pool.ts";
import type { QuotaSlotOfAllocation } from "./quota-slot.ts";
import type { Slot } from "./slot.ts";
import { leadsTo } from "./token.ts";

/** A state in a table that must never occur. */
export interface Violation {
  /** `I1` … `I12` of DESIGN.md, or `shape` for an item that cannot be right in itself, or `tidy` for left-overs at rest. */
  readonly invariant: string;
  readonly message: string;
}

/**
 * Proves the invariants over the contents of a table.
 *
 * @param quiet true if nothing is in flight, and repair and reclaim have run. Then affinities and allocations must be
 *   tidy too
 */
export function findViolations(
  contents: Contents,
  { quiet = false }: { readonly quiet?: boolean } = {},
): Violation[] {
  const allocations = allocationsByToken(contents.allocations);
  const blocks = new Map(
    contents.blocks.map((block) => [nameOfBlock(block.space, block.cidr), block]),
  );
  return [
    ...contents.unreadable.map(({ key, reason }) => violation("shape", `${key}: ${reason}`)),
    ...contents.blocks.flatMap((block) => blockViolations(block, contents, allocations)),
    ...overlapping(
      contents.blocks.filter((block) => poolOf(block, contents) || takenIn(block) > 0),
      "blocks",
    ),
    ...overlapping(
      contents.pools.filter(({ state }) => state === "active"),
      "pools",
    ),
    ...contents.plans.flatMap(({ space, entries }) =>
      overlapping(
        entries.map(({ cidr }) => ({ space, cidr })),
        "ranges of the plan",
      ),
    ),
    ...unplanned(contents),
    ...abandoned(contents),
    ...contents.allocations.flatMap((allocation) => allocationViolations(allocation, blocks)),
    ...withoutQuotaSlot(contents, blocks),
    ...(quiet ? untidy(contents, blocks) : []),
  ];
}

const violation = (invariant: string, message: string): Violation => ({ invariant, message });

type Owner = { readonly allocation: Allocation; readonly part: Part };

function allocationsByToken(allocations: readonly Allocation[]): ReadonlyMap<string, Owner[]> {
  const owners = new Map<string, Owner[]>();
  for (const allocation of allocations) {
    for (const part of allocation.parts) {
      const known = owners.get(part.token);
      if (known) known.push({ allocation, part });
      else owners.set(part.token, [{ allocation, part }]);
    }
  }
  return owners;
}

function blockViolations(
  block: Block,
  contents: Contents,
  owners: ReadonlyMap<string, Owner[]>,
): Violation[] {
  const capacity = capacityOf(block);
  const found: Violation[] = [];
  const violate = (invariant: string, what: string) =>
    found.push(violation(invariant, `block ${block.space} ${formatCidr(block.cidr)} ${what}`));
  for (const [ordinal, slot] of block.slots) {
    if (!Number.isInteger(ordinal) || ordinal < 0 || ordinal >= capacity)
      violate("shape", `has a slot ${ordinal} outside its range`);
    if (slot.kind === "foreign") violate("shape", `slot ${ordinal} has a tag that cannot be read`);
    if (slot.kind !== "taken") continue;
    const wrong = wrongIn(block, slot, contents, owners);
    if (wrong) violate(wrong.invariant, `slot ${ordinal} ${wrong.what}`);
    if (isHostReserved(block, ordinal))
      violate("I1", `slot ${ordinal} is taken, and its host keeps it for itself`);
  }
  const { start = 0, end = 0 } = block.hostReserved ?? {};
  if (!(start >= 0 && end >= 0 && start + end < capacity))
    violate("shape", "is too small for what its host keeps in it");
  const pool = poolOf(block, contents);
  if (!pool) {
    // An empty block may have been created after its pool was gone. No request can take a slot of
    // it, and the repair run deletes it.
    if (takenIn(block) > 0) violate("shape", `is in use, and its pool ${block.pool} is gone`);
  } else if (pool.state === "pending")
    // So a pool that is still pending can be deleted at once.
    violate("shape", `was claimed in pool ${pool.name}, which is pending`);
  else if (!isBlockOf(pool, block.cidr)) violate("shape", `is no block of its pool ${block.pool}`);
  else if (!isMapped(block, pool, contents))
    violate(
      "I4",
      "is in no block group of its pool's block-group index: no scheduled run would see it",
    );
  return found;
}

/** Finds the pool by its id: an earlier pool of the same name is another one. */
const poolOf = ({ space, poolId }: Block, { pools }: Contents): Pool | undefined =>
  pools.find((pool) => pool.space === space && pool.id === poolId);

/** Returns whether the index lists the block's group: readers that must see every block use the index. */
function isMapped(block: Block, pool: Pool, { maps }: Contents): boolean {
  const index = groupIndexOf(pool, groupOf(block.cidr));
  return maps.some(
    (page) => page.space === pool.space && page.poolId === pool.id && page.groups.has(index),
  );
}

/** Finds active pools whose range is not in the plan. A creator of another pool checks only the plan. */
function unplanned({ pools, plans }: Contents): Violation[] {
  return pools
    .filter(({ state }) => state === "active")
    .filter(
      ({ space, id, cidr }) =>
        !plans.some(
          (plan) =>
            plan.space === space &&
            plan.entries.some((entry) => entry.id === id && sameCidr(entry.cidr, cidr)),
        ),
    )
    .map(({ name, cidr }) =>
      violation("I1", `pool ${name} serves ${formatCidr(cidr)}, which the plan does not give it`),
    );
}

/** Finds pools in state `deleting` without a job that continues the deletion. */
function abandoned({ pools, jobs }: Contents): Violation[] {
  return pools
    .filter(({ state }) => state === "deleting")
    .filter(
      (pool) =>
        !jobs.some(
          ({ kind, poolId, state }) =>
            kind === "pool.delete" && poolId === pool.id && state === "running",
        ),
    )
    .map(({ name }) => violation("shape", `pool ${name} is being deleted, and no job does it`));
}

/** Returns what is wrong with a taken slot; nothing if it is right. */
function wrongIn(
  { space, cidr, host }: Block,
  slot: Slot & { readonly kind: "taken" },
  { borrowedBlocks }: Contents,
  owners: ReadonlyMap<string, Owner[]>,
): { readonly invariant: string; readonly what: string } | undefined {
  const rightful = (owners.get(slot.token) ?? []).filter(
    ({ allocation, part }) =>
      allocation.place.space === space &&
      allocation.place.handleHash === slot.handleHash &&
      sameCidr(part.block, cidr),
  );
  if (rightful.length === 0) return { invariant: "I3", what: "is taken without an allocation" };
  if (rightful.length > 1)
    return { invariant: "I1", what: `is named by ${rightful.length} allocations` };
  const [owner] = rightful;
  if (owner && !leadsTo(slot.token, owner.allocation.place))
    return { invariant: "I3", what: "has a token that does not lead to its allocation" };
  const holder = owner?.allocation.host;
  const isLent = (borrowedBlock: BorrowedBlock) =>
    borrowedBlock.host === holder &&
    borrowedBlock.space === space &&
    sameCidr(borrowedBlock.block, cidr);
  if (holder !== host && !borrowedBlocks.some(isLent))
    return { invariant: "I11", what: `of ${holder} has no entry for this borrowed block` };
  return undefined;
}

/**
 * Returns neighbours in the order of addresses that overlap: at least one pair if any two overlap.
 */
function overlapping(
  ranges: readonly { readonly space: string; readonly cidr: Cidr }[],
  kind: string,
): Violation[] {
  const sorted = ranges.toSorted(
    (a, b) =>
      (a.space === b.space ? 0 : a.space < b.space ? -1 : 1) ||
      a.cidr.family - b.cidr.family ||
      (a.cidr.base < b.cidr.base ? -1 : Number(a.cidr.base > b.cidr.base)),
  );
  return sorted.slice(1).flatMap((range, i) => {
    const before = sorted[i] as (typeof ranges)[number];
    const clash =
      before.space === range.space && overlaps(intervalOf(before.cidr), intervalOf(range.cidr));
    if (!clash) return [];
    const both = `${formatCidr(before.cidr)} and ${formatCidr(range.cidr)}`;
    return [violation("I1", `${kind} ${both} of ${range.space} overlap`)];
  });
}

type BlocksByName = ReadonlyMap<string, Block>;
const nameOfBlock = (space: string, cidr: Cidr) => `${space} ${nameOfCidr(cidr)}`;

/**
 * The names of CIDRs. The simulation asks for the same ones after every step, and a CIDR never
 * changes.
 */
const namesOfCidrs = new WeakMap<Cidr, string>();

/** Returns a key of a CIDR. It is no text for people, because it is computed for every part of every allocation. */
function nameOfCidr(cidr: Cidr): string {
  const known = namesOfCidrs.get(cidr);
  if (known !== undefined) return known;
  const name = `${cidr.family} ${cidr.base}/${cidr.prefix}`;
  namesOfCidrs.set(cidr, name);
  return name;
}

function allocationViolations(allocation: Allocation, blocks: BlocksByName): Violation[] {
  const count = heldCount(allocation, blocks);
  return count > allocation.want
    ? [
        violation(
          "I8",
          `${nameOf(allocation)} holds ${count} addresses and asked for ${allocation.want}`,
        ),
      ]
    : [];
}

function heldCount(allocation: Allocation, blocks: BlocksByName): number {
  const heldOf = ({ token, block }: Part) =>
    heldBy(blocks.get(nameOfBlock(allocation.place.space, block)), token).length;
  return allocation.parts.reduce((sum, part) => sum + heldOf(part), 0);
}

/**
 * Finds addresses of a handle with a limit that have no quota slot of their own. An address without one would exceed
 * the limit.
 */
function withoutQuotaSlot(
  { allocations, quotaSlots }: Contents,
  blocks: BlocksByName,
): Violation[] {
  const current = new Set(quotaSlots.map(({ revision }) => revision));
  return allocations
    .filter(({ state }) => state === "live")
    .flatMap((allocation) =>
      allocation.quotaSlots
        .filter(
          (quotaSlot) =>
            !current.has(quotaSlot.revision) && isQuotaSlotHeld(allocation, quotaSlot, blocks),
        )
        .map(({ address }) =>
          violation(
            "limit",
            `${nameOf(allocation)} holds ${address} in a quota slot that it no longer has`,
          ),
        ),
    );
}

function isQuotaSlotHeld(
  allocation: Allocation,
  quotaSlot: QuotaSlotOfAllocation,
  blocks: BlocksByName,
): boolean {
  const address = quotaSlot.address === undefined ? undefined : parseAddress(quotaSlot.address);
  if (!address?.ok) return false;
  return allocation.parts
    .filter(({ block }) => contains(block, address.value))
    .some(({ block, token }) =>
      heldBy(blocks.get(nameOfBlock(allocation.place.space, block)), token).includes(
        ordinalOf(block, address.value),
      ),
    );
}

/** Returns violations of what must also hold at rest, after the scheduled runs. */
function untidy(contents: Contents, byName: BlocksByName): Violation[] {
  const { blocks, affinities, allocations, pools, maps, quotaSlots } = contents;
  const affinityName = (host: string, space: string, cidr: Cidr) =>
    `${host} ${nameOfBlock(space, cidr)}`;
  const affinityNames = new Set(
    affinities.map(({ host, space, block }) => affinityName(host, space, block)),
  );
  return [
    ...blocks
      .filter((block) => !poolOf(block, contents))
      .map(({ cidr }) =>
        violation("tidy", `block ${formatCidr(cidr)} is left from a pool that is gone`),
      ),
    ...maps
      .filter(({ poolId }) => !pools.some(({ id }) => id === poolId))
      .map(({ poolId }) =>
        violation(
          "tidy",
          `a page of the block-group index is left from pool ${poolId}, which is gone`,
        ),
      ),
    ...blocks
      .filter(
        ({ host, space, cidr }) =>
          host !== undefined && !affinityNames.has(affinityName(host, space, cidr)),
      )
      .map(({ cidr, host }) =>
        violation(
          "I4",
          `block ${formatCidr(cidr)} is affine to ${host}, which has no affinity for it`,
        ),
      ),
    ...affinities
      .filter(({ state }) => state !== "confirmed")
      .map(({ host, block, state }) =>
        violation("tidy", `${host} has an affinity for ${formatCidr(block)} that is ${state}`),
      ),
    ...(affinityNames.size < affinities.length
      ? [violation("tidy", `${affinities.length - affinityNames.size} affinities are duplicates`)]
      : []),
    ...affinities
      .filter(({ host, space, block }) => byName.get(nameOfBlock(space, block))?.host !== host)
      .map(({ host, block }) =>
        violation(
          "tidy",
          `${host} has an affinity for ${formatCidr(block)}, which is not its block`,
        ),
      ),
    ...quotaSlots
      .filter(({ revision }) =>
        allocations.every((allocation) =>
          allocation.quotaSlots.every(
            (quotaSlot) =>
              quotaSlot.revision !== revision || !isQuotaSlotHeld(allocation, quotaSlot, byName),
          ),
        ),
      )
      .map(({ handle, family, number }) =>
        violation(
          "tidy",
          `IPv${family} quota slot ${number} of handle ${handle} has no address in it`,
        ),
      ),
    ...unlisted(contents),
    ...allocations.flatMap((allocation) => {
      const count = heldCount(allocation, byName);
      if (allocation.state === "pending" || allocation.state === "aborted")
        return [violation("tidy", `${nameOf(allocation)} is still ${allocation.state}`)];
      if (isOver(allocation) && count > 0)
        return [
          violation("tidy", `${nameOf(allocation)} is released and holds ${count} addresses`),
        ];
      if (!isOver(allocation) && count === 0)
        return [violation("tidy", `${nameOf(allocation)} is live and holds nothing`)];
      return [];
    }),
  ];
}

/** Finds nodes without an entry in their register, and entries without a node. */
function unlisted({ nodes, nodeEntries }: Contents): Violation[] {
  const placeOf = ({ space, name }: Pick<Node, "space" | "name">) => `${space} ${name}`;
  const current = new Set(nodes.map(placeOf));
  const entered = new Set(nodeEntries.map(placeOf));
  return [
    ...nodes
      .filter((node) => !entered.has(placeOf(node)))
      .map(({ name }) => violation("tidy", `node ${name} is not in the register of nodes`)),
    ...nodeEntries
      .filter((entry) => !current.has(placeOf(entry)))
      .map(({ name }) => violation("tidy", `the register has a node ${name}, which is not there`)),
  ];
}

const nameOf = ({ handle, place }: Allocation) =>
  `the allocation of handle ${handle} (${place.id})`;
