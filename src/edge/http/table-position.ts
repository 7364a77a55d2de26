import * as v from "valibot";
import { isRecord } from "../../contract/schema/schema.ts";

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const PARTITION_KEY_BYTES_MAX = 2_048;
const SORT_KEY_BYTES_MAX = 1_024;
const keyPart = (bytesMax: number) => v.pipe(v.string(), v.nonEmpty(), v.maxBytes(bytesMax));
const key = v.strictObject({
  pk: keyPart(PARTITION_KEY_BYTES_MAX),
  sk: keyPart(SORT_KEY_BYTES_MAX),
});

/** A position in the table, in a cursor: the text of a key. */
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
