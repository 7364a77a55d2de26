import { BITS } from "../../domain/address.ts";
import { type Cidr, formatCidr } from "../../domain/cidr.ts";
import type { FieldProblem } from "./problem.ts";

/** The fields of a pool that its parent restricts. */
interface ChildFields {
  readonly cidr: Cidr;
  readonly parent?: string | undefined;
  readonly blockSize?: number | undefined;
  readonly ranges?: unknown;
}

/**
 * Returns the problems of a pool that is made of a prefix. A block as large as the prefix would be the block of the prefix itself.
 */
export function parentProblems({ cidr, parent, blockSize, ranges }: ChildFields): FieldProblem[] {
  if (parent === undefined) return [];
  const value = formatCidr(cidr);
  if (cidr.prefix === BITS[cidr.family])
    return [{ field: "cidr", value, problem: "is one address, of which no pool is made" }];
  const problems: FieldProblem[] = [];
  if (ranges !== undefined)
    problems.push({
      field: "ranges",
      problem: "must be absent beside parent; the pool has all of its prefix",
    });
  if (blockSize !== undefined && blockSize <= cidr.prefix)
    problems.push({
      field: "blockSize",
      value: blockSize,
      problem: `must be ${cidr.prefix + 1} or more beside parent: a block is a part of the prefix ${value}`,
    });
  return problems;
}
