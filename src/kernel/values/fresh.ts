import type { AllocationPlace } from "./allocation-place.ts";

/** The sources of fresh values; both are passed in, so that a run can be replayed. */
export interface Random {
  /** Returns a number in [0, 1). */
  fraction(): number;
  bytes(count: number): Uint8Array;
}

const TIME_BYTES = 6;
const RANDOM_BYTES = 5;
export const ID_BYTES = TIME_BYTES + RANDOM_BYTES;
export const ID_CHARACTERS = Math.ceil((ID_BYTES * 8) / 6);

/**
 * Returns an unused value: milliseconds and 40 random bits, in 15 characters of base64url. Tokens, epochs and revisions
 * are such values and not counters, so that a block or affinity that is created again cannot repeat one.
 */
export function freshId(nowMs: number, random: Random): string {
  return textOf(timeBytes(nowMs), random.bytes(RANDOM_BYTES));
}

/** Returns a fresh token, epoch, revision or id, by the clock and the random source of a context. */
export const fresh = (by: { now(): number; readonly random: Random }): string =>
  freshId(by.now(), by.random);

/** Returns an unused id of the same bytes, with the random ones first, so that few ids of one partition begin alike. */
export function freshAllocationId(nowMs: number, random: Random): string {
  return textOf(random.bytes(RANDOM_BYTES), timeBytes(nowMs));
}

const textOf = (...parts: readonly Uint8Array[]): string =>
  Buffer.concat(parts).toString("base64url");

function timeBytes(nowMs: number): Uint8Array {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeUIntBE(nowMs, 0, TIME_BYTES);
  return bytes;
}

/** Returns when `freshId` made a value, in milliseconds since the epoch. The result for any other text has no meaning. */
export function mintedAtMs(id: string): number {
  const bytes = Buffer.alloc(TIME_BYTES);
  Buffer.from(id, "base64url").copy(bytes);
  return bytes.readUIntBE(0, TIME_BYTES);
}

/** Returns a whole number in [0, below). */
export function randomBelow(below: number, random: Random): number {
  return Math.floor(random.fraction() * below);
}

/** Returns the items in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = randomBelow(i + 1, random);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}

/**
 * Characters of an allocation's id in the tokens of its parts: 36 bits, so that few of a million allocations begin
 * alike.
 */
const START_CHARACTERS = 6;
const TOKEN_RANDOM_CHARACTERS = 8;
const TOKEN_RANDOM_BYTES = (TOKEN_RANDOM_CHARACTERS * 6) / 8;
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
  const bytes = Buffer.from(random.bytes(TOKEN_RANDOM_BYTES));
  bytes[TOKEN_RANDOM_BYTES - 1] = (bytes[TOKEN_RANDOM_BYTES - 1] ?? 0) & LAST_BYTE;
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
