import { EARLIER_UIDS_MAX } from "../base/limits.ts";
import type { Allocation } from "../kernel/values/allocation.ts";
import { takenIn } from "../kernel/values/block.ts";
import { blocksByName } from "../kernel/values/blocks-by-name.ts";
import { ciliumPoolOfHandle, handleOfPrefixes, nodeOfHandle } from "../kernel/values/handle.ts";
import { type Cidr, formatCidr, intervalOf, overlaps, sameCidr } from "../net/cidr.ts";
import {
  type Instance,
  isKeptKind,
  isWorkloadHandle,
  workloadHandle,
} from "../nouns/application/workload.ts";
import { eachDepth } from "../nouns/pool/hierarchy.ts";
import { onePerSubnet } from "../nouns/pool/subnet.ts";
import type { Budget, Charge } from "../nouns/quota/budget.ts";
import { allocationName, allocationViolations } from "./allocation-invariants.ts";
import { applicationViolations, takenViolations } from "./application-invariants.ts";
import { blockViolations, poolOfBlock } from "./block-invariants.ts";
import { ciliumViolations } from "./cilium-invariants.ts";
import type { Contents } from "./contents.ts";
import { hierarchyViolations } from "./hierarchy-invariants.ts";
import { indexViolations } from "./index-invariants.ts";
import { violationsAtRest } from "./invariants-at-rest.ts";
import { setViolations } from "./set-invariants.ts";
import { type Violation, violation } from "./violation.ts";

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
  const blocks = blocksByName(contents.blocks);
  return [
    ...contents.unreadable.map(({ key, reason }) => violation("shape", `${key}: ${reason}`)),
    ...blockViolations(contents),
    ...eachDepth(
      contents.blocks.filter((block) => poolOfBlock(block, contents) || takenIn(block) > 0),
      (block) => poolOfBlock(block, contents),
      contents.pools,
    ).flatMap((level) => overlapping(level, "blocks")),
    ...eachDepth(
      onePerSubnet(contents.pools.filter(({ state }) => state === "active")),
      (pool) => pool,
      contents.pools,
    ).flatMap((level) => overlapping(level, "pools")),
    ...contents.plans.flatMap(({ space, entries }) =>
      eachDepth(onePerSubnet(entries), (entry) => entry, entries).flatMap((level) =>
        overlapping(
          level.map(({ cidr }) => ({ space, cidr })),
          "ranges of the plan",
        ),
      ),
    ),
    ...poolViolations(contents),
    ...hierarchyViolations(contents, blocks),
    ...setViolations(contents, blocks),
    ...allocationViolations(contents, blocks),
    ...instanceViolations(contents.allocations),
    ...prefixViolations(contents),
    ...ciliumViolations(contents),
    ...budgetViolations(contents),
    ...indexViolations(contents, blocks),
    ...applicationViolations(contents),
    ...takenViolations(contents, blocks),
    ...(quiet ? violationsAtRest(contents, blocks) : []),
  ];
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

/** Finds budgets that count less than what is held under their quotas (I21). */
const budgetViolations = (contents: Contents): Violation[] =>
  heldUnder(contents).flatMap(({ budget: { space, quota, of, used }, held }) => {
    const what = `quota ${quota} of ${space} counts ${used} ${of}, and ${held} are held`;
    return held > used ? [violation("I21", what)] : [];
  });

/** Returns the budgets, each with the number of what is held and charged to it. */
export function heldUnder({
  budgets,
  blocks,
  allocations,
}: Pick<Contents, "budgets" | "blocks" | "allocations">): readonly {
  readonly budget: Budget;
  readonly held: number;
}[] {
  if (budgets.length === 0) return [];
  const taken = new Map<string, number>();
  for (const { space, slots } of blocks)
    for (const slot of slots.values()) {
      if (slot.kind !== "taken") continue;
      const name = `${space} ${slot.token}`;
      taken.set(name, (taken.get(name) ?? 0) + 1);
    }
  return budgets.map((budget) => {
    const ofSpace = blocks.filter(({ space }) => space === budget.space);
    const claimed = ofSpace.filter(({ charge }) => isCharged(charge?.charges ?? [], budget));
    const held = allocations
      .filter(({ place, charges }) => place.space === budget.space && isCharged(charges, budget))
      .flatMap(({ place, parts }) => parts.map(({ token }) => `${place.space} ${token}`))
      .reduce((sum, name) => sum + (taken.get(name) ?? 0), claimed.length);
    return { budget, held };
  });
}

const isCharged = (charges: readonly Charge[], { quota, of, round, before }: Budget): boolean =>
  charges.some(
    (charge) =>
      charge.quota === quota &&
      charge.of === of &&
      (charge.round === round || charge.round === before),
  );

/** Finds instances with more than one allocation, and allocations that no instance can have (I14). */
function instanceViolations(allocations: readonly Allocation[]): Violation[] {
  const named = new Set<string>();
  return allocations.flatMap((allocation) => {
    const wrong = [...wrongWith(allocation)];
    const name = `${allocation.place.space} ${allocation.handle}`;
    if (allocation.workload && named.has(name)) wrong.push("is a second one of its instance");
    if (allocation.workload) named.add(name);
    return wrong.map((what) => violation("I14", `${allocationName(allocation)} ${what}`));
  });
}

function wrongWith({ handle, workload, state }: Allocation): string[] {
  if (workload) return [...wrongFor(handle, workload), ...wronglyKept(state, workload)];
  return [
    ...(isWorkloadHandle(handle) ? ["has the handle of an instance, and names none"] : []),
    ...(state === "kept" ? ["is kept, and names no instance"] : []),
  ];
}

function wrongFor(handle: string, { earlierUids, ...workload }: Instance): string[] {
  return [
    ...(handle === workloadHandle(workload) ? [] : ["has the handle of another instance"]),
    ...(earlierUids.includes(workload.uid) ? ["has a uid that another one has replaced"] : []),
    ...(earlierUids.length > EARLIER_UIDS_MAX
      ? [`remembers ${earlierUids.length} earlier uids`]
      : []),
  ];
}

const wronglyKept = (state: Allocation["state"], workload: Instance): string[] =>
  state === "kept" && !isKeptKind(workload)
    ? [`is kept, and a ${workload.kind} keeps no addresses`]
    : [];

/** Finds what is wrong with pools: a range that the plan does not give, or a deletion without a job. */
const poolViolations = (contents: Contents): Violation[] => [
  ...unplanned(contents),
  ...abandoned(contents),
];

/** Finds active pools whose range is not in the plan. A creator of another pool checks only the plan. */
function unplanned({ pools, plans }: Contents): Violation[] {
  return pools
    .filter(({ state }) => state === "active")
    .filter(
      ({ space, id, subnetId, cidr }) =>
        !plans.some(
          (plan) =>
            plan.space === space &&
            plan.entries.some(
              (entry) =>
                entry.id === id && entry.subnetId === subnetId && sameCidr(entry.cidr, cidr),
            ),
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
          (job) => job.kind === "pool.delete" && job.poolId === pool.id && job.state === "running",
        ),
    )
    .map(({ name }) => violation("shape", `pool ${name} is being deleted, and no job does it`));
}

/**
 * Finds incarnations of nodes that have more than one prefix of a family, and prefixes of handles that can have none (I17). Of a pool of
 * Cilium a node has any number of prefixes, and so has a handle of a caller. A prefix of a request that was aborted or released is ignored,
 * because no caller received it, or the caller gave it back.
 */
export function prefixViolations({ blocks, allocations }: Contents): Violation[] {
  const holders = new Map(
    allocations.flatMap((allocation) =>
      allocation.parts.map(
        ({ token }) => [`${allocation.place.space} ${token}`, allocation] as const,
      ),
    ),
  );
  const counts = new Map<string, number>();
  const found: Violation[] = [];
  for (const { space, cidr, whole, slots } of blocks) {
    const slot = slots.get(0);
    if (!whole || slot?.kind !== "taken") continue;
    const holder = holders.get(`${space} ${slot.token}`);
    // A slot without an allocation is a violation of I3.
    if (!holder) continue;
    const { handle, state } = holder;
    if (ciliumPoolOfHandle(handle) || handleOfPrefixes(handle) !== undefined) continue;
    if (!nodeOfHandle(handle))
      found.push(
        violation("I17", `${handle} has a prefix, and is neither a node nor a handle of prefixes`),
      );
    if (state === "aborted" || state === "released") continue;
    const name = `${handle} of ${space} has IPv${cidr.family} prefixes`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count === 2) found.push(violation("I17", `${name}: more than one`));
  }
  return found;
}
