import { hostId } from "../../domain/host.ts";
import type { NodeLife } from "../../domain/judge-node.ts";
import { type Node, uidOfNode } from "../../domain/node.ts";
import type { TombstoneNamed } from "../../domain/tombstone.ts";
import { knownOutcome } from "../admin/written.ts";
import type { Context } from "../core/context.ts";
import { forgetLabels } from "../core/labels.ts";

/**
 * Takes ended objects of a node's name out of the register, as they were seen: the report, then the node with its
 * labels, then its entry and its machine. Nothing of another object goes.
 *
 * @param seen.isEndedNow true if the caller wrote the tombstone after it read the node. Otherwise the tombstone is read
 *   again, because the node may have come back before it was read
 * @returns false if another execution changed one of them meanwhile
 */
export async function leave(
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
  if (report && uids.includes(report.uid)) {
    if ((await knownOutcome(store.deleteReport(report))).outcome === "lost") return false;
    const { uid, machine } = report;
    if (machine !== undefined) await store.deleteMachine({ id: machine, space, name, uid });
  }
  const uidOfSeen = node && uidOfNode(node);
  if (node && uidOfSeen !== undefined && uids.includes(uidOfSeen)) {
    if (!isEndedNow && !(await isEnded(context, { space, name, uid: uidOfSeen }))) return false;
    if ((await knownOutcome(store.deleteNode(node))).outcome === "lost") return false;
    await store.deleteNodeEntry("leave-node", node);
    forgetLabels(context, { space, host: hostId("host", name) });
  }
  return true;
}

async function isEnded({ store }: Context, { space, name, uid }: TombstoneNamed): Promise<boolean> {
  const { tombstones } = await store.readNodeLife(space, name);
  return tombstones.some((tombstone) => tombstone.uid === uid);
}
