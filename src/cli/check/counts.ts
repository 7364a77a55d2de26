import type { Contents } from "../../invariants/contents.ts";
import { isOver } from "../../kernel/values/allocation.ts";
import { isReleased } from "../../kernel/values/slot.ts";
import type { OwnedAddress } from "../space/contents.ts";

const NODES_SHOWN_MAX = 20;

/** The counts of a space. */
export interface SpaceCounts {
  readonly pools: number;
  readonly blocks: number;
  readonly handles: number;
  readonly assigned: number;
  readonly borrowed: number;
  readonly cooling: number;
  /** The distribution of the assigned addresses over nodes. */
  readonly nodes: {
    readonly count: number;
    readonly max: number;
    readonly median: number;
    /** The nodes with the most addresses. */
    readonly top: readonly { readonly node: string; readonly assigned: number }[];
  };
}

export function countsOfSpace(contents: Contents, assigned: readonly OwnedAddress[]): SpaceCounts {
  const slots = contents.blocks.flatMap((block) => [...block.slots.values()]);
  const current = contents.allocations.filter((allocation) => !isOver(allocation));
  return {
    pools: contents.pools.length,
    blocks: contents.blocks.length,
    handles: new Set(current.map(({ handle }) => handle)).size,
    assigned: slots.filter(({ kind }) => kind === "taken").length,
    borrowed: assigned.filter(({ borrowed }) => borrowed).length,
    cooling: slots.filter(isReleased).length,
    nodes: spread(assigned),
  };
}

function spread(assigned: readonly OwnedAddress[]): SpaceCounts["nodes"] {
  const byNode = new Map<string, number>();
  for (const { host } of assigned) byNode.set(host, (byNode.get(host) ?? 0) + 1);
  const nodes = [...byNode]
    .map(([node, count]) => ({ node, assigned: count }))
    .toSorted((a, b) => b.assigned - a.assigned || (a.node < b.node ? -1 : 1));
  const middle = (nodes.length - 1) / 2;
  const at = (index: number) => nodes[index]?.assigned ?? 0;
  return {
    count: nodes.length,
    max: at(0),
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    top: nodes.slice(0, NODES_SHOWN_MAX),
  };
}
