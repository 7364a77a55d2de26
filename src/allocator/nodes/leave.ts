import { hostId } from "../../domain/host.ts";
import type { NodeLife } from "../../domain/judge-node.ts";
import { type Node, uidOfNode } from "../../domain/node.ts";
import { knownOutcome } from "../admin/written.ts";
import type { Context } from "../core/context.ts";
import { forgetLabels } from "../core/labels.ts";

/**
 * Takes ended objects of a node's name out of the register, as they were seen: the report, then the node with its
 * labels, then its entry and its machine. Nothing of another object goes.
 *
 * @returns false if another execution changed one of them meanwhile
 */
export async function leave(
  context: Context,
  { space, name }: { readonly space: string; readonly name: string },
  uids: readonly string[],
  { life, node }: { readonly life: NodeLife; readonly node: Node | undefined },
): Promise<boolean> {
  const { store } = context;
  const { report } = life;
  if (report && uids.includes(report.uid)) {
    if ((await knownOutcome(store.deleteReport(report))).outcome === "lost") return false;
    const { uid, machine } = report;
    if (machine !== undefined) await store.deleteMachine({ id: machine, space, name, uid });
  }
  if (node && uids.includes(uidOfNode(node) ?? "")) {
    if ((await knownOutcome(store.deleteNode(node))).outcome === "lost") return false;
    await store.deleteNodeEntry("leave-node", node);
    forgetLabels(context, { space, host: hostId("host", name) });
  }
  return true;
}
