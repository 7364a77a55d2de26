import { isOver } from "./allocation.ts";
import type { Contents } from "./contents.ts";
import { ciliumNodeOfHandle, nodeOfHandle } from "./handle.ts";
import { uidOfNode } from "./node.ts";
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
