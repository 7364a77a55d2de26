import type { Segment } from "./table.ts";

/** Does a partition lie in a segment? As in DynamoDB its whole partition key decides, and nothing else. */
export const isInSegment = (pk: string, { index, of }: Segment): boolean => hash(pk) % of === index;

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a, 32 bit, of the UTF-16 units of a text: each table spreads as it likes. */
function hash(text: string): number {
  let hash = OFFSET_BASIS;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash >>> 0;
}
