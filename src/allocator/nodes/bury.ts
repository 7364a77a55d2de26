import type { Ending } from "../../domain/judge-node.ts";
import { NODE_REPLACED_MS } from "../../domain/limits.ts";
import type { Tombstone } from "../../domain/tombstone.ts";
import { knownOutcome } from "../admin/written.ts";
import { configurationOf } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";

/**
 * Writes the tombstone of a node, over the one that was seen. From then on the node gets nothing more.
 *
 * @returns false if another execution changed it meanwhile
 */
export async function bury(
  context: Context,
  of: Pick<Tombstone, "space" | "name">,
  { seen, by, isAnew, ...incarnation }: Ending,
): Promise<boolean> {
  const nowMs = context.now();
  const quarantineMs = async () =>
    by === "replaced"
      ? NODE_REPLACED_MS
      : 1000 * (await configurationOf(context, of.space)).settings.nodeQuarantineSeconds;
  const isOpen = seen === undefined || seen.state === "quarantined";
  const times =
    seen && !(isAnew && isOpen)
      ? { sinceMs: seen.sinceMs, dueAtMs: seen.dueAtMs }
      : { sinceMs: seen?.sinceMs ?? nowMs, dueAtMs: nowMs + (await quarantineMs()) };
  const tombstone: Tombstone = {
    ...of,
    ...incarnation,
    by,
    state: seen?.state ?? "quarantined",
    ...times,
    revision: fresh(context),
  };
  const written = await knownOutcome(
    seen
      ? context.store.changeTombstone("gone-over", seen, tombstone)
      : context.store.createTombstone(tombstone),
  );
  return written.outcome === "done";
}
