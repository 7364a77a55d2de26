import { GRACE_MS } from "../../base/limits.ts";
import type { Context } from "../../kernel/core/context.ts";
import { endCiliumReport } from "../../nouns/cilium/operations/end-cilium-report.ts";
import type { CiliumReport } from "../../nouns/cilium/report.ts";
import { isProvenWrong } from "../../nouns/node/judge-node.ts";
import type { Node, NodeEntry } from "../../nouns/node/node.ts";
import type { SignOfLife } from "../../nouns/node/node-report.ts";
import { unregister } from "../../nouns/node/operations/unregister.ts";
import type { StatedRanges } from "../../nouns/node/stated-ranges.ts";
import { unstate } from "../../nouns/prefix/operations/state-ranges.ts";

/** A sign of life that is older belongs to no node that lives. */
export const SIGN_OF_LIFE_KEPT_MS = 24 * 60 * 60 * 1000;

/** Enters a node whose entry is lost: one that was entered long before it stood. Lists would not show it. */
export async function restoreEntry(context: Context, { space, name, id }: Node): Promise<void> {
  await context.store.restoreNodeEntry({ space, name, id, atMs: context.now() });
}

/** Takes a report or a registration out that landed after the end of its node. The tombstone decides. */
export async function repairEnded(
  context: Context,
  of: { readonly space: string; readonly name: string },
): Promise<void> {
  const life = await context.store.readNodeLife(of.space, of.name);
  if (life.tombstones.length === 0) return;
  const node = await context.store.readNode(of.space, of.name);
  const ended = life.tombstones.filter((tombstone) => !isProvenWrong(life, tombstone));
  await unregister(
    context,
    of,
    ended.map(({ uid }) => uid),
    { life, node },
  );
}

/**
 * Drops the report of a CiliumNode that landed after the end of its node, and finishes a release that was cut off. The tombstone and
 * the report decide, read again.
 */
export async function repairCiliumReport(context: Context, seen: CiliumReport): Promise<void> {
  const { space, name, uid } = seen;
  const { ciliumReports, tombstones } = await context.store.readNodeObjects(space, name);
  const report = ciliumReports.find((each) => each.uid === uid);
  const isFreed = tombstones.some((gone) => gone.uid === uid && gone.state === "freed");
  if (report && (isFreed || report.isEnding)) await endCiliumReport(context, report);
}

/** Drops what an ended node states, if it landed after all that the node had was freed. The tombstone decides. */
export async function repairStated(context: Context, seen: StatedRanges): Promise<void> {
  const { space, node, uid } = seen;
  const tombstone = await context.store.readTombstone({ space, name: node, uid });
  if (tombstone?.state === "freed") await unstate(context, seen);
}

/** Drops a sign of life that is so old that its node lives no more. */
export async function repairSignOfLife({ store, now }: Context, sign: SignOfLife): Promise<void> {
  if (now() - sign.seenAtMs > SIGN_OF_LIFE_KEPT_MS) await store.deleteSignOfLife(sign);
}

/** Drops an entry whose node was never created, or is deleted. */
export async function repairEntry({ store, now }: Context, entry: NodeEntry): Promise<void> {
  if (now() - entry.atMs <= GRACE_MS) return;
  if (!(await store.readNode(entry.space, entry.name)))
    await store.deleteNodeEntry("repair-entry", entry);
}
