import * as v from "valibot";
import { RELEASES_PER_REQUEST_MAX } from "../../domain/limits.ts";
import { affinityType, handleText, hostText, text } from "../schema/field.ts";
import { fields, list } from "../schema/schema.ts";

export const entrySchema = fields({
  address: text,
  handle: v.optional(text),
  generation: v.optional(text),
});

export const releaseBody = fields({
  handle: v.optional(handleText),
  host: v.optional(hostText),
  affinityType: v.optional(affinityType),
  addresses: v.optional(
    list(
      entrySchema,
      { min: 1, max: RELEASES_PER_REQUEST_MAX },
      {
        type: "must be an array of objects with address, handle and generation",
        min: "must have an entry",
        max: `must have at most ${RELEASES_PER_REQUEST_MAX} entries; send several requests`,
      },
    ),
  ),
});
