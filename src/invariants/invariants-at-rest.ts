import { type Allocation, isOver } from "../kernel/values/allocation.ts";
import { type BlocksByName, nameOfBlock } from "../kernel/values/blocks-by-name.ts";
import { ciliumNodeOfHandle, nodeOfHandle } from "../kernel/values/handle.ts";
import { type Cidr, formatCidr } from "../net/cidr.ts";
import { type Node, uidOfNode } from "../nouns/node/node.ts";
import { subnetIdOf } from "../nouns/pool/pool.ts";
import { allocationName, heldCount, isQuotaSlotHeld } from "./allocation-invariants.ts";
import { applicationViolationsAtRest } from "./application-invariants.ts";
import { poolOfBlock } from "./block-invariants.ts";
import type { Contents } from "./contents.ts";
import { heldForNobody } from "./hierarchy-invariants.ts";
import { indexViolationsAtRest } from "./index-invariants.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds violations of what must also hold at rest, after the scheduled runs. */
export const violationsAtRest = (contents: Contents, blocks: BlocksByName): Violation[] => [
  ...withoutPool(contents),
  ...heldForNobody(contents),
  ...untidyAffinities(contents, blocks),
  ...emptyQuotaSlots(contents, blocks),
  ...unlisted(contents),
  ...indexViolationsAtRest(contents),
  ...applicationViolationsAtRest(contents, blocks),
  ...nodeViolationsAtRest(contents),
  ...contents.allocations.flatMap((allocation) => untidyAllocation(allocation, blocks)),
];

/** Finds blocks and pages of the block-group index whose pool is gone. */
function withoutPool(contents: Contents): Violation[] {
  const { blocks, pools, maps } = contents;
  return [
    ...blocks
      .filter((block) => !poolOfBlock(block, contents))
      .map(({ cidr }) => `block ${formatCidr(cidr)} is left from a pool that is gone`),
    ...maps
      .filter(({ poolId }) => !pools.some((pool) => subnetIdOf(pool) === poolId))
      .map(
        ({ poolId }) =>
          `a page of the block-group index is left from pool ${poolId}, which is gone`,
      ),
  ].map(tidy);
}

/** Finds affine blocks without an affinity, and affinities that are unconfirmed, duplicates or without their block. */
function untidyAffinities({ blocks, affinities }: Contents, byName: BlocksByName): Violation[] {
  const affinityName = (host: string, space: string, cidr: Cidr) =>
    `${host} ${nameOfBlock(space, cidr)}`;
  const names = new Set(
    affinities.map(({ host, space, block }) => affinityName(host, space, block)),
  );
  const duplicates = affinities.length - names.size;
  return [
    ...blocks
      .filter(
        ({ host, space, cidr }) =>
          host !== undefined && !names.has(affinityName(host, space, cidr)),
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
        tidy(`${host} has an affinity for ${formatCidr(block)} that is ${state}`),
      ),
    ...(duplicates > 0 ? [tidy(`${duplicates} affinities are duplicates`)] : []),
    ...affinities
      .filter(({ host, space, block }) => byName.get(nameOfBlock(space, block))?.host !== host)
      .map(({ host, block }) =>
        tidy(`${host} has an affinity for ${formatCidr(block)}, which is not its block`),
      ),
  ];
}

function emptyQuotaSlots({ quotaSlots, allocations }: Contents, byName: BlocksByName): Violation[] {
  return quotaSlots
    .filter(({ revision }) =>
      allocations.every((allocation) =>
        allocation.quotaSlots.every(
          (quotaSlot) =>
            quotaSlot.revision !== revision || !isQuotaSlotHeld(allocation, quotaSlot, byName),
        ),
      ),
    )
    .map(({ handle, family, number }) =>
      tidy(`IPv${family} quota slot ${number} of handle ${handle} has no address in it`),
    );
}

/** Finds nodes without an entry in their register, and entries without a node. */
function unlisted({ nodes, nodeEntries }: Contents): Violation[] {
  const placeOf = ({ space, name }: Pick<Node, "space" | "name">) => `${space} ${name}`;
  const current = new Set(nodes.map(placeOf));
  const entered = new Set(nodeEntries.map(placeOf));
  return [
    ...nodes
      .filter((node) => !entered.has(placeOf(node)))
      .map(({ name }) => tidy(`node ${name} is not in the register of nodes`)),
    ...nodeEntries
      .filter((entry) => !current.has(placeOf(entry)))
      .map(({ name }) => tidy(`the register has a node ${name}, which is not there`)),
  ];
}

function untidyAllocation(allocation: Allocation, byName: BlocksByName): Violation[] {
  const count = heldCount(allocation, byName);
  if (allocation.state === "pending" || allocation.state === "aborted")
    return [tidy(`${allocationName(allocation)} is still ${allocation.state}`)];
  if (isOver(allocation) && count > 0)
    return [tidy(`${allocationName(allocation)} is released and holds ${count} addresses`)];
  if (!isOver(allocation) && count === 0)
    return [tidy(`${allocationName(allocation)} is live and holds nothing`)];
  return [];
}

const tidy = (message: string): Violation => violation("tidy", message);

/** Finds what an ended node still has after the repair run freed it: prefixes, what it states, its report, its registration (I19). */
function nodeViolationsAtRest(contents: Contents): Violation[] {
  const { allocations, ciliumReports, nodeReports, nodes, statedRanges, tombstones } = contents;
  const freed = new Set(
    tombstones
      .filter(({ state }) => state === "freed")
      .map(({ space, name, uid }) => objectName(space, name, uid)),
  );
  if (freed.size === 0) return [];
  const left = [
    ...allocations.flatMap((allocation) => {
      const { handle } = allocation;
      const of = isOver(allocation)
        ? undefined
        : (nodeOfHandle(handle) ?? ciliumNodeOfHandle(handle));
      const name = of && objectName(allocation.place.space, of.node, of.uid);
      return name === undefined ? [] : [{ name, thing: `allocation ${handle}` }];
    }),
    ...[...nodeReports, ...ciliumReports].map(({ space, name, uid }) => ({
      name: objectName(space, name, uid),
      thing: "a report",
    })),
    ...statedRanges.map(({ space, node, uid }) => ({
      name: objectName(space, node, uid),
      thing: "what it states",
    })),
    ...nodes.map((node) => ({
      name: objectName(node.space, node.name, uidOfNode(node) ?? ""),
      thing: "its registration",
    })),
  ];
  return left
    .filter(({ name }) => freed.has(name))
    .map(({ name, thing }) => violation("I19", `${name} has ended, and ${thing} is left`));
}

const objectName = (space: string, name: string, uid: string): string =>
  `node ${name} of ${space}, uid ${uid}`;
