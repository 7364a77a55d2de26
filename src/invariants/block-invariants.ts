import type { Allocation, Part } from "../kernel/values/allocation.ts";
import { type Block, capacityOf, takenIn } from "../kernel/values/block.ts";
import { groupIndexOf, groupOf, isBlockOf } from "../kernel/values/block-group.ts";
import type { BorrowedBlock } from "../kernel/values/borrowed-block.ts";
import { leadsTo } from "../kernel/values/fresh.ts";
import { isHostReserved } from "../kernel/values/host.ts";
import type { Slot } from "../kernel/values/slot.ts";
import { formatCidr, sameCidr } from "../net/cidr.ts";
import { assignsPrefixes, type Pool, subnetIdOf } from "../nouns/pool/pool.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds what is wrong with blocks and their slots. */
export function blockViolations(contents: Contents): Violation[] {
  const owners = ownersByToken(contents.allocations);
  return contents.blocks.flatMap((block) => violationsIn(block, contents, owners));
}

type Owner = { readonly allocation: Allocation; readonly part: Part };

function ownersByToken(allocations: readonly Allocation[]): ReadonlyMap<string, Owner[]> {
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

function violationsIn(
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
  const pool = poolOfBlock(block, contents);
  if (!pool) {
    // An empty block may have been created after its pool was gone. No request can take a slot of
    // it, and the repair run deletes it.
    if (takenIn(block) > 0) violate("shape", `is in use, and its pool ${block.pool} is gone`);
  } else if (pool.state === "pending") {
    // So a pool that is still pending can be deleted at once. An empty block may be from an earlier pool of the subnet that it joined.
    if (pool.id === subnetIdOf(pool) || takenIn(block) > 0)
      violate("shape", `was claimed in pool ${pool.name}, which is pending`);
  } else if (!isBlockOf(pool, block.cidr))
    violate("shape", `is no block of its pool ${block.pool}`);
  else if (assignsPrefixes(pool) !== (block.whole === true))
    violate("shape", `is ${block.whole ? "a prefix" : "no prefix"}, unlike its pool ${block.pool}`);
  else if (!isMapped(block, pool, contents))
    violate(
      "I4",
      "is in no block group of its pool's block-group index: no scheduled run would see it",
    );
  return found;
}

/** Finds the pool by the id in the block, or one of the subnet, an active one first: an earlier pool of the same name is another one. */
export function poolOfBlock({ space, poolId }: Block, { pools }: Contents): Pool | undefined {
  const all = pools.filter((pool) => pool.space === space && subnetIdOf(pool) === poolId);
  return all.find(({ state }) => state !== "pending") ?? all[0];
}

/** Returns whether the index lists the block's group: readers that must see every block use the index. */
function isMapped(block: Block, pool: Pool, { maps }: Contents): boolean {
  const index = groupIndexOf(pool, groupOf(block.cidr));
  return maps.some(
    (page) =>
      page.space === pool.space && page.poolId === subnetIdOf(pool) && page.groups.has(index),
  );
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
  // The slots of a kept allocation wait for the next incarnation of their instance: no host has them. A return that did not fit may have
  // named its host before the allocation was ended.
  const { state, workload } = owner?.allocation ?? {};
  if (state === "kept" || (workload && state === "released")) return undefined;
  const holder = owner?.allocation.host;
  const isLent = (borrowedBlock: BorrowedBlock) =>
    borrowedBlock.host === holder &&
    borrowedBlock.space === space &&
    sameCidr(borrowedBlock.block, cidr);
  if (holder !== host && !borrowedBlocks.some(isLent))
    return { invariant: "I11", what: `of ${holder} has no entry for this borrowed block` };
  return undefined;
}
