import { createHash, timingSafeEqual } from "node:crypto";
import * as v from "valibot";

/** A caller with a token. */
export interface TokenHolder {
  /** The name of the caller, such as `ci`. */
  readonly name: string;
  readonly roles: readonly string[];
  /** The tenant of the caller; absent if it may name any. */
  readonly tenant?: string | undefined;
}

/** The holders of tokens, each with the SHA-256 of its token. */
export type TokenMap = readonly (TokenHolder & { readonly sha256: Buffer })[];

const holder = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^[\w.@/-]{1,128}$/)),
  roles: v.array(v.string()),
  tenant: v.optional(v.pipe(v.string(), v.regex(/^[^[\p{C}][^\p{C}]{0,254}$/u))),
});
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/**
 * Parses the secret that an operator fills: holders by the SHA-256 of their tokens, in hexadecimal digits. An entry that is
 * malformed grants nothing, and takes nothing from the others.
 *
 * @returns the holders, and the positions of malformed entries, counted from 1
 * @throws {Error} if the secret is not a JSON object; the message contains nothing of the secret
 */
export function parseTokenMap(secret: string): {
  readonly map: TokenMap;
  readonly malformed: readonly number[];
} {
  const entries = Object.entries(objectIn(secret)).map(([key, value]) => {
    const isValid = v.is(hash, key) && v.is(holder, value);
    return isValid ? { ...value, sha256: Buffer.from(key, "hex") } : undefined;
  });
  return {
    map: entries.filter((entry) => entry !== undefined),
    malformed: entries.flatMap((entry, i) => (entry === undefined ? [i + 1] : [])),
  };
}

/** Returns the holder of a token. The time depends on the number of holders only: every hash is compared in full. */
export function holderOf(token: string, map: TokenMap): TokenHolder | undefined {
  const sent = createHash("sha256").update(token).digest();
  let found: TokenHolder | undefined;
  for (const entry of map) if (timingSafeEqual(entry.sha256, sent)) found = entry;
  return found;
}

function objectIn(secret: string): object {
  let value: unknown;
  try {
    value = JSON.parse(secret);
  } catch {
    // The message of the parser would contain a part of the secret.
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Error("the secret with the tokens must be a JSON object");
}
