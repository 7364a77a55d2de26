import { createHash } from "node:crypto";

/** Returns the SHA-256 of a text. */
export const digestOf = (text: string) => createHash("sha256").update(text).digest();

/** Returns 132 bits of the SHA-256: enough that two different texts do not collide. */
export const shortDigest = (text: string) => digestOf(text).toString("base64url").slice(0, 22);
