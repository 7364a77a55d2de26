/** The sources of fresh values; both are passed in, so that a run can be replayed. */
export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  bytes(count: number): Uint8Array;
}

const TIME_BYTES = 6;
const RANDOM_BYTES = 5;
export const ID_BYTES = TIME_BYTES + RANDOM_BYTES;
export const ID_CHARACTERS = Math.ceil((ID_BYTES * 8) / 6);

/**
 * A value nobody has used before: milliseconds and 40 random bits, 15 characters of base64url.
 * Tokens, epochs and revisions are made so and never counted, so that a block or affinity that is made again cannot repeat one.
 */
export function freshId(nowMs: number, random: Random): string {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes.writeUIntBE(nowMs, 0, TIME_BYTES);
  bytes.set(random.bytes(RANDOM_BYTES), TIME_BYTES);
  return bytes.toString("base64url");
}

/**
 * An id nobody has used before, of the same bytes, the random ones first: of the ids in one partition few begin alike.
 */
export function freshAllocationId(nowMs: number, random: Random): string {
  const bytes = Buffer.from(freshId(nowMs, random), "base64url");
  const made = Buffer.concat([bytes.subarray(TIME_BYTES), bytes.subarray(0, TIME_BYTES)]);
  return made.toString("base64url");
}

/** Returns when a value of `freshId` was made, in milliseconds since the epoch. Of any other text it says nothing true. */
export function mintedAtMs(id: string): number {
  const bytes = Buffer.alloc(TIME_BYTES);
  Buffer.from(id, "base64url").copy(bytes);
  return bytes.readUIntBE(0, TIME_BYTES);
}

/** A whole number in [0, below). */
export function randomBelow(below: number, random: Random): number {
  return Math.floor(random.fraction() * below);
}

/** The items in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = randomBelow(i + 1, random);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
