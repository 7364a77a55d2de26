import { isBlockOf } from "./block-group.ts";
import { formatCidr } from "./cidr.ts";
import { deleteJobId } from "./job.ts";
import { Rejection } from "./outcome.ts";
import {
  assignsPrefixes,
  type Pool,
  type PoolSpec,
  poolNamed,
  type SpaceConfiguration,
} from "./pool.ts";

/**
 * Returns the parent of a new pool, or why it cannot be the parent; nothing for a pool that names none.
 *
 * @throws {CorruptItemError} if the parent cannot be read
 */
export function parentOf(
  { parent, cidr }: PoolSpec,
  space: string,
  configuration: SpaceConfiguration,
): Pool | Rejection | undefined {
  if (parent === undefined) return undefined;
  const pool = poolNamed(configuration, parent);
  const ofParent = (problem: string) => invalid("parent", parent, problem);
  if (!pool || pool.state === "pending") return ofParent(`names no active pool of space ${space}`);
  if (pool.state === "deleting") return deleted(pool);
  if (!assignsPrefixes(pool))
    return ofParent(
      "names a pool of addresses; a pool is made of a prefix of a pool with assign prefixes",
    );
  if (isBlockOf(pool, cidr)) return pool;
  const own = `${formatCidr(pool.cidr)}, whose prefixes are /${pool.blockSize}`;
  return invalid("cidr", formatCidr(cidr), `must be a prefix of pool ${parent} (${own})`);
}

function invalid(field: string, value: string, problem: string): Rejection {
  return new Rejection("invalid_request", `${field} ${value} ${problem}.`, {
    fields: [{ field, value, problem }],
  });
}

const deleted = ({ name, id }: Pool): Rejection =>
  new Rejection("pool_deleting", `The pool ${name} is being deleted, and can have no pool in it.`, {
    job: deleteJobId(id),
  });
