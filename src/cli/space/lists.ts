import type { components, Page } from "../../client/index.ts";
import { type CommandError, capital, rejectionError } from "../shell/exit.ts";

type Unreadable = components["schemas"]["UnreadableItem"];

/** A page of a list. Some lists also have items that cannot be read. */
export interface ListPage extends Page {
  readonly unreadable?: readonly Unreadable[] | undefined;
}

/** A list up to its last page. */
export interface KnownList<Item> {
  readonly items: Item[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * Reads a list up to its last page, and also returns the items that cannot be read.
 *
 * @param each told after each page how many items were found
 */
export async function knownIn<Part extends ListPage, Item>(
  pages: AsyncIterable<Part>,
  itemsOf: (page: Part) => readonly Item[],
  each: (found: number) => void = () => {},
): Promise<KnownList<Item>> {
  const items: Item[] = [];
  const unreadable: Unreadable[] = [];
  for await (const page of pages) {
    items.push(...itemsOf(page));
    unreadable.push(...(page.unreadable ?? []));
    each(items.length);
  }
  return { items, unreadable };
}

/** Reads a list as `knownIn` does. Errors: an item cannot be read. */
export async function allIn<Part extends ListPage, Item>(
  pages: AsyncIterable<Part>,
  itemsOf: (page: Part) => readonly Item[],
): Promise<readonly Item[]> {
  const { items, unreadable } = await knownIn(pages, itemsOf);
  rejectUnread(unreadable);
  return items;
}

/** Rejects a list, after it was printed, if an item of it cannot be read. */
export function rejectUnread(unreadable: readonly Pick<Unreadable, "reason">[] = []): void {
  const unread = unreadIn(unreadable);
  if (unread) throw unread;
}

/** Returns the error that names the unreadable items of a list; nothing without any. */
export function unreadIn(
  unreadable: readonly Pick<Unreadable, "reason">[],
): CommandError | undefined {
  // A list that is read as a whole names its unreadable items on each page.
  const [first, ...others] = new Set(unreadable.map(({ reason }) => `${capital(reason)}.`));
  return first === undefined ? undefined : rejectionError("unreadable", first, ...others);
}
