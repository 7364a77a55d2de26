import * as v from "valibot";
import { type RequestFields, readsOf } from "../../../api/noun.ts";
import { indexedAttributes } from "../../../api/schema/attributes.ts";
import {
  ADDRESSES_PER_REQUEST_MAX,
  flag,
  whole,
  wholeOrNone,
  wholeOrZero,
} from "../../../api/schema/field.ts";
import { fields } from "../../../api/schema/schema.ts";
import { BLOCKS_PER_HOST_MAX, COOLDOWN_SECONDS_MAX, PERCENT_MAX } from "../../../base/limits.ts";
import { CONFLICT_QUARANTINE_SECONDS_MAX, SETTINGS_DEFAULT, type Settings } from "../settings.ts";

const WARM_BLOCKS_MAX = 16;
const BLOCK_MIN_AGE_SECONDS_MAX = 86_400;
const NODE_QUARANTINE_SECONDS_MIN = 12;
const NODE_QUARANTINE_SECONDS_MAX = 86_400;
const MONITOR_GRACE_SECONDS_MIN = 10;
const MONITOR_GRACE_SECONDS_MAX = 3_600;

/** The settings of a space. Those that a PUT omits get their defaults. The first two options are calicoctl's. */
export const SETTINGS = {
  strictAffinity: {
    read: v.optional(flag, SETTINGS_DEFAULT.strictAffinity),
    words: "Hosts get addresses of their own blocks only.",
    flag: {
      name: "strictaffinity",
      value: "<true|false>",
      help: "A host gets addresses only from its own blocks",
      as: "flag",
    },
  },
  maxBlocksPerHost: {
    read: v.optional(wholeOrNone(1, BLOCKS_PER_HOST_MAX), SETTINGS_DEFAULT.maxBlocksPerHost),
    words: "The most blocks of the serving pools that a host can own. `null` means no limit.",
    flag: {
      value: "<n|none>",
      help: "Maximum number of blocks of a family for a host",
      as: "countOrNone",
    },
  },
  autoAllocateBlocks: {
    read: v.optional(flag, SETTINGS_DEFAULT.autoAllocateBlocks),
    words: "Hosts claim blocks automatically when they need them.",
    flag: { value: "<true|false>", help: "Hosts claim blocks automatically", as: "flag" },
  },
  warmBlocksPerHost: {
    read: v.optional(whole(0, WARM_BLOCKS_MAX), SETTINGS_DEFAULT.warmBlocksPerHost),
    words: "The number of empty blocks that a host with addresses can keep.",
    flag: {
      value: "<n>",
      help: "Number of empty blocks that a host with addresses keeps",
      as: "count",
    },
  },
  cooldownSeconds: {
    read: v.optional(whole(0, COOLDOWN_SECONDS_MAX), SETTINGS_DEFAULT.cooldownSeconds),
    words: "How long a released address stays unassigned, in seconds.",
    flag: { value: "<n>", help: "How long a released address is not assigned again", as: "count" },
  },
  conflictQuarantineSeconds: {
    read: v.optional(
      whole(0, CONFLICT_QUARANTINE_SECONDS_MAX),
      SETTINGS_DEFAULT.conflictQuarantineSeconds,
    ),
    words:
      "How long nobody gets an address after a report of a conflict, in seconds. It is never shorter than the cooldown.",
    flag: {
      value: "<n>",
      help: "How long nobody gets an address after a report of a conflict",
      as: "count",
    },
  },
  blockMinAgeSeconds: {
    read: v.optional(whole(0, BLOCK_MIN_AGE_SECONDS_MAX), SETTINGS_DEFAULT.blockMinAgeSeconds),
    words: "`reclaim` keeps younger empty blocks. In seconds.",
    flag: { value: "<n>", help: "Minimum age of an empty block before it is deleted", as: "count" },
  },
  maxAddressesPerRequest: {
    read: v.optional(whole(1, ADDRESSES_PER_REQUEST_MAX), SETTINGS_DEFAULT.maxAddressesPerRequest),
    words:
      "The most addresses that one request can ask for, of all families and interfaces together.",
    flag: { value: "<n>", help: "Maximum number of addresses in one request", as: "count" },
  },
  allowBareRelease: {
    read: v.optional(flag, SETTINGS_DEFAULT.allowBareRelease),
    words: "A release may name an address alone, without its generation or handle.",
    flag: {
      value: "<true|false>",
      help: "Allow a release that names only an address, without handle or generation",
      as: "flag",
    },
  },
  requireRegisteredHosts: {
    read: v.optional(flag, SETTINGS_DEFAULT.requireRegisteredHosts),
    words: "Only registered hosts get addresses.",
    flag: { value: "<true|false>", help: "Assign addresses only to registered hosts", as: "flag" },
  },
  nodeQuarantineSeconds: {
    read: v.optional(
      whole(NODE_QUARANTINE_SECONDS_MIN, NODE_QUARANTINE_SECONDS_MAX),
      SETTINGS_DEFAULT.nodeQuarantineSeconds,
    ),
    words: "How long a node that ended keeps what it has, in seconds.",
    flag: { value: "<n>", help: "How long a node that ended keeps what it has", as: "count" },
  },
  goneNodesPercentMax: {
    read: v.optional(whole(1, PERCENT_MAX), SETTINGS_DEFAULT.goneNodesPercentMax),
    words:
      "Plat frees nothing of ended nodes if more than two end at once and they are at least this share of all nodes, in percent. 100 turns this off.",
    flag: {
      value: "<n>",
      help: "Share of nodes whose end at once is taken for a mistake",
      as: "count",
    },
  },
  nodeMonitorGraceSeconds: {
    read: v.optional(
      wholeOrZero(MONITOR_GRACE_SECONDS_MIN, MONITOR_GRACE_SECONDS_MAX),
      SETTINGS_DEFAULT.nodeMonitorGraceSeconds,
    ),
    words: "The silence after which a node counts as unreachable, in seconds. 0 turns this off.",
    flag: {
      value: "<n>",
      help: "Silence after which a node counts as unreachable, or 0",
      as: "count",
    },
  },
  nodeStartupGraceSeconds: {
    read: v.optional(
      whole(MONITOR_GRACE_SECONDS_MIN, MONITOR_GRACE_SECONDS_MAX),
      SETTINGS_DEFAULT.nodeStartupGraceSeconds,
    ),
    words:
      "The silence after which a node that never reported counts as unreachable, in seconds. It has no effect while `nodeMonitorGraceSeconds` is 0.",
    flag: {
      value: "<n>",
      help: "Silence after which a node that never reported counts as unreachable",
      as: "count",
    },
  },
  indexedAttributes: {
    read: v.optional(indexedAttributes, [...SETTINGS_DEFAULT.indexedAttributes]),
    words:
      "The attributes by which searches read, the narrowest first. Each costs a write in every assign and every release of addresses that have it.",
    flag: {
      value: "<names>",
      help: "Attributes by which searches read, the narrowest first; none for none",
      as: "textsOrNone",
    },
  },
} satisfies RequestFields<Settings, Settings>;

export const settingsBody = fields(readsOf(SETTINGS));
