import { Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { type Cidr, formatCidr } from "../../../net/cidr.ts";
import type { CiliumReport } from "../report.ts";
import type { CiliumGrant, CiliumRequest } from "./mode.ts";
import { MODES } from "./modes.ts";
import { putCiliumNode } from "./put-cilium-node.ts";

/** The CiliumNode of a node as it was last seen, and what the node has now. */
export interface CiliumNodeRead {
  readonly report: CiliumReport;
  readonly grant: CiliumGrant;
}

/**
 * Returns what a PUT of the last CiliumNode of a name would answer the same caller now, without what that would newly take. What the object states stays in it.
 *
 * @param dry the context of a dry run
 * @returns `not_found` before the first PUT; otherwise as `putCiliumNode`
 */
export async function readCiliumNode(
  dry: Context,
  {
    space,
    node,
    assignedBy,
  }: { readonly space: string; readonly node: string; readonly assignedBy?: string },
): Promise<CiliumNodeRead | Rejection> {
  const { ciliumReports, tombstones } = await dry.store.readNodeObjects(space, node);
  const [report] = ciliumReports
    .filter(({ uid }) => tombstones.every((tombstone) => tombstone.uid !== uid))
    .toSorted((a, b) => b.seenAtMs - a.seenAtMs);
  if (!report) {
    // It may exist under keys that this version does not know.
    await dry.store.checkKeys();
    return notFound(space, "CiliumNode", node);
  }
  const { mode, uid, resourceVersion, object, families } = report;
  const { releaseAfterSeconds, withdrawAfterSeconds } = report;
  const request: CiliumRequest = {
    space,
    node,
    uid,
    resourceVersion,
    object,
    mode,
    ...(families && { families }),
    ...(releaseAfterSeconds !== undefined && { releaseAfterSeconds }),
    withdrawAfterSeconds,
    ...(assignedBy !== undefined && { assignedBy }),
  };
  const grant = await putCiliumNode(dry, request);
  if (grant instanceof Rejection) return grant;
  return { report, grant: withoutTaken(grant, MODES[mode].stated?.(request) ?? []) };
}

/** Returns a grant without what was newly taken, but with the networks that the object states. */
function withoutTaken(grant: CiliumGrant, stated: readonly Cidr[]): CiliumGrant {
  const listed = new Set(stated.map(formatCidr));
  const taken = new Set(grant.taken.filter((text) => !listed.has(text)));
  const { podCIDRs, pool, pools } = grant.ipam;
  const isKept = (text: string) => !taken.has(text);
  const kept = pools?.allocated?.map(({ cidrs = [], ...of }) => ({
    ...of,
    cidrs: cidrs.filter(isKept),
  }));
  return {
    ...grant,
    ipam: {
      ...(podCIDRs && { podCIDRs: podCIDRs.filter(isKept) }),
      ...(pool && {
        pool: Object.fromEntries(Object.entries(pool).filter(([text]) => isKept(text))),
      }),
      ...(kept && {
        pools: { ...pools, allocated: kept.filter(({ cidrs }) => cidrs.length > 0) },
      }),
    },
    taken: [],
  };
}
