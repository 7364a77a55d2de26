import type { Address } from "../../net/address.ts";
import { type AddressSet, includesAddress, subtract, unionOf } from "../../net/address-set.ts";
import { cidrOf, contains, type Interval, intervalOf, merged, overlaps } from "../../net/cidr.ts";
import type { SpaceConfiguration } from "./configuration.ts";
import { assignsPrefixes, isRanged, type Pool, type PoolSpec } from "./pool.ts";

/** Returns the addresses that a pool assigns, reserved ones included. */
export const addressSetOf = ({
  cidr,
  ranges,
  excludes = [],
}: Pick<PoolSpec, "cidr" | "ranges" | "excludes">): AddressSet =>
  ranges ? subtract(ranges, excludes) : [intervalOf(cidr)];

/** Returns the addresses that can be assigned in the name of a pool: its set, and what was taken out of it and may still be in use. */
export const servedSetOf = (pool: Pool): AddressSet =>
  unionOf(addressSetOf(pool), pool.retiring ?? []);

/** Returns the addresses of a pool that no other pool can have: those, and what the pool is about to add. */
export const extentOf = (pool: Pool): AddressSet => unionOf(servedSetOf(pool), pool.adding ?? []);

/** Returns true if a change left addresses with a pool that are not in its set. A job frees them. */
export const isShrinking = ({ adding, retiring }: Pool): boolean =>
  adding !== undefined || retiring !== undefined;

/** Returns true if the pool assigns the address, unless it is reserved. */
export const hasAddress = (pool: Pool, address: Address): boolean =>
  isRanged(pool)
    ? includesAddress(madeOf(pool, NONE_RESERVED).set, address)
    : contains(pool.cidr, address);

/** Returns the addresses of a pool that automatic assignment may give: its set without reserved ones. */
export const openSetOf = (
  pool: Pool,
  { reserved }: Pick<SpaceConfiguration, "reserved">,
): AddressSet => madeOf(pool, reserved).open;

/**
 * Returns the runs that automatic assignment leaves out in the blocks of a pool. For a ranged pool, all that is outside of its set
 * counts as reserved. For a pool of prefixes, each prefix that a reservation touches counts as reserved as a whole.
 */
export const reservedFor = (
  pool: PoolSpec | undefined,
  { reserved }: Pick<SpaceConfiguration, "reserved">,
): readonly Interval[] =>
  pool && (isRanged(pool) || assignsPrefixes(pool)) ? madeOf(pool, reserved).closed : reserved;

/** The sets of a pool under some reservations. */
interface Made {
  readonly reserved: readonly Interval[];
  readonly set: AddressSet;
  readonly open: AddressSet;
  readonly closed: readonly Interval[];
}

const NONE_RESERVED: readonly Interval[] = [];

/** The sets of the pools in use. A copy of the configuration has its own pools, so that a set is made once for each copy. */
const made = new WeakMap<PoolSpec, Made>();

function madeOf(pool: PoolSpec, reserved: readonly Interval[]): Made {
  const known = made.get(pool);
  if (known && (known.reserved === reserved || reserved === NONE_RESERVED)) return known;
  const set = addressSetOf(pool);
  const open = subtract(set, assignsPrefixes(pool) ? touchedBy(reserved, pool) : reserved);
  const now = { reserved, set, open, closed: subtract([intervalOf(pool.cidr)], open) };
  made.set(pool, now);
  return now;
}

/** Returns the blocks of a pool that have an address of these runs, as runs. */
const touchedBy = (
  runs: readonly Interval[],
  { cidr, blockSize }: PoolSpec,
): readonly Interval[] => {
  const blockAt = (value: bigint) => intervalOf(cidrOf({ family: cidr.family, value }, blockSize));
  return merged(
    runs
      .filter((run) => overlaps(run, intervalOf(cidr)))
      .map(({ family, first, last }) => ({
        family,
        first: blockAt(first).first,
        last: blockAt(last).last,
      })),
  );
};
