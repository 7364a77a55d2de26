import type { Api, Listing, Query } from "./api.ts";
import type { UnreadableItem } from "./types.ts";

interface Listed {
  readonly next?: string | undefined;
  readonly unreadable?: readonly UnreadableItem[] | undefined;
}

/** A walk over the pages of a list. */
export interface Walk {
  readonly path: string;
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
}

/** Reads the pages of a list one after another, and yields each. It throws a `Rejection`. */
export async function* pagesOf<T extends Listed>(
  api: Api,
  { path, query = {}, signal }: Walk,
): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await api.get<T>(path, { ...query, cursor }, signal);
    yield page;
    cursor = page.next;
  } while (cursor !== undefined);
}

/** Reads a list as a whole. It throws a `Rejection`. */
export async function listingOf<T extends Listed, Item>(
  api: Api,
  walk: Walk,
  itemsOf: (page: T) => readonly Item[],
): Promise<Listing<Item>> {
  const items: Item[] = [];
  const unreadable: UnreadableItem[] = [];
  for await (const page of pagesOf<T>(api, walk)) {
    items.push(...itemsOf(page));
    unreadable.push(...(page.unreadable ?? []));
  }
  return { items, unreadable };
}

/** Reads the items of a list, all of which can be read. It throws a `Rejection`. */
export const allOf = async <T extends Listed, Item>(
  api: Api,
  walk: Walk,
  itemsOf: (page: T) => readonly Item[],
): Promise<readonly Item[]> => (await listingOf(api, walk, itemsOf)).items;
