import type { Api, Query } from "./api.ts";

interface Listed {
  readonly next?: string | undefined;
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
export async function allOf<T extends Listed, Item>(
  api: Api,
  walk: Walk,
  itemsOf: (page: T) => readonly Item[],
): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const page of pagesOf<T>(api, walk)) items.push(...itemsOf(page));
  return items;
}
