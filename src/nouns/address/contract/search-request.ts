import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { attributes } from "../../../api/schema/attributes.ts";
import {
  affinityType,
  cidr,
  handleText,
  hostText,
  resourceName,
  text,
} from "../../../api/schema/field.ts";
import {
  ADDRESSES_PER_PAGE_DEFAULT,
  ADDRESSES_PER_PAGE_MAX,
  ATTRIBUTE_VALUE_CHARACTERS_MAX,
} from "../../../base/limits.ts";

/** The states of addresses that a search lists. A free address is in none. */
export const SEARCHED_STATES = [
  "assigned",
  "kept",
  "held",
  "cooling",
  "quarantined",
  "hostReserved",
] as const;

/** The parameter `attribute.KEY` stands for one entry of this object. */
export const ATTRIBUTE_PREFIX = "attribute.";

const OWNER_CHARACTERS_MAX = 2 * ATTRIBUTE_VALUE_CHARACTERS_MAX + 1;

export const addressListQuery = {
  pool: v.optional(resourceName),
  host: v.optional(hostText),
  affinityType: v.optional(affinityType),
  handle: v.optional(handleText),
  owner: v.optional(
    v.pipe(
      text,
      v.regex(
        new RegExp(`^\\P{Cs}{1,${OWNER_CHARACTERS_MAX}}$`, "u"),
        "must be the name of an owner, such as web-0 or shop/web-0",
      ),
    ),
  ),
  state: v.optional(v.picklist(SEARCHED_STATES, `must be one of ${SEARCHED_STATES.join(", ")}`)),
  cidr: v.optional(cidr),
  attributes: v.optional(attributes),
  ...pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX),
};

export const handleListQuery = {
  prefix: v.optional(handleText),
  ...pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX),
};

export const hostListQuery = pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX);

/** The query of one handle, whose addresses come in pages. */
export const handleQuery = pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX);
