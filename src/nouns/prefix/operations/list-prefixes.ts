import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { holdingsOf } from "../../../kernel/allocations/replay.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { nodeOfHandle } from "../../../kernel/values/handle.ts";
import type { NodePrefix } from "../../node/prefixes.ts";
import { allocationsOfNode } from "./allocations-of-node.ts";
import { allocationsOnHost, blocksOnHost } from "./allocations-on-host.ts";
import { prefixesOf } from "./node-prefix.ts";

/** A prefix of a node, and the incarnation that has it. */
export interface ListedPrefix extends NodePrefix {
  readonly uid: string;
}

/** Returns the prefixes of a node in the order of its families and incarnations, strongly consistent: those of one uid, or of all. */
export async function listPrefixes(
  context: Context,
  wanted: { readonly space: string; readonly node: string; readonly uid?: string | undefined },
): Promise<readonly ListedPrefix[]> {
  const { uid } = wanted;
  const allocations =
    uid === undefined
      ? await allocationsOnHost(context, wanted, await blocksOnHost(context, wanted))
      : await allocationsOfNode(context, { ...wanted, uid });
  const live = allocations.filter(({ state }) => state === "live");
  const listed = await inParallel(live, PAGE_READS_AT_ONCE, async (allocation) => {
    const of = nodeOfHandle(allocation.handle);
    const held = await holdingsOf(context, allocation);
    return of ? prefixesOf({ allocation, held }).map((prefix) => ({ ...prefix, uid: of.uid })) : [];
  });
  return listed
    .flat()
    .toSorted((a, b) => a.cidr.family - b.cidr.family || (a.uid < b.uid ? -1 : 1));
}
