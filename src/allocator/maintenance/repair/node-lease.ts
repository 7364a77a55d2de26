import type { Allocation } from "../../../domain/allocation.ts";
import { parseNetwork } from "../../../domain/cidr.ts";
import { nodeOfHandle } from "../../../domain/handle.ts";
import { CONFIRM_SECONDS_DEFAULT } from "../../../domain/limits.ts";
import type { NodeObjects } from "../../../domain/node-objects.ts";
import { atLeaseEnd, type PrefixReport } from "../../../domain/node-prefixes.ts";
import { changeLease } from "../../allocations/change-lease.ts";
import type { Context } from "../../core/context.ts";

/**
 * Decides about an allocation whose lease has ended, if it is that of a node's prefixes. A node that
 * reported one of them keeps them, and one that reported none waits for another hour, because no clock alone takes a prefix from a known node.
 *
 * @returns true if the allocation stays; false if its lease ends as any other does
 */
export async function staysWithNode(context: Context, seen: Allocation): Promise<boolean> {
  const of = nodeOfHandle(seen.handle);
  if (!of) return false;
  const life = await context.store.readNodeObjects(seen.place.space, of.node);
  const fate = atLeaseEnd(
    of.uid,
    seen.parts.map(({ block }) => block),
    reportsIn(life),
  );
  if (fate === "close") return false;
  // An allocation that changed meanwhile is looked at again when it is due.
  if (fate === "confirm") await changeLease(context, seen);
  else await changeLease(context, seen, context.now() + 1000 * CONFIRM_SECONDS_DEFAULT);
  return true;
}

/** Returns what the Node and the CiliumNodes of the name last said about their prefixes. */
const reportsIn = ({ report, ciliumReports }: NodeObjects): readonly PrefixReport[] =>
  [
    ...(report ? [{ uid: report.uid, said: report.podCidrs }] : []),
    ...ciliumReports
      .filter(({ mode }) => mode === "cluster-pool")
      .map(({ uid, object }) => ({ uid, said: object.ipam.podCIDRs ?? [] })),
  ].map(({ uid, said }) => ({
    uid,
    podCidrs: said.map(parseNetwork).flatMap((read) => (read.ok ? [read.value] : [])),
  }));
