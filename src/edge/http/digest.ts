import { hash } from "node:crypto";

/** Returns the SHA-256 of a text in hexadecimal digits. */
export const hexDigest = (text: string) => hash("sha256", text, "hex");

/** Returns 132 bits of the SHA-256: enough that two different texts do not collide. */
export const shortDigest = (text: string) => hash("sha256", text, "base64url").slice(0, 22);
