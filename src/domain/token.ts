import type { AllocationPlace } from "./allocation-place.ts";
import { ID_CHARACTERS, type Random } from "./fresh.ts";

/** Of an allocation's id, in the tokens of its parts: 36 bits, so that few of a million allocations begin alike. */
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
 * A token that nobody has used before, for a part of the allocation at a place: its kind (`K` keyed, `I` unkeyed), how its id
 * begins, 46 random bits; 15 characters of base64url. So a slot leads to its allocation in one Query.
 *
 * A token must differ from the others of its allocation, and from those that stood in its block before. Of two tokens of one
 * allocation one pair in 2^46 (7e13) is alike: of a thousand tokens, two with a probability of 7e-9. Two allocations have the same
 * token only if their ids begin alike as well: one pair in 2^82.
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

/** Is an allocation at this place found by this token of it? Where the token says nothing, all of its handle are looked at. */
export function leadsTo(
  token: string,
  { id, keyed }: Pick<AllocationPlace, "id" | "keyed">,
): boolean {
  const start = allocationStartIn(token);
  return !start || (start.keyed === keyed && id.startsWith(start.idStart));
}
