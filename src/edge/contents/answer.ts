import type { ContentsPage, ContentsPosition } from "../../allocator/read/list-contents.ts";
import { toJson } from "../../contract/schema/json-values.ts";
import { formatAddress } from "../../domain/address.ts";
import type { Contents } from "../../domain/contents.ts";
import { sealCursor } from "../http/cursor.ts";
import type { AnswerOf } from "../http/event.ts";
import { contentsOf } from "./request.ts";

/**
 * Bytes of JSON on a page. A function can answer 6 MB, in which the page is a text, so that each of its quotes takes
 * two bytes. An item of 400 KB fits alone, even if JSON writes each of its characters in six bytes.
 */
export const CONTENTS_BYTES_MAX = 2_500_000;

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
      ...(next && { next: sealCursor(contentsOf(wanted), positionOf(next)) }),
    },
  };
}

const positionOf = (position: ContentsPosition) =>
  "from" in position && position.from
    ? { ...position, from: formatAddress(position.from) }
    : position;
