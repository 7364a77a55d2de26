/** The bounds that more than one room needs, each with its unit in its name. */

/** The largest difference between the clocks of two functions; cooldowns include it as a margin. */
export const CLOCK_SKEW_MS_MAX = 2_000;
/** The time limit of the functions that assign and release; an allocation younger than this may still have its author. */
export const REQUEST_MS_MAX = 10_000;
/** Maximum time to connect to DynamoDB. */
export const CONNECT_MS_MAX = 1_000;
/**
 * Maximum time for an answer of DynamoDB: about a hundred times the usual one. A write that takes longer has an unknown
 * outcome.
 */
export const ANSWER_MS_MAX = 2_000;
/** A warm function re-reads the version of a space's configuration when its copy is older than this … */
export const CONFIGURATION_FRESH_MS = 5_000;
/** … plus at most this much jitter, so that many functions do not ask at once. */
export const CONFIGURATION_JITTER_MS = 1_000;
/** A copy of the configuration is reloaded after this time even if its version did not move. */
export const CONFIGURATION_RELOAD_MS = 60_000;
/**
 * After this time every function acts on an announced change. A request that read its copy at the last moment may act
 * on the copy until the end of its own time.
 */
export const EFFECTIVE_MS_MAX =
  CONFIGURATION_FRESH_MS + CONFIGURATION_JITTER_MS + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
/**
 * After this time every function acts on a change of the configuration, announced or not. A copy that was found
 * unchanged just before its reload is used for as long as a fresh one.
 */
export const UNTOLD_EFFECTIVE_MS_MAX = CONFIGURATION_RELOAD_MS + EFFECTIVE_MS_MAX;
/** A scheduled run skips younger items, because their authors may still be running. Index entries depend on it (I22); addresses do not. */
export const GRACE_MS = 60_000;
/** The time for which a keyed allocation is kept after its release, so that a late duplicate gets `already_released`. */
export const RELEASED_ALLOCATION_KEPT_MS = 24 * 60 * 60 * 1000;
/** Calico's default cap on affine blocks per host and family. */
export const BLOCKS_PER_HOST_DEFAULT = 20;
/** The largest cap that can be set, as in Calico; a higher value is no cap. */
export const BLOCKS_PER_HOST_MAX = 1_000_000;
/** The most slots of one slot write: a condition holds 4 KB, and the clause of a slot has about 40 bytes. */
export const SLOTS_PER_WRITE_MAX = 100;
/** The most quota slots of a limited request. Its allocation lists them, in about 70 bytes each. */
export const LIMIT_PER_HANDLE_MAX = 256;
/** The uids of an instance that its allocation remembers besides the current one. */
export const EARLIER_UIDS_MAX = 8;
/** A year. Assign without a lease for a longer time. */
export const LEASE_SECONDS_MAX = 365 * 24 * 60 * 60;
/** The time in which a node states a prefix that Plat chose for it. After it the prefix goes back. */
export const CONFIRM_SECONDS_DEFAULT = 3_600;
export const COOLDOWN_SECONDS_MAX = 1_200;
/** Prefix lengths of blocks, as Calico allows them. */
export const BLOCK_SIZES = {
  4: { min: 20, max: 32, default: 26 },
  6: { min: 116, max: 128, default: 122 },
} as const;
/**
 * Block groups that a request scans without success for a free block, among those that the index does not call full.
 * Each costs about 14 read units, although Plat reads only keys, and is then called full.
 */
export const GROUPS_SEARCHED_MAX = 24;
/** Own blocks read side by side when Plat reads the places of a host. */
export const BLOCKS_READ_AT_ONCE = 4;
/** Allocations of one handle that are ended side by side. */
export const ALLOCATIONS_ENDED_AT_ONCE = 8;
/** Parts of one allocation that are freed, or read, side by side. */
export const PARTS_FREED_AT_ONCE = 8;
/** Addresses of one request that are freed side by side, each by a handful of calls. */
export const ADDRESSES_RELEASED_AT_ONCE = 8;
/** Requests of a batch. */
export const BATCH_ITEMS_MAX = 1_000;
/** Addresses that the requests of a batch ask for and release together, so that the answer stays far below Lambda's 6 MB. */
export const BATCH_ADDRESSES_MAX = 2_048;
/** Allocations of a handle that a release of the whole handle reads at once: with the most attributes they take 48 MB. */
export const ALLOCATIONS_PER_LOOK = 128;
/** Blocks on a page of a list, unless the request has a limit. */
export const BLOCKS_PER_PAGE_DEFAULT = 100;
export const BLOCKS_PER_PAGE_MAX = 1_000;
export const AFFINITIES_PER_PAGE_MAX = 250;
/** The most addresses that an application lists: its item has about 60 bytes of each, and one write changes it. */
export const APPLICATION_ADDRESSES_MAX = 1_024;
/** The most addresses that one change of an application adds and lets go. */
export const APPLICATION_ADDRESSES_PER_CHANGE = 256;
export const APPLICATION_REPLICAS_MAX = 65_536;
export const APPLICATIONS_PER_PAGE_MAX = 25;
export const LABELLED_PER_PAGE_MAX = 250;
/** Addresses on a page of a handle or of a block: by default as many as a request may take by default. */
export const ADDRESSES_PER_PAGE_DEFAULT = 256;
export const ADDRESSES_PER_PAGE_MAX = 1_024;
/** A page ends at this age, so that its answer is in time. */
export const PAGE_MS_MAX = 4_000;
/** Allocations that one page of a search reads. With a filter that none of them passes the page is empty, and has a next one. */
export const SEARCHED_ALLOCATIONS_MAX = 1_024;
/** Reads for one page that run side by side. */
export const PAGE_READS_AT_ONCE = 8;
/**
 * Shards of the scheduled runs: of spaces by name, and of the due index, whose single partition would throttle the
 * table. The number must not change, because items in the index of a table keep their shard and would be lost.
 */
export const SHARDS = 16;
/** A scheduled run stops at this age; its function may live for a minute. */
export const SCHEDULED_RUN_MS_MAX = 40_000;
/** Items of a space that its deletion removes before the turn of other jobs, some in parallel. */
export const JOB_ITEMS_PER_SLICE = 64;
/** The time for which a finished job can be read. */
export const JOB_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
export const PERCENT_MAX = 100;
/** Due tombstones that a run reads of its shard, and how many of these it works on side by side. */
export const TOMBSTONES_DUE_MAX = 10_000;
/** Nodes that a request for the zones reads side by side; each is one small read. */
export const ZONE_READS_AT_ONCE = 64;
/** Prefixes of a node: one of each family. */
export const POD_CIDRS_MAX = 2;
export const EVENTS_PER_REQUEST_MAX = 256;
/** Nodes of a complete list of a cluster. With long names they fill a body. */
export const NODES_PER_LIST_MAX = 10_000;
/** Objects whose events are applied side by side. */
export const EVENTS_AT_ONCE = 8;
/** Attributes that a space can have indexes of. Each takes a write of each assign and of each release. */
export const INDEXED_ATTRIBUTES_MAX = 4;
export const ATTRIBUTES_MAX = 50;
export const ATTRIBUTE_VALUE_CHARACTERS_MAX = 1_024;
/** One set of attributes as JSON. An allocation has room for its own set and for two owners of an address. */
export const ATTRIBUTES_BYTES_MAX = 65_536;
/**
 * DynamoDB stores no item above 400 KB. Allocations and plans grow with the request, so Plat computes their size before
 * each write. For every other item `test/store/item-bytes.test.ts` measures the largest that its fields allow.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export const ITEM_BYTES_MAX = 400 * 1_024;
/** The limit of an allocation's size, which counts everything that can be written into it later. */
export const ALLOCATION_BYTES_MAX = 380_000;
/**
 * Characters of the reason why an item cannot be read. The reason may quote the item, and appears in jobs and answers.
 */
export const UNREADABLE_CHARACTERS_MAX = 1_024;
export const NAME_CHARACTERS_MAX = 253;
/** Labels of a node or a namespace. Kubernetes has no maximum; what discovers a machine's features sets some 150. */
export const LABELS_MAX = 256;
/** No longer than the ARN of an IAM user with a path (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html). */
export const PRINCIPAL_CHARACTERS_MAX = 640;
/** Pools that a rejection names, each with its reason: as many as a request may name. */
export const POOLS_TOLD_MAX = 256;
/** The pools, applications and nodes each of which a rejected deletion of their space names at most. */
export const SPACE_USE_TOLD_MAX = 10;
/** The pools made of prefixes of a pool that one answer names. */
export const CHILD_POOLS_TOLD_MAX = 100;
/** Reasons in the sentence of a rejection. */
export const REASONS_IN_DETAIL_MAX = 50;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
export const BODY_BYTES_MAX = 1_000_000;
/** Levels of objects and arrays in a value that is written as JSON again: a deep one would overflow the stack of JSON.stringify. */
export const JSON_LEVELS_MAX = 32;
/** Manifests in one body, of which Plat takes one. */
export const MANIFESTS_PER_BODY_MAX = 2_000;
export const RELEASES_PER_REQUEST_MAX = 256;
export const POOLS_PER_REQUEST_MAX = 256;
/** Each of them is a part of the allocation, or two. */
export const INTERFACES_PER_REQUEST_MAX = 16;
/** Entries of a reservation, which is one item. Each has at most 92 bytes (two IPv6 addresses), together 92 KB. */
export const RESERVED_CIDRS_MAX = 1_000;
/** Quotas of a space. Every request looks at all of them, and the configuration has at most 1 KB for each. */
export const QUOTAS_PER_SPACE_MAX = 200;
/** Lanes of a budget, in which functions give back: enough that those that do so at once rarely share one. */
export const GIVE_BACK_LANES = 16;
/** Routes of a pool, each with at most 82 bytes. */
export const POOL_ROUTES_MAX = 64;
/** Bytes of the largest packet on a link: at least what RFC 791 and RFC 8200 say, and at most what 16 bits can. */
export const MTU_BYTES_MIN = { 4: 68, 6: 1_280 } as const;
/** Pools of a space. The plan has room for this many if their names have at most 69 characters (`PLAN_BYTES_MAX`). */
export const POOLS_PER_SPACE_MAX = 2_000;
export const EVENTS_PER_PAGE_MAX = 1_000;
/**
 * Bytes of JSON after which a page ends. A function can answer 6 MB, in which the page is a text, so that each of its
 * quotes takes two bytes. An item of 400 KB fits alone, even if JSON writes each of its characters in six bytes.
 */
export const PAGE_BYTES_MAX = 2_500_000;
/** An item of the event log that took longer to write is written again, under a later time. */
export const LOGGED_MS_MAX = 2_000;
/** Calls that the publisher has under way at once. */
export const PUBLISHED_AT_ONCE = 16;
/** Reads and writes of one request of the dialect at once. */
export const NETBOX_AT_ONCE_MAX = 16;
export const NETBOX_PER_PAGE_MAX = 1_000;
export const ADDRESSES_PER_REQUEST_DEFAULT = 256;
/** The time in which nobody gets an address after a report that something else uses it. */
export const CONFLICT_QUARANTINE_SECONDS_DEFAULT = 3_600;
