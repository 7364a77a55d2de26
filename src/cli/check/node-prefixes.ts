import { isBlockOf } from "../../domain/block-group.ts";
import { formatCidr, sameCidr } from "../../domain/cidr.ts";
import type { Contents } from "../../domain/contents.ts";
import { CLOCK_SKEW_MS_MAX } from "../../domain/limits.ts";
import { ciliumPoolOfHandle, nodeOfHandle } from "../../domain/node-handle.ts";
import { assignsPrefixes, serves } from "../../domain/pool.ts";
import type { Finding } from "./finding.ts";
import type { Inventory } from "./inventory.ts";

/**
 * Finds prefixes whose Node object is not in the inventory, by its uid: nobody heard of the end of such a node. It leaves out
 * allocations that are younger than the inventory.
 */
export function prefixesOfNobody(
  { allocations, blocks }: Contents,
  { covers, takenAtMs, nodeObjects }: Inventory,
): readonly Finding[] {
  if (!covers.nodes) return [];
  const known = new Set(nodeObjects.map(({ uid }) => uid));
  const names = new Set(nodeObjects.map(({ name }) => name));
  return allocations.flatMap(({ handle, parts, atMs, state }) => {
    const ofPool = ciliumPoolOfHandle(handle);
    const of = ofPool ?? nodeOfHandle(handle);
    const isOlder = atMs + CLOCK_SKEW_MS_MAX < takenAtMs;
    if (!of || known.has(of.uid) || !isOlder || state !== "live") return [];
    // A CiliumNode without an owner has a uid of its own.
    if (ofPool && names.has(of.node)) return [];
    const act = ofPool
      ? `DELETE /v1/nodes/${of.node}/cilium?uid=${of.uid}`
      : `plat node cidr release ${of.node} --uid ${of.uid}`;
    const held = parts.filter(({ token, block }) =>
      blocks.some(({ cidr, slots }) => {
        const slot = sameCidr(cidr, block) ? slots.get(0) : undefined;
        return slot?.kind === "taken" && slot.token === token;
      }),
    );
    return held.map(({ block }) => ({
      kind: "no_node",
      message: `${formatCidr(block)} is a prefix of node ${of.node} under uid ${of.uid}, which the inventory does not have; ${act} releases it`,
    }));
  });
}

/** Finds prefixes of Node objects that lie in a serving pool of prefixes, and that are not assigned to the uid of the node. */
export function prefixesNotAssigned(
  { allocations, pools }: Contents,
  { nodeObjects }: Inventory,
): readonly Finding[] {
  const serving = pools.filter((pool) => assignsPrefixes(pool) && serves(pool));
  const assigned = allocations.flatMap(({ handle, parts, state }) => {
    const of = nodeOfHandle(handle);
    return of && state === "live" ? parts.map(({ block }) => ({ uid: of.uid, block })) : [];
  });
  return nodeObjects.flatMap(({ name, uid, podCidrs }) =>
    podCidrs
      .filter((cidr) => serving.some((pool) => isBlockOf(pool, cidr)))
      .filter((cidr) => !assigned.some((one) => one.uid === uid && sameCidr(one.block, cidr)))
      .map((cidr) => ({
        kind: "unassigned",
        message: `${formatCidr(cidr)} is a prefix of node ${name} in the cluster, and not assigned to uid ${uid}`,
      })),
  );
}
