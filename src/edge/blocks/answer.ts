import type { BlockState, BlocksPosition, BlocksWanted } from "../../allocator/read/list-blocks.ts";
import type { BlockWithAddresses } from "../../allocator/read/read-block.ts";
import { formatAddress } from "../../domain/address.ts";
import type { Cidr } from "../../domain/cidr.ts";
import type { ListedPage } from "../../domain/listed.ts";
import { formatTime } from "../../domain/time.ts";
import { addressBody } from "../addresses/answer.ts";
import { sealCursor } from "../http/cursor.ts";
import type { AnswerOf } from "../http/event.ts";
import { unreadableBody } from "../http/unreadable.ts";
import { usageBody } from "../http/usage.ts";
import { blockListOf, blockOf } from "./request.ts";

export function blocksAnswer(
  { items, unreadable, next }: ListedPage<BlockState, BlocksPosition>,
  requestId: string,
  wanted: BlocksWanted,
): AnswerOf<"GET /v1/blocks"> {
  const position = next && { ...next, after: formatAddress(next.after) };
  return {
    status: 200,
    body: {
      requestId,
      blocks: items.map(blockBody),
      ...unreadableBody(unreadable),
      ...(position && { next: sealCursor(blockListOf(wanted), position) }),
    },
  };
}

export function blockAnswer(
  { block, addresses: { items, next } }: BlockWithAddresses,
  requestId: string,
  wanted: { readonly space: string; readonly cidr: Cidr },
): AnswerOf<"GET /v1/blocks/{cidr+}"> {
  return {
    status: 200,
    body: {
      requestId,
      ...blockBody(block),
      ...(block.changedBy && { changedBy: block.changedBy }),
      addresses: items.map(addressBody),
      ...(next && { next: sealCursor(blockOf(wanted), { after: formatAddress(next) }) }),
    },
  };
}

export function blockBody(block: BlockState) {
  const { cidr, unit, pool, host, affinityType, borrowed } = block;
  const { hostReservation, claimedAtMs, idleSinceMs } = block;
  return {
    cidr,
    ...(unit && { unit }),
    pool,
    ...(host !== undefined && { host, affinityType }),
    ...(borrowed !== undefined && { borrowed }),
    ...(hostReservation && { hostReservation }),
    ...usageBody(block),
    claimedAt: formatTime(claimedAtMs),
    ...(idleSinceMs !== undefined && { idleSince: formatTime(idleSinceMs) }),
  };
}
