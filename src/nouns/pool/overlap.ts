import { Rejection } from "../../base/outcome.ts";
import { type AddressSet, formatSet, sharedBy, subtract, unionOf } from "../../net/address-set.ts";
import { formatCidr } from "../../net/cidr.ts";
import { shrinkJobId, untilDeleted } from "../job/job.ts";
import { type AddressPlanEntry, mayShare } from "./address-plan.ts";
import { isBeside, isForApplications } from "./application-pools.ts";
import { noneUnread, type SpaceConfiguration } from "./configuration.ts";
import type { Pool } from "./pool.ts";
import { addressSetOf, extentOf } from "./set.ts";

/** The reason why a ranged pool cannot have some addresses. */
interface InTheWay {
  readonly rejection: Rejection;
  /** The pool in the way, if it does not have them in its set: a job makes them free. */
  readonly shrinking?: Pool;
}

/**
 * Returns the rejection of a ranged pool that would share addresses with another pool of the space, pending ones included; otherwise
 * nothing.
 *
 * @param wanted the addresses that the pool is to have
 */
export function sharedAddresses(
  pool: Pool,
  wanted: AddressSet,
  pools: readonly Pool[],
): InTheWay | undefined {
  const applied = againstApplications(pool, wanted, pools);
  if (applied) return { rejection: applied };
  // An Applications pool and the pools inside of it have the same addresses.
  const others = pools.filter(
    (other) =>
      other.id !== pool.id &&
      !(isBeside(pool, other) && (isForApplications(pool) || isForApplications(other))),
  );
  const rejection = (first: string, other: Pool, fate: string, job: object) =>
    new Rejection(
      "pool_overlap",
      `Pool ${pool.name} cannot have ${first}: pool ${other.name} of this space ${fate}.`,
      {
        fields: [{ field: "ranges", problem: `has ${first}, which pool ${other.name} has` }],
        ...job,
      },
    );
  // A pool that keeps its addresses comes first: while it is in the way, there is nothing to wait for.
  for (const other of others) {
    const kept = other.state === "deleting" ? extentOf(other) : addressSetOf(other);
    const [first] = formatSet(sharedBy(wanted, kept));
    if (first !== undefined)
      return { rejection: rejection(first, other, `has it${fateOf(other)}`, untilDeleted(other)) };
  }
  for (const other of others) {
    const [first] = formatSet(sharedBy(wanted, extentOf(other)));
    if (first === undefined) continue;
    const job = shrinkJobId(other.id);
    const fate = `keeps it until job ${job} is done`;
    return {
      rejection: rejection(first, other, fate, { retryable: true, job }),
      shrinking: other,
    };
  }
  return undefined;
}

/** Returns the rejection of a pool that does not fit to the Applications pool of its CIDR, or that does not fit as one. */
function againstApplications(
  pool: Pool,
  wanted: AddressSet,
  pools: readonly Pool[],
): Rejection | undefined {
  for (const other of pools.filter((each) => isBeside(pool, each))) {
    if (!isForApplications(pool) && !isForApplications(other)) continue;
    if (isForApplications(pool) && isForApplications(other)) return secondOf(pool, other);
    const [outer, inner] = isForApplications(pool)
      ? [unionOf(addressSetOf(pool), wanted), extentOf(other)]
      : [addressSetOf(other), wanted];
    const [astray] = formatSet(subtract(inner, outer));
    if (astray !== undefined) return outsideOf(pool, other, astray);
  }
  return undefined;
}

/**
 * Returns the rejection of a change that takes addresses out of an Applications pool which pools inside of it have; otherwise nothing.
 *
 * @throws {CorruptItemError} if a pool cannot be read, because its set is not known
 */
export function lostByInner(
  pool: Pool,
  out: AddressSet,
  configuration: SpaceConfiguration,
): Rejection | undefined {
  if (!isForApplications(pool) || out.length === 0) return undefined;
  noneUnread(configuration);
  for (const other of configuration.pools.filter((each) => isBeside(pool, each))) {
    const [lost] = formatSet(sharedBy(out, extentOf(other)));
    if (lost !== undefined) return outsideOf(pool, other, lost);
  }
  return undefined;
}

/**
 * Returns the rejection of a set for an Applications pool that lacks what an active pool inside of it has; otherwise nothing. A change
 * that was cut off before it was undone leaves such a set.
 */
export function outsideOfOuter(
  pool: Pool,
  set: AddressSet,
  { pools }: SpaceConfiguration,
): Rejection | undefined {
  if (!isForApplications(pool)) return undefined;
  for (const other of pools.filter((each) => each.state === "active" && isBeside(pool, each))) {
    const [lacking] = formatSet(subtract(addressSetOf(other), set));
    if (lacking !== undefined) return outsideOf(pool, other, lacking);
  }
  return undefined;
}

const secondOf = (pool: Pool, other: Pool): Rejection =>
  new Rejection(
    "pool_overlap",
    `Pool ${pool.name} cannot be for applications: pool ${other.name} of this cidr is.`,
    {
      fields: [{ field: "assignmentMode", problem: `is that of pool ${other.name} of this cidr` }],
    },
  );

/** Returns the rejection of a pool that would not lie inside of the Applications pool of its CIDR, whichever of both is new. */
function outsideOf(pool: Pool, other: Pool, astray: string): Rejection {
  const detail = isForApplications(pool)
    ? `Pool ${pool.name} must have ${astray}, which pool ${other.name} has: an Applications pool has all that the others of its cidr have.`
    : `Pool ${pool.name} cannot have ${astray}: pool ${other.name} is for applications, and all pools of its cidr lie inside of it.`;
  const problem = isForApplications(pool)
    ? `lacks ${astray}, which pool ${other.name} has`
    : `has ${astray}, which is outside of pool ${other.name}`;
  return new Rejection("pool_overlap", detail, { fields: [{ field: "ranges", problem }] });
}

/**
 * Returns the rejection of a pool whose range meets that of another.
 *
 * @param inTheWay the entry of the other pool in the address plan
 * @param owner the other pool, if it can be read
 */
export function overlappingRange(
  pool: AddressPlanEntry,
  inTheWay: AddressPlanEntry,
  owner: Pool | undefined,
): Rejection {
  const other = `pool ${inTheWay.pool} (${formatCidr(inTheWay.cidr)})`;
  const field = {
    field: "cidr",
    value: formatCidr(pool.cidr),
    problem: `overlaps ${inTheWay.pool}`,
  };
  const differ =
    pool.subnetId !== undefined && mayShare(pool, { ...inTheWay, blockSize: pool.blockSize })
      ? `, and pools with ranges share a cidr only with one blockSize: it has /${inTheWay.blockSize}`
      : "";
  return new Rejection(
    "pool_overlap",
    `cidr ${formatCidr(pool.cidr)} overlaps ${other} of this space${fateOf(owner)}${differ}.`,
    { fields: [field], ...(owner && untilDeleted(owner)) },
  );
}

const fateOf = (owner: Pool | undefined) =>
  owner?.state === "deleting" ? ", which is being deleted" : "";
