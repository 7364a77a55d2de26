import type { UtilizationPosition } from "../../allocator/read/count-pool.ts";
import type { SpaceUtilization } from "../../allocator/read/space-utilization.ts";
import { type ChildUse, type Utilization, unitOf } from "../../allocator/read/utilization.ts";
import { formatAddress } from "../../domain/address.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { formatTime } from "../../domain/time.ts";
import { eachCount } from "../../domain/usage.ts";
import { sealCursor } from "../http/cursor.ts";
import { type AnswerOf, type BodyOf, type Teller, timed } from "../http/event.ts";
import { usageBody } from "../http/usage.ts";
import { utilizationOf } from "./request.ts";
import { type SpaceUtilizationWanted, spaceUtilizationOf } from "./space-request.ts";

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
