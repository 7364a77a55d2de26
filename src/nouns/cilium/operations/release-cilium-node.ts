import type { Rejection } from "../../../base/outcome.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { unstate } from "../../prefix/operations/state-ranges.ts";
import { endCiliumReport, isStillReleasing } from "./end-cilium-report.ts";

/**
 * Releases all that one incarnation of a node has by its CiliumNode, and forgets the object. A repeat releases nothing.
 *
 * @returns the prefixes and addresses that this call released, as text; or `request_in_progress` if it did not release all of them
 */
export async function releaseCiliumNode(
  context: Context,
  { space, node, uid }: { readonly space: string; readonly node: string; readonly uid: string },
): Promise<readonly string[] | Rejection> {
  const { store } = context;
  const unstated = await unstate(context, { space, node, uid }, { by: ["cilium"] });
  // The node may have got a network as a prefix after its object listed it.
  const released = new Set(unstated.map(formatCidr));
  return compareAndSwap<readonly string[] | Rejection>(`the CiliumNode ${node}`, async () => {
    const { ciliumReports } = await store.readNodeObjects(space, node);
    const report = ciliumReports.find((each) => each.uid === uid);
    if (!report) {
      // It may exist under keys that this version does not know.
      if (released.size === 0) await store.checkKeys();
      return answer([...released]);
    }
    if (!report.isEnding) {
      // From here on a crash leaves a release that the next request finishes.
      const ending = { ...report, isEnding: true, revision: fresh(context) };
      await knownOutcome(store.changeCiliumReport("end-cilium", report, ending));
      return RETRY;
    }
    const ended = await endCiliumReport(context, report);
    for (const each of ended.released) released.add(each);
    return ended.complete ? RETRY : answer(isStillReleasing(report));
  });
}
