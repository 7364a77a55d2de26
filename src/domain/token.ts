import type { AllocationPlace } from "./allocation-place.ts";
import { ID_CHARACTERS, type Random } from "./fresh.ts";

/**
 * Characters of an allocation's id in the tokens of its parts: 36 bits, so that few of a million allocations begin
 * alike.
 */
const START_CHARACTERS = 6;
const RANDOM_CHARACTERS = 8;
const RANDOM_BYTES = (RANDOM_CHARACTERS * 6) / 8;
/** Eleven bytes are two bits less than 15 characters of base64url. */
const LAST_BYTE = 0b1111_1100;

/** The start of an allocation's id in the partition of its handle, and whether it comes from an Idempotency-Key. */
export interface AllocationStart {
  readonly keyed: boolean;
  readonly idStart: string;
}

/**
 * Returns an unused token for a part of the allocation at a place. It has the kind (`K` keyed, `I` unkeyed), the start
 * of the id and 46 random bits, in 15 characters of base64url. So one Query leads from a slot to its allocation.
 *
 * A token must differ from the others of its allocation, and from earlier ones in its block.
 * Two tokens of one allocation are equal with a probability of 1 in 2^46 (7e13): among a thousand tokens, with 7e-9.
 * Tokens of two allocations are equal only if their ids begin alike as well: 1 in 2^82.
 */
export function freshToken(
  { id, keyed }: Pick<AllocationPlace, "id" | "keyed">,
  random: Random,
): string {
  const bytes = Buffer.from(random.bytes(RANDOM_BYTES));
  bytes[RANDOM_BYTES - 1] = (bytes[RANDOM_BYTES - 1] ?? 0) & LAST_BYTE;
  return `${keyed ? "K" : "I"}${id.slice(0, START_CHARACTERS)}${bytes.toString("base64url")}`;
}

/** Returns the start of the allocation's id in a token; nothing for older tokens, which begin with `A`, until 2109. */
export function allocationStartIn(token: string): AllocationStart | undefined {
  const [kind] = token;
  if (token.length !== ID_CHARACTERS || (kind !== "K" && kind !== "I")) return undefined;
  return { keyed: kind === "K", idStart: token.slice(1, 1 + START_CHARACTERS) };
}

/**
 * Returns true if this token can belong to an allocation at this place. If the token has no such start, every
 * allocation of its handle can be the one.
 */
export function leadsTo(
  token: string,
  { id, keyed }: Pick<AllocationPlace, "id" | "keyed">,
): boolean {
  const start = allocationStartIn(token);
  return !start || (start.keyed === keyed && id.startsWith(start.idStart));
}
