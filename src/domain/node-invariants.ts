import { isOver } from "./allocation.ts";
import type { Contents } from "./contents.ts";
import { uidOfNode } from "./node.ts";
import { ciliumNodeOfHandle, nodeOfHandle } from "./node-handle.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds what an ended node still has after the repair run freed it: prefixes, what it states, its report, its registration (I19). */
export function nodeViolationsAtRest(contents: Contents): Violation[] {
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
      return of ? [objectName(allocation.place.space, of.node, of.uid)] : [];
    }),
    ...[...nodeReports, ...ciliumReports].map(({ space, name, uid }) =>
      objectName(space, name, uid),
    ),
    ...statedRanges.map(({ space, node, uid }) => objectName(space, node, uid)),
    ...nodes.map((node) => objectName(node.space, node.name, uidOfNode(node) ?? "")),
  ];
  return left
    .filter((name) => freed.has(name))
    .map((name) => violation("I19", `${name} has ended, and something of it is left`));
}

const objectName = (space: string, name: string, uid: string): string =>
  `node ${name} of ${space}, uid ${uid}`;
