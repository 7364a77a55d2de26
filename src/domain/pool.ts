import type { Cidr, Interval } from "./cidr.ts";
import type { Selector } from "./selector.ts";

/** What addresses are for; a pool says which it serves. The values are Calico's. */
export const USES = ["Workload", "Tunnel", "LoadBalancer"] as const;
export type Use = (typeof USES)[number];

/** `Manual` pools serve only requests that name them. */
export const ASSIGNMENT_MODES = ["Automatic", "Manual"] as const;
export type AssignmentMode = (typeof ASSIGNMENT_MODES)[number];

export const BORROWING = ["allowed", "forbidden"] as const;
export type Borrowing = (typeof BORROWING)[number];

/** Whom a pool serves, by labels: as its operator wrote it, and as it was read. */
export interface PoolSelector {
  readonly text: string;
  readonly selector: Selector;
}

/** What an operator says of a pool. CIDR and block size never change. */
export interface PoolSpec {
  readonly cidr: Cidr;
  /** Prefix length of its blocks. */
  readonly blockSize: number;
  readonly disabled: boolean;
  readonly assignmentMode: AssignmentMode;
  readonly allowedUses: readonly Use[];
  /** Absent: every host. */
  readonly nodeSelector?: PoolSelector;
  /** Absent: every namespace, and requests that name none. */
  readonly namespaceSelector?: PoolSelector;
  /** Absent: the space's own. */
  readonly cooldownSeconds?: number;
  /** May hosts take addresses from blocks of this pool that are not theirs? */
  readonly borrowing: Borrowing;
  /** Fields of a Calico manifest that only concern routing: kept, given back, and otherwise ignored. */
  readonly routing?: Readonly<Record<string, string | boolean>>;
}

export interface Pool extends PoolSpec {
  readonly space: string;
  readonly name: string;
  /** Names this pool in the address plan, so that a deleted pool and its successor are not confused. */
  readonly id: string;
  /**
   * `pending` until the address plan has its range; `deleting` from an operator's delete until its range is free again.
   * Neither serves anybody; one that is being deleted is still read, released from and reclaimed.
   */
  readonly state: "pending" | "active" | "deleting";
  readonly revision: string;
}

export interface Reservation {
  readonly space: string;
  readonly name: string;
  /** As written: CIDRs, addresses, `a-b` ranges. */
  readonly cidrs: readonly string[];
  readonly intervals: readonly Interval[];
  readonly reason?: string;
  readonly revision: string;
}

/** What an operator sets for a whole space. */
export interface Settings {
  /** A host gets addresses of its own blocks only. */
  readonly strictAffinity: boolean;
  /** May blocks be claimed by themselves? */
  readonly autoAllocateBlocks: boolean;
  /** How many empty blocks a host that is in use may keep. */
  readonly warmBlocksPerHost: number;
  readonly cooldownSeconds: number;
  readonly blockMinAgeSeconds: number;
  /** `null`: no cap. */
  readonly maxBlocksPerHost: number | null;
  readonly maxAddressesPerRequest: number;
  readonly allowBareRelease: boolean;
  /** Are addresses assigned to registered hosts only? */
  readonly requireRegisteredHosts: boolean;
}

/** All that selection needs to know of a space. */
export interface SpaceConfiguration {
  readonly settings: Settings;
  /** Absent until somebody has written it. */
  readonly settingsRevision?: string;
  readonly pools: readonly Pool[];
  /** Of every pool that stands, also of one whose item cannot be read. */
  readonly poolIds: ReadonlySet<string>;
  readonly reservations: readonly Reservation[];
  /** All that is reserved, in runs of which no two touch. */
  readonly reserved: readonly Interval[];
}

/** Does a selector leave somebody out? Then the labels must be known of whoever asks. */
export function narrows(selector: PoolSelector | undefined): selector is PoolSelector {
  return selector !== undefined && selector.selector.kind !== "all()";
}

/** Does anybody get addresses of it? */
export function serves({ state, disabled }: Pool): boolean {
  return state === "active" && !disabled;
}

/** How many blocks of a family a host may have. */
export const capOf = ({ maxBlocksPerHost }: Settings): number =>
  maxBlocksPerHost ?? Number.POSITIVE_INFINITY;

export function cooldownMsOf(pool: Pool | undefined, settings: Settings): number {
  return 1000 * (pool?.cooldownSeconds ?? settings.cooldownSeconds);
}
