import { createHash } from "node:crypto";
import type { ItemChange } from "../table/change-log.ts";

/** Bytes of an id: two of a billion ids are equal with a probability of 1 in 10^20. */
const ID_BYTES = 16;

/**
 * Returns the id of a change, or of one of the things that it did. The stream may deliver a change again, and then the
 * id is the same.
 */
export function changeId({ key, sequence }: ItemChange, ...parts: readonly string[]): string {
  const text = JSON.stringify([key.pk, key.sk, sequence, ...parts]);
  return createHash("sha256").update(text).digest().subarray(0, ID_BYTES).toString("base64url");
}
