import * as v from "valibot";
import { flagText, wholeText } from "./schema/field.ts";

/** Returns the parameters of a list with pages. */
export const pageEntries = (usual: number, max: number) => ({
  limit: v.optional(wholeText(1, max), String(usual)),
  cursor: v.optional(v.string()),
});

/** Asks for a dry run. */
export const DRY_RUN = { dryRun: v.optional(flagText, "false") };

export const NAMED_PER_PAGE_MAX = 250;

const NAMED_PER_PAGE_DEFAULT = 100;

/** Parameters of a list in the order of names or times. */
export const namedListQuery = pageEntries(NAMED_PER_PAGE_DEFAULT, NAMED_PER_PAGE_MAX);
