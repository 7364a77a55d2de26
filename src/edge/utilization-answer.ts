import type { Utilization, UtilizationPosition } from "../allocator/utilization.ts";
import { formatAddress } from "../domain/address.ts";
import type { Usage } from "../domain/usage.ts";
import { sealCursor } from "./cursor.ts";
import type { Answer } from "./http.ts";
import { utilizationOf } from "./utilization-request.ts";

/** The sums are of the whole pool where the answer is complete; until then they are of the blocks so far. */
export function utilizationAnswer(
  { pool, cidr, usage, blocks, outside, next }: Utilization,
  requestId: string,
  wanted: { readonly space: string; readonly name: string },
): Answer {
  return {
    status: 200,
    body: {
      requestId,
      pool,
      cidr,
      ...usageBody(usage),
      complete: next === undefined,
      blocks: blocks.map((block) => ({ cidr: block.cidr, ...usageBody(block) })),
      ...(outside && { outsideBlocks: usageBody(outside) }),
      ...(next && { next: sealCursor(utilizationOf(wanted), positionOf(next)) }),
    },
  };
}

/** Counts as JSON has them: numbers, or decimal strings where a number would not be exact. */
export const usageBody = ({ capacity, inUse, held, reserved, cooling, available }: Usage) => ({
  capacity: countOf(capacity),
  inUse: countOf(inUse),
  held: countOf(held),
  reserved: countOf(reserved),
  cooling: countOf(cooling),
  available: countOf(available),
});

const countOf = (count: bigint): number | string =>
  count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : String(count);

/** Inverse of the schema that reads the cursor. */
const positionOf = ({ poolId, after, sum, reservedInBlocks }: UtilizationPosition) => ({
  poolId,
  after: formatAddress(after),
  sum: {
    inUse: String(sum.inUse),
    held: String(sum.held),
    reserved: String(sum.reserved),
    cooling: String(sum.cooling),
    available: String(sum.available),
  },
  reservedInBlocks: String(reservedInBlocks),
});
