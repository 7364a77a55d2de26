import { LIMIT_PER_HANDLE_MAX } from "../../base/limits.ts";
import type { CiliumIpam } from "./object.ts";

/** The addresses of one family that a node has in mode `crd`. */
export interface CiliumStock {
  /** Those that it may use, with those that it uses. */
  readonly available: number;
  /** Those of the available ones that it uses. */
  readonly used: number;
  /** Those that it holds: the available ones, and the withdrawn ones that are in use. */
  readonly held: number;
}

/** The watermarks of a CiliumNode, with Cilium's defaults. */
export interface Watermarks {
  readonly preAllocate: number;
  readonly minAllocate: number;
  /** Zero means no maximum. */
  readonly maxAllocate: number;
  readonly maxAboveWatermark: number;
}

/** The addresses that a node gets. */
export interface CiliumGrowth {
  readonly needed: number;
  /** The addresses to take: the needed ones, and those above the watermark. */
  readonly grow: number;
  /** The needed addresses that a node cannot have, because of the maximum of a handle. */
  readonly cut: number;
}

/** Returns the watermarks of `spec.ipam`. */
export const watermarksOf = (ipam: CiliumIpam): Watermarks => ({
  preAllocate: ipam["pre-allocate"] ?? PRE_ALLOCATE_DEFAULT,
  minAllocate: ipam["min-allocate"] ?? 0,
  maxAllocate: ipam["max-allocate"] ?? 0,
  maxAboveWatermark: ipam["max-above-watermark"] ?? 0,
});

/** Cilium's default of `pre-allocate`. */
const PRE_ALLOCATE_DEFAULT = 8;
/** An agent waits for so many addresses if it is told neither `pre-allocate` nor `min-allocate`: its own, and one for health checks. */
const FIRST_ADDRESSES = 2;

/** Returns the addresses that a node lacks, and those that it gets (`calculateNeededIPs` in Cilium's pkg/ipam/node.go). */
export function growthOf(watermarks: Watermarks, stock: CiliumStock): CiliumGrowth {
  const { minAllocate, maxAllocate, maxAboveWatermark } = watermarks;
  const { available, used, held } = stock;
  const isStarting = countsAsFirst(watermarks) && available < FIRST_ADDRESSES;
  const preAllocate = isStarting ? FIRST_ADDRESSES : watermarks.preAllocate;
  const room = maxAllocate > 0 ? Math.max(0, maxAllocate - held) : Number.POSITIVE_INFINITY;
  const lacking = Math.max(0, preAllocate - (available - used), minAllocate - available);
  const needed = Math.min(lacking, room);
  if (needed === 0) return { needed, grow: 0, cut: 0 };
  const most = Math.max(0, LIMIT_PER_HANDLE_MAX - held);
  const grow = Math.min(needed + maxAboveWatermark, room, most);
  return { needed, grow, cut: Math.max(0, needed - most) };
}

/**
 * Returns the addresses that a node can give back (`calculateExcessIPs` in Cilium's pkg/ipam/node.go). Cilium's formula goes below
 * `min-allocate`, and then the node needs them again. This one does not.
 */
export function excessOf(watermarks: Watermarks, stock: Omit<CiliumStock, "held">): number {
  const { preAllocate, minAllocate, maxAboveWatermark } = watermarks;
  const { available, used } = stock;
  if (available <= minAllocate + maxAboveWatermark) return 0;
  const spare = available - used - preAllocate - maxAboveWatermark;
  return Math.max(0, Math.min(spare, available - floorOf(watermarks)));
}

/** Returns the addresses that a node keeps however few it uses. */
const floorOf = (watermarks: Watermarks): number =>
  countsAsFirst(watermarks) ? FIRST_ADDRESSES : watermarks.minAllocate;

const countsAsFirst = ({ preAllocate, minAllocate }: Watermarks): boolean =>
  preAllocate === 0 && minAllocate === 0;
