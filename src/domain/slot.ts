import { ID_BYTES } from "./fresh.ts";

/**
 * The content of an ordinal of a block. An ordinal that was never used has no slot.
 * `foreign` is a tag that this version cannot read: Plat keeps it, reports it, and never assigns its address.
 */
export type Slot =
  | { readonly kind: "taken"; readonly token: string; readonly handleHash: string }
  | { readonly kind: "cooling"; readonly token: string; readonly sinceMs: number }
  | { readonly kind: "foreign"; readonly tag: Uint8Array };

const TAKEN = 1;
const COOLING = 2;
const TAKEN_BYTES = 1 + ID_BYTES + 8;
const COOLING_BYTES = 1 + ID_BYTES + 6;

/**
 * Returns the tag of a slot, at most 20 bytes: kind, token, then the handle's hash or the time of release. Inverse of
 * `slotOf`.
 *
 * @throws {Error} if the token or the hash has a wrong length, so that Plat never writes a tag that it could not read
 */
export function tagOf(slot: Slot): Uint8Array {
  switch (slot.kind) {
    case "taken":
      return tagWith(TAKEN, slot.token, Buffer.from(slot.handleHash, "hex"), TAKEN_BYTES);
    case "cooling": {
      const since = Buffer.alloc(6);
      since.writeUIntBE(slot.sinceMs, 0, 6);
      return tagWith(COOLING, slot.token, since, COOLING_BYTES);
    }
    case "foreign":
      return slot.tag;
    default:
      return slot satisfies never;
  }
}

function tagWith(kind: number, token: string, rest: Uint8Array, bytes: number): Uint8Array {
  const tag = Buffer.concat([Buffer.of(kind), Buffer.from(token, "base64url"), rest]);
  if (tag.length !== bytes) throw new Error(`a slot with the token "${token}" has no tag`);
  return tag;
}

export function slotOf(tag: Uint8Array): Slot {
  const bytes = Buffer.from(tag.buffer, tag.byteOffset, tag.byteLength);
  if (bytes[0] === TAKEN && bytes.length === TAKEN_BYTES)
    return {
      kind: "taken",
      token: tokenIn(bytes),
      handleHash: bytes.toString("hex", 1 + ID_BYTES),
    };
  if (bytes[0] === COOLING && bytes.length === COOLING_BYTES)
    return { kind: "cooling", token: tokenIn(bytes), sinceMs: bytes.readUIntBE(1 + ID_BYTES, 6) };
  return { kind: "foreign", tag };
}

const tokenIn = (tag: Buffer) => tag.toString("base64url", 1, 1 + ID_BYTES);
