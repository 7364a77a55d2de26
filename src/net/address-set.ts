import { type Address, BITS, formatAddress } from "./address.ts";
import { type Cidr, type Interval, includes, merged } from "./cidr.ts";

/**
 * A set of addresses as runs in order that do not touch. A set is never expanded: every function computes with its runs, so
 * that a set of 2^64 addresses costs as much as one of two.
 */
export type AddressSet = readonly Interval[];

export const NO_ADDRESSES: AddressSet = [];

export const unionOf = (...sets: readonly AddressSet[]): AddressSet => merged(sets.flat());

/** Returns the addresses of a set that are in none of the others. */
export function subtract(set: AddressSet, ...others: readonly AddressSet[]): AddressSet {
  const taken = unionOf(...others);
  return set.flatMap((run) => {
    const left: Interval[] = [];
    let { first } = run;
    for (const gone of taken) {
      if (gone.family !== run.family || gone.last < first || gone.first > run.last) continue;
      if (gone.first > first) left.push({ ...run, first, last: gone.first - 1n });
      first = gone.last + 1n;
    }
    if (first <= run.last) left.push({ ...run, first });
    return left;
  });
}

/** Returns the addresses that are in both sets. */
export const sharedBy = (one: AddressSet, other: AddressSet): AddressSet =>
  one.flatMap((run) =>
    other
      .filter(
        ({ family, first, last }) =>
          family === run.family && first <= run.last && last >= run.first,
      )
      .map(({ first, last }) => ({
        family: run.family,
        first: first > run.first ? first : run.first,
        last: last < run.last ? last : run.last,
      })),
  );

export const includesAddress = (set: AddressSet, { family, value }: Address): boolean =>
  set.some((run) => includes(run, { family, first: value, last: value }));

export const countOf = (set: AddressSet): bigint =>
  set.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);

/** Formats the runs of a set as `a` and `a-b`, in order. `parseInterval` reads each of them. */
export const formatSet = (set: AddressSet): readonly string[] =>
  set.map(({ family, first, last }) => {
    const text = formatAddress({ family, value: first });
    return first === last ? text : `${text}-${formatAddress({ family, value: last })}`;
  });

/**
 * The networks of one prefix length that a set touches, in order of address: `first` to `last` of a run are their bases without
 * the bits below the prefix.
 */
export interface Networks {
  readonly prefix: number;
  readonly runs: readonly Interval[];
  readonly count: bigint;
}

/** Returns the networks of a prefix length that have an address of the set. */
export function networksOfLength(set: AddressSet, prefix: number): Networks {
  const runs = merged(
    set.map(({ family, first, last }) => {
      const low = BigInt(BITS[family] - prefix);
      return { family, first: first >> low, last: last >> low };
    }),
  );
  return { prefix, runs, count: countOf(runs) };
}

/** Returns the k-th of the networks, counted from 0. @throws {RangeError} if there are not so many */
export function networkAt({ prefix, runs }: Networks, k: bigint): Cidr {
  let left = k;
  for (const { family, first, last } of runs) {
    const count = last - first + 1n;
    if (left < count) {
      const base = (first + left) << BigInt(BITS[family] - prefix);
      return { family, base, prefix };
    }
    left -= count;
  }
  throw new RangeError(`there is no network ${k}`);
}
