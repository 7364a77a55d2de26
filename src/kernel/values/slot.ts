import { ID_BYTES } from "./fresh.ts";

/**
 * The content of an ordinal of a block. An unused ordinal has no slot.
 * A `held` address waits for an instance of its application, and is assigned to nobody else.
 * `foreign` is a tag that this version cannot read: Plat keeps it, reports it, and never assigns its address.
 */
export type Slot =
  | { readonly kind: "taken"; readonly token: string; readonly handleHash: string }
  | { readonly kind: "cooling"; readonly token: string; readonly sinceMs: number }
  | {
      readonly kind: "quarantined";
      readonly token: string;
      /** The handle that reported the conflict. */
      readonly handleHash: string;
      readonly sinceMs: number;
      /** The duration of the quarantine. */
      readonly seconds: number;
    }
  | { readonly kind: "held"; readonly token: string; readonly applicationHash: string }
  | { readonly kind: "foreign"; readonly tag: Uint8Array };

/** A slot that was released, and can be assigned again after its time. */
export type ReleasedSlot = Extract<Slot, { readonly kind: "cooling" | "quarantined" }>;

/** A slot for a count, which does not need to know whose a taken slot is. */
export type CountedSlot = Exclude<Slot, { readonly kind: "taken" }> | { readonly kind: "taken" };

export const isReleased = (slot: CountedSlot): slot is ReleasedSlot =>
  slot.kind === "cooling" || slot.kind === "quarantined";

const TAKEN = 1;
const COOLING = 2;
const QUARANTINED = 3;
const HELD = 4;
const HASH_BYTES = 8;
const TIME_BYTES = 6;
const SECONDS_BYTES = 3;
const TAKEN_BYTES = 1 + ID_BYTES + HASH_BYTES;
const HELD_BYTES = TAKEN_BYTES;
const COOLING_BYTES = 1 + ID_BYTES + TIME_BYTES;
const QUARANTINED_BYTES = TAKEN_BYTES + TIME_BYTES + SECONDS_BYTES;

/**
 * Returns the tag of a slot: kind, token, then the hash of the handle or the application, the time of release, or both with the
 * duration of the quarantine. It has at most 20 bytes, and 29 for a quarantine. Inverse of `slotOf`.
 *
 * @throws {Error} if the token or the hash has a wrong length, so that Plat never writes a tag that it could not read
 */
export function tagOf(slot: Slot): Uint8Array {
  switch (slot.kind) {
    case "taken":
      return tagWith(TAKEN, slot.token, Buffer.from(slot.handleHash, "hex"), TAKEN_BYTES);
    case "cooling":
      return tagWith(COOLING, slot.token, numberBytes(slot.sinceMs, TIME_BYTES), COOLING_BYTES);
    case "quarantined": {
      const rest = Buffer.concat([
        Buffer.from(slot.handleHash, "hex"),
        numberBytes(slot.sinceMs, TIME_BYTES),
        numberBytes(slot.seconds, SECONDS_BYTES),
      ]);
      return tagWith(QUARANTINED, slot.token, rest, QUARANTINED_BYTES);
    }
    case "held":
      return tagWith(HELD, slot.token, Buffer.from(slot.applicationHash, "hex"), HELD_BYTES);
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

function numberBytes(value: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(count);
  bytes.writeUIntBE(value, 0, count);
  return bytes;
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
    return {
      kind: "cooling",
      token: tokenIn(bytes),
      sinceMs: bytes.readUIntBE(1 + ID_BYTES, TIME_BYTES),
    };
  if (bytes[0] === HELD && bytes.length === HELD_BYTES)
    return {
      kind: "held",
      token: tokenIn(bytes),
      applicationHash: bytes.toString("hex", 1 + ID_BYTES),
    };
  if (bytes[0] === QUARANTINED && bytes.length === QUARANTINED_BYTES)
    return {
      kind: "quarantined",
      token: tokenIn(bytes),
      handleHash: bytes.toString("hex", 1 + ID_BYTES, TAKEN_BYTES),
      sinceMs: bytes.readUIntBE(TAKEN_BYTES, TIME_BYTES),
      seconds: bytes.readUIntBE(TAKEN_BYTES + TIME_BYTES, SECONDS_BYTES),
    };
  return { kind: "foreign", tag };
}

const SOME_TAKEN: CountedSlot = { kind: "taken" };

/** Returns the slot of a tag for a count. A taken slot, as most are, costs no text and no object. */
export const countedSlotOf = (tag: Uint8Array): CountedSlot =>
  tag[0] === TAKEN && tag.length === TAKEN_BYTES ? SOME_TAKEN : slotOf(tag);

const tokenIn = (tag: Buffer) => tag.toString("base64url", 1, 1 + ID_BYTES);
