/** A pool, or its entry in the address plan, in a tree: a pool can be made of a prefix of another one. */
interface Member {
  readonly id: string;
  /** Absent for a pool that lies in no other. */
  readonly parentId?: string;
}

/** Returns true if one pool is the parent of another, or a parent further up. */
export const isAncestor = (one: Member, other: Member, all: readonly Member[]): boolean =>
  ancestorsOf(other, all).some(({ id }) => id === one.id);

/**
 * Returns values by the depth of their pools: those of pools that lie in no other, then those of pools that are made of a prefix of
 * these, and so on. Only values of different depth may overlap.
 */
export function eachDepth<T>(
  values: readonly T[],
  poolOf: (value: T) => Member | undefined,
  all: readonly Member[],
): readonly (readonly T[])[] {
  const levels: T[][] = [];
  if (all.every(({ parentId }) => parentId === undefined)) return [values];
  for (const value of values) {
    const pool = poolOf(value);
    const depth = pool ? ancestorsOf(pool, all).length : 0;
    while (levels.length <= depth) levels.push([]);
    levels[depth]?.push(value);
  }
  return levels;
}

/** Returns the parent of a pool, the parent of that, and so on. A loop, which no write makes, ends the list. */
function ancestorsOf<T extends Member>(one: Member, all: readonly T[]): readonly T[] {
  const found: T[] = [];
  for (let id = one.parentId; id !== undefined; ) {
    const next = all.find((each) => each.id === id);
    if (!next || found.includes(next)) break;
    found.push(next);
    id = next.parentId;
  }
  return found;
}

/** Returns the pools that are made of a prefix of this one, by name. */
export const childrenOf = <T extends Member & { readonly name: string }>(
  { id }: Member,
  pools: readonly T[],
): readonly T[] =>
  pools.filter(({ parentId }) => parentId === id).toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Returns those of some pools that have no child among them. */
export const innermost = <T extends Member>(pools: readonly T[]): readonly T[] =>
  pools.filter(({ id }) => pools.every(({ parentId }) => parentId !== id));
