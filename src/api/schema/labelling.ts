import * as v from "valibot";
import { proseText, text, unique } from "./field.ts";
import { list } from "./schema.ts";

const DESCRIPTION_CHARACTERS_MAX = 1_024;
const TAGS_MAX = 20;
const TAG_CHARACTERS_MAX = 50;

/** The description of an object, for people. */
export const descriptionText = v.optional(
  v.pipe(
    proseText,
    v.maxLength(
      DESCRIPTION_CHARACTERS_MAX,
      `must have at most ${DESCRIPTION_CHARACTERS_MAX} characters`,
    ),
  ),
);

/** The words by which people group and find objects. None of them has a comma, so that they can be joined. */
export const tagList = v.optional(
  v.pipe(
    list(
      v.pipe(
        text,
        v.regex(
          new RegExp(`^[^,\\p{Cc}\\p{Cs}]{1,${TAG_CHARACTERS_MAX}}$`, "u"),
          `must be 1 to ${TAG_CHARACTERS_MAX} printable characters without a comma`,
        ),
      ),
      { max: TAGS_MAX },
      { type: "must be an array of texts", max: `must have at most ${TAGS_MAX} tags` },
    ),
    unique<string>("must have each tag once"),
  ),
);
