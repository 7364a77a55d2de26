import { slugOf, tagBody } from "./fields.ts";
import { onPage } from "./paging.ts";
import { type Operation, rejectUnknownFilters } from "./request.ts";

/**
 * Finds a tag by its name or its slug, as clients do before they send it. Plat keeps tags with the addresses and nowhere else, so each tag
 * that a client names is there, and a list of all is empty.
 */
export const listTags: Operation = async (asked) => {
  const { query } = asked;
  rejectUnknownFilters(query, (name) => ["name", "slug", "limit", "offset"].includes(name));
  const slug = slugOf(query.slug ?? query.name ?? "");
  return onPage(asked, slug === "" ? [] : [tagBody(slug)]);
};
