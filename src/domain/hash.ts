const OFFSET_BASIS = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MASK = 0xffffffffffffffffn;

/** Returns the FNV-1a hash, 64 bit, of the UTF-8 bytes of a text (draft-eastlake-fnv). */
export function fnv1a64(text: string): bigint {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(text, "utf8")) hash = ((hash ^ BigInt(byte)) * PRIME) & MASK;
  return hash;
}

/** Returns the 8-byte hash of a handle as 16 hex digits, for keys and for the tags of taken slots. */
export function handleHash(handle: string): string {
  return fnv1a64(handle).toString(16).padStart(16, "0");
}
