/** The pages of the console that list all of one kind. */
export const LISTS = [
  "hosts",
  "jobs",
  "reservations",
  "alarms",
  "events",
  "check",
  "settings",
] as const;

/** The first part of the path of each page that has a name. */
const NAMED = {
  pools: "pool",
  blocks: "block",
  addresses: "address",
  hosts: "host",
  handles: "handle",
} as const;

type Named = (typeof NAMED)[keyof typeof NAMED];

/** The kinds of all pages. */
export const KINDS = [
  "overview",
  ...Object.values(NAMED),
  ...LISTS,
  "search",
  "spaces",
  "nowhere",
] as const;

/** A page of the console. */
export type Page =
  | { readonly kind: Exclude<(typeof KINDS)[number], Named> }
  | { readonly kind: Named; readonly name: string };

/** All that the address of a page says: its space, the page, and how it is seen. */
export interface Place {
  readonly space: string;
  readonly page: Page;
  /** The view of the page: parameters of the query. */
  readonly view: Readonly<Record<string, string>>;
}

const ROOT = "/console";
const SPACE_DEFAULT = "default";

/** Reads the address of a page. The paths are those of the API: `/console/spaces/blue/pools/main`. */
export function placeAt(url: Pick<URL, "pathname" | "search">): Place {
  const view = Object.fromEntries(new URLSearchParams(url.search));
  const segments = segmentsOf(url.pathname);
  if (!segments) return { space: SPACE_DEFAULT, page: { kind: "nowhere" }, view };
  const [space, rest] =
    segments[0] === "spaces" && segments[1]
      ? [segments[1], segments.slice(2)]
      : [SPACE_DEFAULT, segments];
  return { space, page: pageAt(rest), view };
}

/** Returns the address of a page. */
export function hrefOf({ space, page, view = {} }: Omit<Place, "view"> & Partial<Place>): string {
  const prefix = space === SPACE_DEFAULT ? ROOT : `${ROOT}/spaces/${encodeURIComponent(space)}`;
  const query = new URLSearchParams(view).toString();
  return `${prefix}/${pathOf(page)}${query && `?${query}`}`;
}

function segmentsOf(pathname: string): readonly string[] | undefined {
  try {
    return pathname
      .replace(/^\/console\/?/, "")
      .split("/")
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function pageAt([first = "", ...rest]: readonly string[]): Page {
  const name = rest.join("/");
  if (first === "") return { kind: "overview" };
  if ((first === "search" || first === "spaces") && name === "") return { kind: first };
  const list = LISTS.find((known) => known === first);
  if (list && name === "") return { kind: list };
  const kind = Object.hasOwn(NAMED, first) ? NAMED[first as keyof typeof NAMED] : undefined;
  return kind && name !== "" ? { kind, name } : { kind: "nowhere" };
}

function pathOf(page: Page): string {
  if (page.kind === "overview" || page.kind === "nowhere") return "";
  if (!("name" in page)) return page.kind;
  const [first] = Object.entries(NAMED).find(([, kind]) => kind === page.kind) ?? [];
  return `${first}/${page.name.split("/").map(encodeURIComponent).join("/")}`;
}
