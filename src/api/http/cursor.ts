import * as v from "valibot";
import { parseAddress } from "../../net/address.ts";
import { readable } from "../schema/field.ts";
import { invalid, type Problem } from "../schema/problem.ts";
import { isRecord, shortened } from "../schema/schema.ts";

/**
 * Encodes the end of a page as a text that the caller sends back: base64url of a small JSON. It is bound to the
 * request, so that it cannot continue another list. It grants nothing, because a forged cursor shows only data that its
 * author may read anyway. A position names nothing of another space (decision 118).
 *
 * @param of the kind of list, its space and its filters
 */
export function sealCursor(of: readonly unknown[], position: object): string {
  return Buffer.from(JSON.stringify({ of, position })).toString("base64url");
}

/** Decodes a cursor; nothing if there is none. Inverse of `sealCursor`. */
export function openCursor<Schema extends v.GenericSchema>(
  text: string | undefined,
  of: readonly unknown[],
  schema: Schema,
): { readonly position: v.InferOutput<Schema> | undefined } {
  if (text === undefined) return { position: undefined };
  const sealed = unsealed(text);
  if (sealed && sealed.of !== JSON.stringify(of))
    throw rejected(text, "belongs to another list; use it with the same path and filters only");
  const position = v.safeParse(schema, sealed?.position);
  if (!position.success) throw notACursor(text);
  return { position: position.output };
}

/** Decodes a cursor, with the list that it belongs to as text. Rejects one that is nested too deep to be encoded again. */
function unsealed(text: string): { readonly of: string; readonly position: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return isRecord(json) ? { of: JSON.stringify(json.of), position: json.position } : undefined;
  } catch {
    return undefined;
  }
}

export const notACursor = (text: string): Problem =>
  rejected(text, "is not a cursor; send the `next` of the previous page");

const rejected = (cursor: string, problem: string): Problem =>
  invalid({ field: "?cursor", value: shortened(cursor), problem });

/** An address in a cursor. Plat wrote it, so it has one form only. */
export const addressInCursor = readable(parseAddress, {
  description: "An address",
  examples: ["10.0.0.7"],
});
