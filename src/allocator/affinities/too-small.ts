import { type Cidr, formatCidr } from "../../domain/cidr.ts";
import { Rejection } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";

/** Returns the rejection of a range that is smaller than a block of its pool (Calico's invalid size). */
export function tooSmall(cidr: Cidr, { name, blockSize }: Pool): Rejection {
  const value = formatCidr(cidr);
  const problem = `is smaller than a block: pool ${name} has blocks of /${blockSize}`;
  return new Rejection("block_too_small", `cidr ${value} ${problem}.`, {
    blockSize,
    fields: [{ field: "cidr", value, problem }],
  });
}
