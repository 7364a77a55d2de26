import { fnv1a64 } from "../domain/hash.ts";
import type { Segment } from "./table.ts";

/**
 * Returns true if a partition lies in a segment. As in DynamoDB, the whole partition key decides,
 * and nothing else.
 */
export const isInSegment = (pk: string, { index, of }: Segment): boolean =>
  fnv1a64(pk) % BigInt(of) === BigInt(index);
