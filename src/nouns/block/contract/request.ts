import * as v from "valibot";
import { pageEntries } from "../../../api/query.ts";
import { affinityType, hostText, resourceName } from "../../../api/schema/field.ts";
import {
  ADDRESSES_PER_PAGE_DEFAULT,
  ADDRESSES_PER_PAGE_MAX,
  BLOCKS_PER_PAGE_DEFAULT,
  BLOCKS_PER_PAGE_MAX,
} from "../../../base/limits.ts";

export const blockListQuery = {
  pool: v.optional(resourceName),
  host: v.optional(hostText),
  affinityType: v.optional(affinityType),
  ...pageEntries(BLOCKS_PER_PAGE_DEFAULT, BLOCKS_PER_PAGE_MAX),
};

export const blockQuery = pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX);
