import type { Granted, Holding } from "../../../kernel/allocations/holding.ts";
import type { Assignment, AssignRequest } from "../../../kernel/assign/assignment.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { nodeHandle } from "../../../kernel/values/handle.ts";
import { hostId } from "../../../kernel/values/host.ts";
import { parseCidr } from "../../../net/cidr.ts";
import type { Labels } from "../../../net/labels.ts";
import type { HeldPrefix, NodePrefix } from "../../node/prefixes.ts";

/** A prefix with the allocation by which its node has it. */
export interface GrantedPrefix extends NodePrefix, HeldPrefix {
  readonly allocation: Allocation;
  readonly holding: Holding;
}

/** Returns the prefixes that an allocation holds. Each is a block with one slot. */
export const prefixesOf = ({ allocation, held }: Granted): readonly GrantedPrefix[] =>
  held.map((holding) => ({
    cidr: holding.block.cidr,
    pool: holding.block.pool,
    isConfirmed: allocation.expiresAtMs === undefined,
    ...(allocation.expiresAtMs !== undefined && { expiresAtMs: allocation.expiresAtMs }),
    allocation,
    holding,
  }));

/** The request of a node, without the families and the prefixes that it wants. */
export type PrefixRequest = Omit<AssignRequest, "wanted" | "prefixes">;

/** Returns the request under which a node has its prefixes: one of a family at most, under the handle of its uid. */
export const prefixRequestOf = ({
  space,
  node,
  uid,
  pools,
  hostLabels,
  assignedBy,
}: {
  readonly space: string;
  readonly node: string;
  readonly uid: string;
  readonly pools: readonly string[];
  readonly hostLabels?: Labels;
  readonly assignedBy?: string;
}): PrefixRequest => ({
  space,
  host: hostId("host", node),
  handle: nodeHandle(node, uid),
  pools,
  ...(hostLabels && { hostLabels }),
  ...(assignedBy !== undefined && { assignedBy }),
  attributes: {},
  limitPerHandle: 1,
  // The limit makes the request safe to repeat, so that no two bodies of it are compared.
  digest: "prefixes",
});

/** Returns the prefixes of an answer. */
export const prefixesOfAssignment = ({ addresses }: Assignment): readonly NodePrefix[] =>
  addresses.flatMap(({ block, pool, expiresAtMs }) => {
    const cidr = parseCidr(block);
    return cidr.ok
      ? [{ cidr: cidr.value, pool, ...(expiresAtMs !== undefined && { expiresAtMs }) }]
      : [];
  });
