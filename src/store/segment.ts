import { fnv1a64 } from "../domain/hash.ts";
import type { Segment } from "./table.ts";

/** Does a partition lie in a segment? As in DynamoDB its whole partition key decides, and nothing else. */
export const isInSegment = (pk: string, { index, of }: Segment): boolean =>
  fnv1a64(pk) % BigInt(of) === BigInt(index);
