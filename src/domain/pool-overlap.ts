import { type AddressPlanEntry, mayShare } from "./address-plan.ts";
import { type AddressSet, formatSet, sharedBy } from "./address-set.ts";
import { formatCidr } from "./cidr.ts";
import { deleteJobId } from "./job.ts";
import { Rejection } from "./outcome.ts";
import type { Pool } from "./pool.ts";
import { extentOf } from "./pool-set.ts";

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
): Rejection | undefined {
  for (const other of pools) {
    const [first] = other.id === pool.id ? [] : formatSet(sharedBy(wanted, extentOf(other)));
    if (first === undefined) continue;
    const problem = `has ${first}, which pool ${other.name} has`;
    return new Rejection(
      "pool_overlap",
      `Pool ${pool.name} cannot have ${first}: pool ${other.name} of this space has it${fateOf(other)}.`,
      { fields: [{ field: "ranges", problem }], ...jobOf(other) },
    );
  }
  return undefined;
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
    { fields: [field], ...jobOf(owner) },
  );
}

const fateOf = (owner: Pool | undefined) =>
  owner?.state === "deleting" ? ", which is being deleted" : "";

const jobOf = (owner: Pool | undefined) =>
  owner?.state === "deleting" ? { retryable: true, job: deleteJobId(owner.id) } : {};
