import { hash } from "node:crypto";
import type * as v from "valibot";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { BODY_BYTES_MAX } from "../../base/limits.ts";
import { invalid, Problem } from "../schema/problem.ts";
import { checked, cut } from "../schema/schema.ts";
import type { Event } from "./event.ts";
import { rejectSpaceInBody } from "./parameters.ts";

const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)$/;

/** Returns a JSON body as its schema reads it. Rejects a body that names a space. */
export function parseBody<Schema extends v.GenericSchema>(
  event: Event,
  schema: Schema,
): v.InferOutput<Schema> {
  const type = mediaType(event);
  if (!isJson(type)) throw unsupported(type, "application/json");
  const json = jsonBody(event);
  rejectSpaceInBody(event, json);
  return checked(schema, json);
}

export const isJson = (type: string): boolean => JSON_TYPE.test(type);

/** Returns the value of a JSON body. */
export function jsonBody(event: Event): unknown {
  const text = bodyText(event, BODY_BYTES_MAX);
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RepeatedFieldError)
      throw invalid({ field: cut(error.field), problem: "is there more than once; send it once" });
    throw invalid({ field: "body", problem: `is not JSON: ${cut((error as Error).message)}` });
  }
}

/**
 * Decodes a body as UTF-8. It rejects other bytes, because a replacement character would change the text of the caller.
 */
export function bodyText(event: Event, bytesMax: number): string {
  const { headers, body, isBase64Encoded } = event;
  const encoding = headers["content-encoding"] ?? "identity";
  // A compressed body is rejected, because a few bytes could decompress to gigabytes.
  if (encoding.trim().toLowerCase() !== "identity")
    throw new Problem(
      "unsupported_media_type",
      `Content-Encoding ${cut(encoding)} is not supported; send the body without it.`,
    );
  if (!body) throw EMPTY;
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.byteLength > bytesMax)
    throw new Problem(
      "payload_too_large",
      `The body has ${bytes.byteLength} bytes and may have ${bytesMax}.`,
      { bytes: bytes.byteLength, bytesMax },
    );
  try {
    return DECODER.decode(bytes);
  } catch {
    throw invalid({ field: "body", problem: "is not UTF-8" });
  }
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

export const EMPTY = invalid({ field: "body", problem: "is empty; send a JSON object" });

/**
 * Returns the media type of a body. It rejects a body without a type, because a guess could be wrong
 * (https://www.rfc-editor.org/rfc/rfc9110#section-8.3). A web page can also send such a body to any server without a
 * preflight.
 */
export function mediaType({ headers, body }: Event): string {
  const said = headers["content-type"];
  if (said === undefined)
    throw body
      ? new Problem(
          "unsupported_media_type",
          "The body has no Content-Type; send application/json.",
        )
      : EMPTY;
  const [type = ""] = said.split(";");
  return type.trim().toLowerCase();
}

export function unsupported(type: string, supported: string): Problem {
  return new Problem(
    "unsupported_media_type",
    `Content-Type ${cut(type)} is not supported; send ${supported}.`,
  );
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export const hexDigest = (text: string) => hash("sha256", text, "hex");

/** Returns 132 bits of the SHA-256: enough that two different texts do not collide. */
export const shortDigest = (text: string) => hash("sha256", text, "base64url").slice(0, 22);
