import type { Contents } from "./contents.ts";
import { ciliumPoolOfHandle, handleOfPrefixes, nodeOfHandle } from "./handle.ts";
import { type Violation, violation } from "./violation.ts";

/**
 * Finds incarnations of nodes that have more than one prefix of a family, and prefixes of handles that can have none (I17). Of a pool of
 * Cilium a node has any number of prefixes, and so has a handle of a caller. A prefix of a request that was aborted or released counts for nobody: nobody was told of it, or it was given
 * back, and it is about to be freed.
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
