import { assertWhole } from "./assertions.ts";
import {
  ADDRESSES_PER_REQUEST_DEFAULT,
  BLOCK_MIN_AGE_SECONDS_DEFAULT,
  BLOCKS_PER_HOST_DEFAULT,
  CONFLICT_QUARANTINE_SECONDS_DEFAULT,
  COOLDOWN_SECONDS_DEFAULT,
  GONE_NODES_PERCENT_DEFAULT,
  NODE_QUARANTINE_SECONDS_DEFAULT,
  NODE_STARTUP_GRACE_SECONDS_DEFAULT,
} from "./limits.ts";
import type { Settings } from "./pool.ts";

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
