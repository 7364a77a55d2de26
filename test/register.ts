import { contentsOf } from "../src/store/contents.ts";
import type { InMemoryTable } from "../src/table/in-memory-table.ts";
import { SPACES_PK, spaceKey } from "../src/table/key.ts";

/** Returns the spaces with a pool that serves, or is about to be deleted, and that no scheduled run would visit. */
export function unregisteredIn(table: InMemoryTable): readonly string[] {
  const entries = table.partitions.get(SPACES_PK);
  const { pools } = contentsOf(table.items());
  const spaces = new Set(
    pools.filter(({ state }) => state !== "pending").map(({ space }) => space),
  );
  return [...spaces].filter((space) => !entries?.has(spaceKey(space).sk));
}
