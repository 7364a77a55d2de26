import { assertWhole } from "../../base/assertions.ts";
import {
  ADDRESSES_PER_REQUEST_DEFAULT,
  BLOCKS_PER_HOST_DEFAULT,
  CONFLICT_QUARANTINE_SECONDS_DEFAULT,
} from "../../base/limits.ts";

export const COOLDOWN_SECONDS_DEFAULT = 30;
/** A day. Reserve an address that must stay out of use for longer. */
export const CONFLICT_QUARANTINE_SECONDS_MAX = 86_400;

const BLOCK_MIN_AGE_SECONDS_DEFAULT = 60;
/**
 * The time after the end of a node in which a later word revives it, as Kubernetes' pod garbage collector waits. The
 * minimum is longer than a request can still be at work for the node (`REQUEST_MS_MAX` and `CLOCK_SKEW_MS_MAX`).
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
const NODE_QUARANTINE_SECONDS_DEFAULT = 40;
/** The share of the nodes of a space whose end at once is taken for a mistake: the unhealthy share of a zone in Kubernetes. */
const GONE_NODES_PERCENT_DEFAULT = 55;
/** The time in which a new node reports for the first time: `node-startup-grace-period` of kube-controller-manager. */
const NODE_STARTUP_GRACE_SECONDS_DEFAULT = 60;

/** The settings of a space. */
export interface Settings {
  /** True if a host gets addresses of its own blocks only. */
  readonly strictAffinity: boolean;
  /** True if hosts claim blocks automatically. */
  readonly autoAllocateBlocks: boolean;
  /** The number of empty blocks that a host in use can keep. */
  readonly warmBlocksPerHost: number;
  readonly cooldownSeconds: number;
  /** The time in which nobody gets an address after a report of a conflict; at least the cooldown. */
  readonly conflictQuarantineSeconds: number;
  readonly blockMinAgeSeconds: number;
  /** `null`: no cap. */
  readonly maxBlocksPerHost: number | null;
  readonly maxAddressesPerRequest: number;
  readonly allowBareRelease: boolean;
  /** True if only registered hosts get addresses. */
  readonly requireRegisteredHosts: boolean;
  /** The time after the end of a node before what it holds is freed. */
  readonly nodeQuarantineSeconds: number;
  /** The share of nodes whose end at once is taken for a mistake, in percent; 100 for none. */
  readonly goneNodesPercentMax: number;
  /** The silence after which a node counts as unreachable; 0 for none. */
  readonly nodeMonitorGraceSeconds: number;
  /** The silence after which a node that never reported counts as unreachable, where silence is judged. */
  readonly nodeStartupGraceSeconds: number;
  /** The attributes by which searches read, the narrowest first. */
  readonly indexedAttributes: readonly string[];
}

/** An index of an attribute, by the settings of its space. It leads from a value to the allocations that have it. */
export interface AttributeIndex {
  readonly attribute: string;
  /** A time at which the setting was in the table; absent if the request that added it did not end. */
  readonly sinceMs?: number;
}

/** Returns the limit of blocks of a family for each host. */
export const capOf = ({ maxBlocksPerHost }: Settings): number =>
  maxBlocksPerHost ?? Number.POSITIVE_INFINITY;

/** The settings of a space without a configuration. */
export const SETTINGS_DEFAULT: Settings = {
  strictAffinity: false,
  autoAllocateBlocks: true,
  warmBlocksPerHost: 0,
  cooldownSeconds: COOLDOWN_SECONDS_DEFAULT,
  conflictQuarantineSeconds: CONFLICT_QUARANTINE_SECONDS_DEFAULT,
  blockMinAgeSeconds: BLOCK_MIN_AGE_SECONDS_DEFAULT,
  maxBlocksPerHost: BLOCKS_PER_HOST_DEFAULT,
  maxAddressesPerRequest: ADDRESSES_PER_REQUEST_DEFAULT,
  allowBareRelease: false,
  requireRegisteredHosts: false,
  nodeQuarantineSeconds: NODE_QUARANTINE_SECONDS_DEFAULT,
  goneNodesPercentMax: GONE_NODES_PERCENT_DEFAULT,
  nodeMonitorGraceSeconds: 0,
  nodeStartupGraceSeconds: NODE_STARTUP_GRACE_SECONDS_DEFAULT,
  indexedAttributes: [],
};

/** Checks that each setting has the type of its default. @throws {Error} */
export function assertSettings(settings: Settings): void {
  for (const [name, usual] of Object.entries(SETTINGS_DEFAULT)) {
    const value: unknown = settings[name as keyof Settings];
    if (name === "maxBlocksPerHost" && value === null) continue;
    if (Array.isArray(usual)) assertNames(name, value);
    else if (typeof usual === "number") assertWhole({ [name]: value as number });
    else if (typeof value !== "boolean") throw new Error(`its ${name} is no flag`);
  }
}

function assertNames(setting: string, value: unknown): void {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  if (!isList) throw new Error(`its ${setting} is no list of names`);
}
