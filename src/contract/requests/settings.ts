import * as v from "valibot";
import {
  BLOCK_MIN_AGE_SECONDS_MAX,
  BLOCKS_PER_HOST_MAX,
  CONFLICT_QUARANTINE_SECONDS_MAX,
  COOLDOWN_SECONDS_MAX,
  MONITOR_GRACE_SECONDS_MAX,
  MONITOR_GRACE_SECONDS_MIN,
  NODE_QUARANTINE_SECONDS_MAX,
  NODE_QUARANTINE_SECONDS_MIN,
  PERCENT_MAX,
  WARM_BLOCKS_MAX,
} from "../../domain/limits.ts";
import { SETTINGS_DEFAULT } from "../../domain/settings.ts";
import { indexedAttributes } from "../schema/attributes.ts";
import {
  ADDRESSES_PER_REQUEST_MAX,
  flag,
  whole,
  wholeOrNone,
  wholeOrZero,
} from "../schema/field.ts";
import { fields } from "../schema/schema.ts";

/** Settings that a PUT omits get their defaults. */
export const settingsBody = fields({
  strictAffinity: v.optional(flag, SETTINGS_DEFAULT.strictAffinity),
  autoAllocateBlocks: v.optional(flag, SETTINGS_DEFAULT.autoAllocateBlocks),
  warmBlocksPerHost: v.optional(whole(0, WARM_BLOCKS_MAX), SETTINGS_DEFAULT.warmBlocksPerHost),
  cooldownSeconds: v.optional(whole(0, COOLDOWN_SECONDS_MAX), SETTINGS_DEFAULT.cooldownSeconds),
  conflictQuarantineSeconds: v.optional(
    whole(0, CONFLICT_QUARANTINE_SECONDS_MAX),
    SETTINGS_DEFAULT.conflictQuarantineSeconds,
  ),
  blockMinAgeSeconds: v.optional(
    whole(0, BLOCK_MIN_AGE_SECONDS_MAX),
    SETTINGS_DEFAULT.blockMinAgeSeconds,
  ),
  maxBlocksPerHost: v.optional(
    wholeOrNone(1, BLOCKS_PER_HOST_MAX),
    SETTINGS_DEFAULT.maxBlocksPerHost,
  ),
  maxAddressesPerRequest: v.optional(
    whole(1, ADDRESSES_PER_REQUEST_MAX),
    SETTINGS_DEFAULT.maxAddressesPerRequest,
  ),
  allowBareRelease: v.optional(flag, SETTINGS_DEFAULT.allowBareRelease),
  requireRegisteredHosts: v.optional(flag, SETTINGS_DEFAULT.requireRegisteredHosts),
  nodeQuarantineSeconds: v.optional(
    whole(NODE_QUARANTINE_SECONDS_MIN, NODE_QUARANTINE_SECONDS_MAX),
    SETTINGS_DEFAULT.nodeQuarantineSeconds,
  ),
  goneNodesPercentMax: v.optional(whole(1, PERCENT_MAX), SETTINGS_DEFAULT.goneNodesPercentMax),
  nodeMonitorGraceSeconds: v.optional(
    wholeOrZero(MONITOR_GRACE_SECONDS_MIN, MONITOR_GRACE_SECONDS_MAX),
    SETTINGS_DEFAULT.nodeMonitorGraceSeconds,
  ),
  nodeStartupGraceSeconds: v.optional(
    whole(MONITOR_GRACE_SECONDS_MIN, MONITOR_GRACE_SECONDS_MAX),
    SETTINGS_DEFAULT.nodeStartupGraceSeconds,
  ),
  indexedAttributes: v.optional(indexedAttributes, [...SETTINGS_DEFAULT.indexedAttributes]),
});
