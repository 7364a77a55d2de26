import { Rejection } from "../../base/outcome.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import { assignsPrefixes, type Pool } from "../../nouns/pool/pool.ts";

/** Returns the rejection of a range that is smaller than a block of its pool (Calico's invalid size). */
export function tooSmall(cidr: Cidr, { name, blockSize }: Pool): Rejection {
  const value = formatCidr(cidr);
  const problem = `is smaller than a block: pool ${name} has blocks of /${blockSize}`;
  return new Rejection("block_too_small", `cidr ${value} ${problem}.`, {
    blockSize,
    fields: [{ field: "cidr", value, problem }],
  });
}

/** Returns the rejection of a claim in a ranged pool or a pool of prefixes, whose blocks have no host. */
export function withoutHosts(cidr: Cidr, { name, ...pool }: Pool): Rejection {
  const value = formatCidr(cidr);
  const why = assignsPrefixes(pool) ? "assigns prefixes" : "has ranges";
  const problem = `lies in pool ${name}, which ${why}, and the blocks of such a pool have no host`;
  return new Rejection("invalid_request", `cidr ${value} ${problem}.`, {
    fields: [{ field: "cidr", value, problem }],
  });
}
