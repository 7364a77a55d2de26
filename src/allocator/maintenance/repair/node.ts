import { GRACE_MS } from "../../../domain/limits.ts";
import type { Node, NodeEntry } from "../../../domain/node.ts";
import type { Context } from "../../core/context.ts";

/** Enters a node whose entry is lost: one that was entered long before it stood. Lists would not show it. */
export async function restoreEntry(context: Context, { space, name, id }: Node): Promise<void> {
  await context.store.restoreNodeEntry({ space, name, id, atMs: context.now() });
}

/** Drops an entry whose node was never created, or is deleted. */
export async function repairEntry({ store, now }: Context, entry: NodeEntry): Promise<void> {
  if (now() - entry.atMs <= GRACE_MS) return;
  if (!(await store.readNode(entry.space, entry.name)))
    await store.deleteNodeEntry("repair-entry", entry);
}
