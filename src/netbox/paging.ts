import type { HttpAnswer } from "../api/http/event.ts";
import { invalid } from "../api/schema/problem.ts";
import { shortened } from "../api/schema/schema.ts";
import { NETBOX_PER_PAGE_MAX } from "../base/limits.ts";
import { onlyIn, type QueryValues } from "./filter.ts";
import type { DialectRequest } from "./request.ts";

/** Objects on a page of the dialect, as in NetBox: unless the request has a limit, and at most. */
const NETBOX_PER_PAGE_DEFAULT = 50;

/** A list of the dialect begins no further page of Plat after this time, so that its answer is in time. */
export const NETBOX_LIST_MS_MAX = 4_000;

/** The page that a request asks for, as NetBox counts: from an offset on. */
export interface OffsetPage {
  readonly limit: number;
  readonly offset: number;
}

/** The parameters of the pages of each list. */
export const PAGING = ["limit", "offset"] as const;
/** The parameters that a link sets anew. */
const SET_BY_LINKS: readonly string[] = [...PAGING, "cursor"];

/** Parses `limit` and `offset`. As in NetBox, a limit of 0 asks for the most that a page can have. */
export function parsePage({ query }: Pick<DialectRequest, "query">): OffsetPage {
  const limit = wholeIn(query, "limit", NETBOX_PER_PAGE_DEFAULT);
  const offset = wholeIn(query, "offset", 0);
  return {
    limit: limit === 0 ? NETBOX_PER_PAGE_MAX : Math.min(limit, NETBOX_PER_PAGE_MAX),
    offset,
  };
}

/**
 * Answers a page of a list that is known as a whole.
 *
 * @param unreadable the items that may belong to the list and cannot be read
 */
export function onPage(
  asked: DialectRequest,
  all: readonly object[],
  unreadable: readonly object[] = [],
): HttpAnswer {
  const page = parsePage(asked);
  const results = all.slice(page.offset, page.offset + page.limit);
  const isLast = page.offset + results.length >= all.length;
  const found = { results, count: all.length, unreadable };
  return pageAnswer(asked, page, { ...found, ...(!isLast && { next: {} }) });
}

/**
 * Answers a page with its links.
 *
 * @param found the results, how many there are on all pages, and parameters of the next page besides limit and offset
 */
export function pageAnswer(
  asked: DialectRequest,
  { limit, offset }: OffsetPage,
  found: {
    readonly results: readonly object[];
    readonly count: number;
    readonly next?: Readonly<Record<string, string>>;
    /** Told once each. NetBox's lists have no such field, and its clients read over it. */
    readonly unreadable?: readonly object[];
  },
): HttpAnswer {
  const { results, count, next } = found;
  // Several pages of Plat can name the same item.
  const unreadable = new Map((found.unreadable ?? []).map((each) => [JSON.stringify(each), each]));
  const filters = [...asked.query].flatMap(([name, values]) =>
    SET_BY_LINKS.includes(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  const linkTo = (parameters: Readonly<Record<string, string>>) => {
    const query = [...filters, ...Object.entries({ limit: String(limit), ...parameters })];
    return `${asked.base}${asked.path}/?${new URLSearchParams(query)}`;
  };
  return {
    status: 200,
    body: {
      count,
      next: next ? linkTo({ offset: String(offset + results.length), ...next }) : null,
      previous: offset === 0 ? null : linkTo({ offset: String(Math.max(0, offset - limit)) }),
      results,
      ...(unreadable.size > 0 && { unreadable: [...unreadable.values()] }),
    },
  };
}

function wholeIn(query: QueryValues, name: string, usual: number): number {
  const text = onlyIn(query, name);
  if (text === undefined) return usual;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalid({ field: `?${name}`, value: shortened(text), problem: "must be a whole number" });
}
