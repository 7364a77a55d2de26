import { pageEntries } from "../../../api/query.ts";
import { ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX } from "../../../base/limits.ts";

export const handleQuery = pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX);
