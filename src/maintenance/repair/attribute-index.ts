import type { Context } from "../../kernel/core/context.ts";
import type { SpaceIndex } from "../../kernel/values/index-entry.ts";
import { buildIndexes, isAsked } from "../../nouns/pool/operations/build-indexes.ts";

/**
 * Finishes a PUT of settings that was cut off: asks the walks for the entries of an index that it added, and writes since when it is set.
 *
 * @param seen eventually consistent; the write is conditional on the revision of a consistent read
 */
export async function repairIndex(context: Context, seen: SpaceIndex): Promise<void> {
  if (isAsked(seen)) return;
  const { space } = seen;
  const { settings, settingsRevision: revision, indexes } = await context.store.readSpace(space);
  if (revision !== undefined)
    await buildIndexes(context, space, { ...settings, indexes, revision });
}
