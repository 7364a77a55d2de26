import { ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX } from "../../domain/limits.ts";
import { pageEntries } from "./query.ts";

export const handleQuery = pageEntries(ADDRESSES_PER_PAGE_DEFAULT, ADDRESSES_PER_PAGE_MAX);
