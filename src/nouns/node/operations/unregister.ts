import type { Context } from "../../../kernel/core/context.ts";
import { forgetLabels } from "../../../kernel/core/labels.ts";
import { awaitAll } from "../../../kernel/core/parallel.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import { hostId } from "../../../kernel/values/host.ts";
import type { NodeLife } from "../judge-node.ts";
import { type Node, uidOfNode } from "../node.ts";
import type { TombstoneNamed } from "../tombstone.ts";

/**
 * Takes ended objects of a node's name out of the register, as they were seen: the report, then the node with its
 * labels and its entry, and beside them its machine. Nothing of another object goes.
 *
 * @param seen.isEndedNow true if the caller wrote the tombstone after it read the node. Otherwise the tombstone is read
 *   again, because the node may have come back before it was read
 * @returns false if another execution changed one of them meanwhile
 */
export async function unregister(
  context: Context,
  { space, name }: { readonly space: string; readonly name: string },
  uids: readonly string[],
  seen: {
    readonly life: NodeLife;
    readonly node: Node | undefined;
    readonly isEndedNow?: boolean;
  },
): Promise<boolean> {
  const { store } = context;
  const { life, node, isEndedNow = false } = seen;
  const { report } = life;
  const leaving = report && uids.includes(report.uid) ? report : undefined;
  if (leaving && (await knownOutcome(store.deleteReport(leaving))).outcome === "lost") return false;
  const { uid, machine } = leaving ?? {};
  const [isLeft] = await awaitAll(
    deleteRegistered(context, uids, node, isEndedNow),
    uid !== undefined &&
      machine !== undefined &&
      store.deleteMachine({ id: machine, space, name, uid }),
  );
  return isLeft;
}

/** Deletes a registered node of one of the uids, and then its entry. @returns false if it has changed since it was read */
async function deleteRegistered(
  context: Context,
  uids: readonly string[],
  node: Node | undefined,
  isEndedNow: boolean,
): Promise<boolean> {
  const uid = node && uidOfNode(node);
  if (!node || uid === undefined || !uids.includes(uid)) return true;
  const { space, name } = node;
  if (!isEndedNow && !(await isEnded(context, { space, name, uid }))) return false;
  if ((await knownOutcome(context.store.deleteNode(node))).outcome === "lost") return false;
  await context.store.deleteNodeEntry("leave-node", node);
  forgetLabels(context, { space, host: hostId("host", name) });
  return true;
}

async function isEnded({ store }: Context, { space, name, uid }: TombstoneNamed): Promise<boolean> {
  const { tombstones } = await store.readNodeLife(space, name);
  return tombstones.some((tombstone) => tombstone.uid === uid);
}
