import { sealCursor } from "../../../api/http/cursor.ts";
import { type AnswerOf, type BodyOf, type Teller, timed } from "../../../api/http/event.ts";
import { usageBody } from "../../../api/http/usage.ts";
import { formatTime } from "../../../base/time.ts";
import { formatAddress } from "../../../net/address.ts";
import { formatCidr } from "../../../net/cidr.ts";
import type { UtilizationPosition } from "../operations/count-pool.ts";
import type { SpaceUtilization } from "../operations/space-utilization.ts";
import { type ChildUse, type Utilization, unitOf } from "../operations/utilization.ts";
import { eachCount } from "../usage.ts";
import { type SpaceUtilizationWanted, spaceUtilizationOf } from "./space-utilization.ts";
import { utilizationOf } from "./utilization.ts";

const told: Teller<BodyOf<"GET /v1/pools/{name}/utilization">> = timed;
const toldOfSpace: Teller<BodyOf<"GET /v1/utilization">["pools"][number]> = timed;

/** Returns the sums of the whole pool if the answer is complete, and otherwise those of the blocks so far. */
export function utilizationAnswer(
  { usage, blocks, outside, children, childCount, next, ...named }: Utilization,
  requestId: string,
  wanted: { readonly space: string; readonly name: string },
): AnswerOf<"GET /v1/pools/{name}/utilization"> {
  return {
    status: 200,
    body: told({
      requestId,
      ...named,
      ...usageBody(usage),
      complete: next === undefined,
      blocks: blocks.map((block) => ({ cidr: block.cidr, ...usageBody(block) })),
      ...(outside && { outsideBlocks: usageBody(outside) }),
      ...(childCount > 0 && { children: children.map(childBody), childCount }),
      ...(next && { next: sealCursor(utilizationOf(wanted), positionOf(next)) }),
    }),
  };
}

const childBody = ({ pool, counted }: ChildUse) => ({
  pool: pool.name,
  cidr: formatCidr(pool.cidr),
  ...(unitOf(pool) || {}),
  ...(counted && { ...usageBody(counted.usage), countedAt: formatTime(counted.countedAtMs) }),
});

/** Returns the counts of each whole pool, on the page on which its count ends. */
export function spaceUtilizationAnswer(
  { pools, next }: SpaceUtilization,
  requestId: string,
  wanted: SpaceUtilizationWanted,
): AnswerOf<"GET /v1/utilization"> {
  const position = next && { ...next, within: next.within && positionOf(next.within) };
  return {
    status: 200,
    body: {
      requestId,
      pools: pools.map(({ usage, outside, ...named }) =>
        toldOfSpace({ ...named, ...usageBody(usage), outsideBlocks: usageBody(outside) }),
      ),
      complete: next === undefined,
      ...(position && { next: sealCursor(spaceUtilizationOf(wanted), position) }),
    },
  };
}

/** Returns the cursor of a position. Inverse of the schema that reads it. */
const positionOf = ({ poolId, after, sum, reservedInBlocks }: UtilizationPosition) => ({
  poolId,
  after: formatAddress(after),
  sum: eachCount(sum, String),
  reservedInBlocks: String(reservedInBlocks),
});
