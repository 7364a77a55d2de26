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
