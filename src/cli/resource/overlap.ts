import { intervalOf, overlaps, parseCidr } from "../../domain/cidr.ts";
import { usageError } from "../shell/exit.ts";
import type { Change } from "./change.ts";
import { POOL } from "./kind.ts";

/** Finds new pools that overlap each other, because the API checks each pool alone. A pool lies in its parent by right. */
export function checkApart(changes: readonly Change[]): void {
  const pools = changes
    .filter(({ wanted, outcome }) => wanted.kind === POOL && outcome === "created")
    .filter(({ body }) => body.parent === undefined)
    .map(({ wanted: { name }, body }) => ({ name, cidr: String(body.cidr) }));
  for (const [at, one] of pools.entries()) {
    const other = pools.slice(0, at).find(({ cidr }) => isOverlap(cidr, one.cidr));
    if (other)
      throw usageError(
        `The pools ${other.name} (${other.cidr}) and ${one.name} (${one.cidr}) overlap.`,
      );
  }
}

function isOverlap(a: string, b: string): boolean {
  const [first, second] = [parseCidr(a), parseCidr(b)];
  return first.ok && second.ok && overlaps(intervalOf(first.value), intervalOf(second.value));
}
