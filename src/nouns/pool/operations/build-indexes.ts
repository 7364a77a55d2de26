import { EVERY_SHARD } from "../../../base/hash.ts";
import { SHARDS } from "../../../base/limits.ts";
import { untilKnown } from "../../../kernel/core/compare-and-swap.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import type { AttributeIndex, Settings } from "../../settings/settings.ts";

/** Settings as they were written, with the indexes of their indexed attributes. */
interface WrittenSettings extends Settings {
  readonly indexes: readonly AttributeIndex[];
  readonly revision: string;
}

/**
 * Asks the walks of the repair run for the entries of indexes that were added, after their setting was written. Then it writes since when
 * they are set, so that searches know which walk completes them. A request that is cut off before leaves an index that no search uses.
 * The repair run continues, and so does the same PUT again.
 *
 * @returns the revision of the settings; the one given if another author has changed them, who then also builds what they name
 */
export async function buildIndexes(
  context: Context,
  space: string,
  { indexes, revision, ...settings }: WrittenSettings,
): Promise<string> {
  if (indexes.every(isAsked)) return revision;
  const sinceMs = context.now();
  await inParallel(EVERY_SHARD, SHARDS, (shard) =>
    untilKnown("a walk was asked for the entries of an index", () =>
      context.store.askForIndexing(shard, sinceMs),
    ),
  );
  const since = indexes.map((index) => ({ sinceMs, ...index }));
  const next = fresh(context);
  const written = { ...settings, indexes: since };
  const put = await knownOutcome(context.store.putSettings(space, written, next, revision));
  if (put.outcome === "lost") return revision;
  await announceChange(context, space);
  return next;
}

/** Returns the indexes of the attributes that settings name. One that was there keeps the time since when it is set. */
export const indexesOf = (
  { indexedAttributes }: Settings,
  before: readonly AttributeIndex[],
): readonly AttributeIndex[] =>
  indexedAttributes.map(
    (attribute) => before.find((index) => index.attribute === attribute) ?? { attribute },
  );

/** Returns true if the walks were asked for the entries of an index. */
export const isAsked = ({ sinceMs }: AttributeIndex): boolean => sinceMs !== undefined;
