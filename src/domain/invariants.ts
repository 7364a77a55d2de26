import { allocationViolations } from "./allocation-invariants.ts";
import { applicationViolations, takenViolations } from "./application-invariants.ts";
import { takenIn } from "./block.ts";
import { blockViolations, poolOf } from "./block-invariants.ts";
import { blocksByName } from "./blocks-by-name.ts";
import { budgetViolations } from "./budget-invariants.ts";
import { type Cidr, formatCidr, intervalOf, overlaps } from "./cidr.ts";
import { ciliumViolations } from "./cilium-invariants.ts";
import type { Contents } from "./contents.ts";
import { hierarchyViolations } from "./hierarchy-invariants.ts";
import { indexViolations } from "./index-invariants.ts";
import { instanceViolations } from "./instance-invariants.ts";
import { violationsAtRest } from "./invariants-at-rest.ts";
import { eachDepth } from "./pool-hierarchy.ts";
import { poolViolations } from "./pool-invariants.ts";
import { prefixViolations } from "./prefix-invariants.ts";
import { setViolations } from "./set-invariants.ts";
import { onePerSubnet } from "./subnet.ts";
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
      contents.blocks.filter((block) => poolOf(block, contents) || takenIn(block) > 0),
      (block) => poolOf(block, contents),
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
