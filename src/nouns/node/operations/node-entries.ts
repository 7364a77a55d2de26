import { LABELLED_PER_PAGE_MAX } from "../../../base/limits.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { NodeEntry } from "../node.ts";

/**
 * Returns the whole register of the nodes of a space.
 *
 * @throws {CorruptItemError} if an entry cannot be read, because the register would not be whole
 */
export async function nodeEntries(
  { store }: Context,
  space: string,
): Promise<readonly NodeEntry[]> {
  const entries: NodeEntry[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page = await store.listNodeEntries(space, { after, limit: LABELLED_PER_PAGE_MAX });
    for (const unreadable of page.unreadable) throw unreadable;
    entries.push(...page.items);
    after = page.next;
    more = after !== undefined;
  }
  return entries;
}
