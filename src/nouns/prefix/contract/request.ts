import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { attributes } from "../../../api/schema/attributes.ts";
import { cidr, flag, whole } from "../../../api/schema/field.ts";
import { callerHandle, newCallerHandle } from "../../../api/schema/handle.ts";
import { descriptionText, tagList } from "../../../api/schema/labelling.ts";
import { poolList } from "../../../api/schema/pool-names.ts";
import { fields, rule } from "../../../api/schema/schema.ts";
import {
  ADDRESSES_PER_PAGE_DEFAULT,
  ADDRESSES_PER_PAGE_MAX,
  NAME_CHARACTERS_MAX,
} from "../../../base/limits.ts";
import { PREFIX_HANDLE_CHARACTERS } from "../../../kernel/values/handle.ts";
import { BITS, FAMILIES } from "../../../net/address.ts";

const HANDLE_CHARACTERS_MAX = NAME_CHARACTERS_MAX - PREFIX_HANDLE_CHARACTERS;

/** The handle of prefixes is shorter than that of addresses, because `prefix/` comes before it. */
const short = v.check<string, string>(
  (handle) => handle.length <= HANDLE_CHARACTERS_MAX,
  `must have at most ${HANDLE_CHARACTERS_MAX} characters`,
);

const handleOfPrefixes = v.pipe(callerHandle, short);

export const prefixBody = v.pipe(
  fields({
    handle: v.pipe(newCallerHandle, short),
    family: v.optional(v.picklist(FAMILIES, "must be 4 or 6")),
    prefixLength: v.optional(whole(1, BITS[6])),
    cidr: v.optional(cidr),
    pools: v.optional(poolList, []),
    attributes: v.optional(attributes, {}),
    description: descriptionText,
    tags: tagList,
    limitPerHandle: v.optional(whole(0, 1), 0),
    dryRun: v.optional(flag, false),
  }),
  rule(({ attributes, ...said }) =>
    LABELLING.filter((field) => said[field] !== undefined && field in attributes).map((field) => ({
      field: `attributes.${field}`,
      problem: `is excluded by ${field}, which is this attribute`,
    })),
  ),
  rule(({ cidr, family, prefixLength, limitPerHandle }) => {
    if (!cidr) {
      if (family === undefined)
        return [{ field: "family", problem: "is required, or cidr in its place" }];
      if (prefixLength === undefined || prefixLength <= BITS[family]) return [];
      const problem = `must be a prefix length of IPv${family}: 1 to ${BITS[family]}`;
      return [{ field: "prefixLength", value: prefixLength, problem }];
    }
    const asked = { family, prefixLength, ...(limitPerHandle > 0 && { limitPerHandle }) };
    return Object.entries(asked)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => ({ field, value, problem: "is excluded by cidr" }));
  }),
);

/** The fields of a prefix that are attributes of its owner, under the names and in the form that NetBox's dialect has. */
const LABELLING = ["description", "tags"] as const;

/** Returns the attributes of a prefix with those that have fields of their own. */
export const prefixAttributesOf = ({
  attributes,
  description,
  tags,
}: Pick<v.InferOutput<typeof prefixBody>, "attributes" | (typeof LABELLING)[number]>) => ({
  ...attributes,
  ...(description && { description }),
  ...(tags?.length && { tags: tags.join(",") }),
});

/** Names the prefixes of a list: all of a handle, or the one that is this network. */
const named = { handle: v.optional(handleOfPrefixes), cidr: v.optional(cidr) };

export const prefixListQuery = {
  ...named,
  ...pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX),
};

export const prefixReleaseBody = fields({ handle: handleOfPrefixes, cidr: v.optional(cidr) });
