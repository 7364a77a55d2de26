import { sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf } from "../../../api/http/event.ts";
import { toJson } from "../../../api/schema/json-values.ts";
import type { Contents } from "../../../invariants/contents.ts";
import { formatAddress } from "../../../net/address.ts";
import type { ContentsPage, ContentsPosition } from "../operations/list-contents.ts";
import { contentsOfCursor } from "./request.ts";

export const contentsBytes = (contents: Contents): number =>
  Buffer.byteLength(JSON.stringify(toJson(contents)));

export function contentsAnswer(
  { contents, next }: ContentsPage,
  requestId: string,
  wanted: { readonly space: string },
): AnswerOf<"GET /v1/contents"> {
  return {
    status: 200,
    body: {
      requestId,
      contents: toJson(contents) as Readonly<Record<string, readonly unknown[]>>,
      ...(next && { next: sealCursor(contentsOfCursor(wanted), positionOf(next)) }),
    },
  };
}

const positionOf = (position: ContentsPosition) =>
  "from" in position && position.from
    ? { ...position, from: formatAddress(position.from) }
    : position;
