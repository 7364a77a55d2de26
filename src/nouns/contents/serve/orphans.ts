import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { notACursor } from "../../../api/http/cursor.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { parseQuery } from "../../../api/http/parameters.ts";
import { UnavailableError } from "../../../base/outcome.ts";
import { blockBody } from "../../block/serve/answer.ts";
import { orphansQuery } from "../contract/request.ts";
import type { OrphansPage } from "../operations/list-orphans.ts";

/** The key that seals cursors, in the table; nothing before the first run of `repair`. */
type SealingKey = string | undefined;

/** Parses the sealed cursor of a request. */
export function parseOrphansWanted(event: Event): { readonly cursor?: string | undefined } {
  const query = parseQuery(event, orphansQuery);
  return { cursor: query.cursor };
}

/** Returns the position in a cursor. Inverse of `sealed`. */
export function unsealed(
  { cursor }: { readonly cursor?: string | undefined },
  key: SealingKey,
): { readonly after?: string | undefined } {
  if (cursor === undefined) return {};
  if (key === undefined) throw notACursor(cursor);
  const bytes = Buffer.from(cursor, "base64url");
  // Each position has one cursor, so that no other text is taken for it.
  if (bytes.toString("base64url") !== cursor) throw notACursor(cursor);
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, HEAD_BYTES)];
  try {
    const decipher = createDecipheriv(CIPHER, keyBytes(key), iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    const text = [decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()];
    return { after: Buffer.concat(text).toString("utf8") };
  } catch {
    throw notACursor(cursor);
  }
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = IV_BYTES + TAG_BYTES;

/**
 * Seals a position, so that its caller can neither read nor change it. The initialization vector is a keyed hash of the position: two
 * positions do not share one, and no random number is needed.
 *
 * @throws {UnavailableError} without a key
 */
function sealed(position: string, key: SealingKey): string {
  if (key === undefined)
    throw new UnavailableError(
      "the table has no key for cursors yet; the next run of repair writes it, within a minute",
    );
  const iv = createHmac("sha256", keyBytes(key)).update(position).digest().subarray(0, IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyBytes(key), iv, { authTagLength: TAG_BYTES });
  const text = [cipher.update(position, "utf8"), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...text]).toString("base64url");
}

const keyBytes = (key: string): Buffer => Buffer.from(key, "base64url");

export function orphansAnswer(
  { orphans, unreadable, next, key }: OrphansPage & { readonly key: SealingKey },
  requestId: string,
): AnswerOf<"GET /v1/orphans"> {
  return {
    status: 200,
    body: {
      requestId,
      orphans: orphans.map(({ space, ...block }) => ({ space, ...blockBody(block) })),
      ...(unreadable.length > 0 && { unreadable }),
      complete: next === undefined,
      ...(next !== undefined && { next: sealed(next, key) }),
    },
  };
}
