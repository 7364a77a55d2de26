import { CLOCK_SKEW_MS_MAX } from "../../base/limits.ts";
import type { Contents } from "../../invariants/contents.ts";
import type { Part } from "../../kernel/values/allocation.ts";
import { heldBy } from "../../kernel/values/block.ts";
import { isBlockOf } from "../../kernel/values/block-group.ts";
import { ciliumNodeOfHandle, nodeOfHandle } from "../../kernel/values/handle.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt, formatCidr, sameCidr } from "../../net/cidr.ts";
import { assignsPrefixes, serves } from "../../nouns/pool/pool.ts";
import type { Finding } from "./finding.ts";
import type { Inventory } from "./inventory.ts";

/**
 * Finds prefixes, and addresses of CiliumNodes, whose Node object is not in the inventory, by its uid: nobody heard of the end of such
 * a node. It leaves out allocations that are younger than the inventory.
 */
export function heldByNobody(
  { allocations, blocks }: Contents,
  { covers, takenAtMs, nodeObjects }: Inventory,
): readonly Finding[] {
  if (!covers.nodes) return [];
  const known = new Set(nodeObjects.map(({ uid }) => uid));
  const names = new Set(nodeObjects.map(({ name }) => name));
  return allocations.flatMap(({ handle, parts, atMs, state }) => {
    const ofCilium = ciliumNodeOfHandle(handle);
    const of = ofCilium ?? nodeOfHandle(handle);
    const isOlder = atMs + CLOCK_SKEW_MS_MAX < takenAtMs;
    if (!of || known.has(of.uid) || !isOlder || state !== "live") return [];
    // A CiliumNode without an owner has a uid of its own.
    if (ofCilium && names.has(of.node)) return [];
    const act = `plat node ${ofCilium ? "cilium" : "cidr"} release ${of.node} --uid ${of.uid}`;
    return parts
      .flatMap((part) => heldOf(part, blocks))
      .map((held) => ({
        kind: "no_node",
        message: `${held} of node ${of.node} under uid ${of.uid}, which the inventory does not have; ${act} releases it`,
      }));
  });
}

/** Returns the prefix or the addresses that a part holds, each in words. */
function heldOf({ token, block }: Part, blocks: Contents["blocks"]): readonly string[] {
  const own = blocks.filter(({ cidr }) => sameCidr(cidr, block));
  return own.flatMap((each) =>
    heldBy(each, token).map((ordinal) =>
      each.whole
        ? `${formatCidr(block)} is a prefix`
        : `${formatAddress(addressAt(block, ordinal))} is an address`,
    ),
  );
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
