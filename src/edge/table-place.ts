import * as v from "valibot";
import { isRecord } from "./schema.ts";

/** Longest key of an item, of both its parts. */
const KEY_CHARACTERS_MAX = 1_024;
const keyPart = v.pipe(v.string(), v.nonEmpty(), v.maxLength(KEY_CHARACTERS_MAX));
const key = v.strictObject({ pk: keyPart, sk: keyPart });

/** A place in the table, as a cursor tells it: the text of a key. */
export const tablePlace = v.pipe(
  v.string(),
  v.check((text) => {
    try {
      const value: unknown = JSON.parse(text);
      return isRecord(value) && v.is(key, value);
    } catch {
      return false;
    }
  }),
);
