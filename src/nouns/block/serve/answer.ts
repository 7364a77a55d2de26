import { sealCursor } from "../../../api/http/cursor.ts";
import { type AnswerOf, type BodyOf, type Teller, timed } from "../../../api/http/event.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { usageBody } from "../../../api/http/usage.ts";
import type { ListedPage } from "../../../base/listed.ts";
import { formatAddress } from "../../../net/address.ts";
import type { Cidr } from "../../../net/cidr.ts";
import type { BlockState, BlocksPosition, BlocksWanted } from "../operations/list-blocks.ts";
import type { BlockWithAddresses } from "../operations/read-block.ts";
import { blockListOf, blockOfCursor } from "./request.ts";

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

const toldAddress: Teller<BodyOf<"GET /v1/blocks/{cidr+}">["addresses"][number]> = timed;

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
      addresses: items.map((address) => toldAddress(address)),
      ...(next && { next: sealCursor(blockOfCursor(wanted), { after: formatAddress(next) }) }),
    },
  };
}

const told: Teller<BodyOf<"GET /v1/blocks">["blocks"][number]> = timed;

/** Makes the body of a block, without the actor of its last change: only a block that is read alone has it. */
export const blockBody = ({ changedBy: _, ...block }: BlockState) =>
  told({ ...block, ...usageBody(block) });
