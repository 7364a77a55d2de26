import { createHash } from "node:crypto";

/** SHA-256 of a text. */
export const digestOf = (text: string) => createHash("sha256").update(text).digest();

/** 132 bits: two texts that differ do not meet in them. */
export const shortDigest = (text: string) => digestOf(text).toString("base64url").slice(0, 22);
