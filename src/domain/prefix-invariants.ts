import type { Contents } from "./contents.ts";
import { nodeOfHandle } from "./node-handle.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds incarnations of nodes that have more than one prefix of a family, and prefixes that no node has (I17). */
export function prefixViolations({ blocks, allocations }: Contents): Violation[] {
  const handles = new Map(
    allocations.map(({ place: { space, handleHash }, handle }) => [
      `${space} ${handleHash}`,
      handle,
    ]),
  );
  const counts = new Map<string, number>();
  const found: Violation[] = [];
  for (const { space, cidr, whole, slots } of blocks) {
    const slot = slots.get(0);
    if (!whole || slot?.kind !== "taken") continue;
    const handle = handles.get(`${space} ${slot.handleHash}`);
    // A slot without an allocation is a violation of I3.
    if (handle === undefined) continue;
    if (!nodeOfHandle(handle))
      found.push(violation("I17", `${handle} is no node, and has a prefix`));
    const name = `${handle} of ${space} has IPv${cidr.family} prefixes`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count === 2) found.push(violation("I17", `${name}: more than one`));
  }
  return found;
}
