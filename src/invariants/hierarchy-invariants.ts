import { isBlockOf } from "../kernel/values/block-group.ts";
import { type BlocksByName, nameOfBlock } from "../kernel/values/blocks-by-name.ts";
import { formatCidr } from "../net/cidr.ts";
import type { Pool } from "../nouns/pool/pool.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/**
 * Finds pools with a parent that are not made of a prefix that a handle has, held for the pool (I23). A pool has its range from the
 * plan, so one whose range has not entered it, or has left it, holds nothing.
 */
export function hierarchyViolations(contents: Contents, blocks: BlocksByName): Violation[] {
  const planned = new Set(
    contents.plans.flatMap(({ space, entries }) => entries.map(({ id }) => `${space} ${id}`)),
  );
  return contents.pools
    .filter(({ space, id, parentId }) => parentId !== undefined && planned.has(`${space} ${id}`))
    .flatMap((pool) => {
      const wrong = wrongWith(pool, contents, blocks);
      const name = `pool ${pool.name} (${formatCidr(pool.cidr)}) of ${pool.space}`;
      return wrong === undefined ? [] : [violation("I23", `${name} ${wrong}`)];
    });
}

function wrongWith(pool: Pool, contents: Contents, blocks: BlocksByName): string | undefined {
  const { space, id, cidr, parentId } = pool;
  const parent = contents.pools.find((each) => each.space === space && each.id === parentId);
  if (!parent) return "lies in a pool that is gone";
  if (!isBlockOf(parent, cidr)) return `is no prefix of its parent ${parent.name}`;
  const slot = blocks.get(nameOfBlock(space, cidr))?.slots.get(0);
  if (slot?.kind !== "taken") return "is made of a prefix that nobody has";
  const owner = contents.allocations.find(
    ({ place, parts }) => place.space === space && parts.some(({ token }) => token === slot.token),
  );
  if (owner?.state !== "live" || owner.released.size > 0)
    return "is made of a prefix that is being released";
  return owner.childId === id ? undefined : "is made of a prefix that is not held for it";
}

/** Finds prefixes that are held for a pool that is gone. */
export const heldForNobody = ({ allocations, pools }: Contents): Violation[] =>
  allocations
    .filter(({ childId }) => childId !== undefined && !pools.some(({ id }) => id === childId))
    .map(({ handle }) =>
      violation("tidy", `a prefix of ${handle} is held for a pool that is gone`),
    );
