/** Every bound of the product, each with its unit in its name. */

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
/**
 * A deleting pool keeps its range for at least this time: until no function can still use the oldest copy of the
 * configuration.
 */
export const RANGE_RETIRED_MS_MIN = CONFIGURATION_RELOAD_MS + EFFECTIVE_MS_MAX;

/** A function reads the register of its table again before a write when it read it longer ago than this. */
export const REGISTER_FRESH_MS = 60_000;

/** A scheduled run marks the table, and the marker beside it, when the last mark is older than this. */
export const MARK_MS_MIN = 600_000;
/** Lines of the audit trail that one restore replays. They are in memory together, at about a kilobyte each. */
export const TRAIL_LINES_MAX = 1_000_000;
/** Items that a restore reads or writes side by side. */
export const RESTORED_AT_ONCE = 16;

/** A scheduled run skips younger items, because their authors may still be running. Index entries depend on it (I22); addresses do not. */
export const GRACE_MS = 60_000;
/** The time for which a keyed allocation is kept after its release, so that a late duplicate gets `already_released`. */
export const RELEASED_ALLOCATION_KEPT_MS = 24 * 60 * 60 * 1000;

/** Calico's default cap on affine blocks per host and family. */
export const BLOCKS_PER_HOST_DEFAULT = 20;
/** The largest cap that can be set, as in Calico; a higher value is no cap. */
export const BLOCKS_PER_HOST_MAX = 1_000_000;
export const WARM_BLOCKS_MAX = 16;
export const ADDRESSES_PER_REQUEST_DEFAULT = 256;
/** The most slots of one slot write: a condition holds 4 KB, and the clause of a slot has about 40 bytes. */
export const SLOTS_PER_WRITE_MAX = 100;
/** The most quota slots of a limited request. Its allocation lists them, in about 70 bytes each. */
export const LIMIT_PER_HANDLE_MAX = 256;
/** The uids of an instance that its allocation remembers besides the current one. */
export const EARLIER_UIDS_MAX = 8;
/** A uid of Kubernetes has 36. */
export const UID_CHARACTERS_MAX = 128;
/** A year. Assign without a lease for a longer time. */
export const LEASE_SECONDS_MAX = 365 * 24 * 60 * 60;
/** The time in which a node states a prefix that Plat chose for it. After it the prefix goes back. */
export const CONFIRM_SECONDS_DEFAULT = 3_600;
export const CONFIRM_SECONDS_MIN = 60;
export const CONFIRM_SECONDS_MAX = 86_400;
/** A uid of a node has 36 in Kubernetes. It is part of a handle. */
export const NODE_UID_CHARACTERS_MAX = 64;
export const COOLDOWN_SECONDS_DEFAULT = 30;
export const COOLDOWN_SECONDS_MAX = 1_200;
/** The time in which nobody gets an address after a report that something else uses it. */
export const CONFLICT_QUARANTINE_SECONDS_DEFAULT = 3_600;
/** A day. Reserve an address that must stay out of use for longer. */
export const CONFLICT_QUARANTINE_SECONDS_MAX = 86_400;
export const BLOCK_MIN_AGE_SECONDS_DEFAULT = 60;
export const BLOCK_MIN_AGE_SECONDS_MAX = 86_400;

/** Prefix lengths of blocks, as Calico allows them. */
export const BLOCK_SIZES = {
  4: { min: 20, max: 32, default: 26 },
  6: { min: 116, max: 128, default: 122 },
} as const;

/** Prefix lengths of the prefixes that a pool assigns: the default of Kubernetes' node IPAM, and from a /8 or /16 to one address. */
export const PREFIX_LENGTHS = {
  4: { min: 8, max: 32, default: 24 },
  6: { min: 16, max: 128, default: 64 },
} as const;
/** The cooldown of a prefix. Routes to it leave a cluster later than an address leaves a host. */
export const PREFIX_COOLDOWN_SECONDS_DEFAULT = 300;

/** Tries of one slot write against one block before the request is called contended. */
export const TAKE_TRIES_MAX = 32;
/** Blocks a request may move through before it is called contended. */
export const ASSIGN_ROUNDS_MAX = 16;
/**
 * Block groups that a request scans without success for a free block, among those that the index does not call full.
 * Each costs about 14 read units, although Plat reads only keys, and is then called full.
 */
export const GROUPS_SEARCHED_MAX = 24;
/**
 * Every n-th of these scans reads a block group at random, so that the order of a host does not keep it from free
 * blocks.
 */
export const LOOKS_PER_RANDOM_LOOK = 3;
/**
 * Block groups of a pool that a request scans for blocks to seize and to borrow. It does so if no
 * group is believed to have a free block.
 */
export const GROUP_SCANS_MAX = 3;
/** The same over all pools of a request. */
export const GROUP_SCANS_OF_POOLS_MAX = 8;
/** Pools whose maps a request reads, one after the other. */
export const POOLS_TRIED_MAX = 64;
/** The last ones of these are drawn at random from all other pools. */
export const POOLS_DRAWN_MAX = 16;
/** Pools that a request, or a scheduled run, calls full side by side. */
export const POOLS_CALLED_FULL_AT_ONCE = 8;
/** After this time a request scans no further block group or pool. */
export const SEARCH_MS_MAX = 2_500;
/** Blocks tried inside the scanned block groups before a claim is called contended. */
export const CLAIM_TRIES_MAX = 16;
/** Pauses for another function's claim for the same host, before a second block is claimed. */
export const CLAIM_WAITS_MAX = 8;
export const CLAIM_WAIT_MS_MAX = 40;
/** Repeats of any other compare-and-swap. */
export const SWAP_TRIES_MAX = 16;
/** Tries of a call that the database throttles or rejects for a replicated-write conflict, and of a read without an answer. */
export const CALL_TRIES_MAX = 6;
/** Own blocks read side by side when Plat reads the places of a host. */
export const BLOCKS_READ_AT_ONCE = 4;
/** Blocks of a host that are called full and that a request reads, at random, if it finds nothing else. Hints tell of the others. */
export const FULL_BLOCKS_READ_MAX = 4;
/** A block with cooling or reserved addresses is called full for at most this time. Then Plat reads it again. */
export const FULL_KNOWN_MS_MAX = 60_000;
/** The time from when a block is empty until `reclaim` has marked it idle: two of its runs. A space of more than 4,000 block groups can take longer. */
export const IDLE_MARK_MS_MAX = 120_000;
/** Full blocks of a group that one run of `reclaim` notes, all at once, because the writes that filled them did not. */
export const FULL_NOTES_MAX = 8;
/** The most blocks in the warm cache. A full block of 64 takes about 9 KB of memory, a block group or a space far less. */
export const REMEMBERED_BLOCKS_MAX = 1_024;
export const REMEMBERED_BLOCKS_PER_HOST_MAX = 64;
export const REMEMBERED_GROUPS_MAX = 16_384;
export const REMEMBERED_SPACES_MAX = 256;
/** Nodes and namespaces, with at most 16 KB of labels each and mostly one. */
export const REMEMBERED_LABELS_MAX = 1_024;
/** Allocations of one handle that are ended side by side. */
export const ALLOCATIONS_ENDED_AT_ONCE = 8;
/** Parts of one allocation that are freed, or read, side by side. */
export const PARTS_FREED_AT_ONCE = 8;
/** Parts of one request that are taken side by side, because a caller waits. */
export const PARTS_TAKEN_AT_ONCE = 16;
/** Quota slots of one request, and the addresses in them, that are worked on side by side. */
export const QUOTA_SLOTS_AT_ONCE = 16;

/** Blocks that one request may claim for a host: as many as a block group has. */
export const BLOCKS_PER_CLAIM_MAX = 64;
/** Blocks of a host that one request releases, some in parallel; the next request continues after them. */
export const AFFINITIES_RELEASED_MAX = 64;
export const AFFINITIES_RELEASED_AT_ONCE = 4;
/** Addresses of a handle or of a host that one request releases; the next request continues. */
export const ADDRESSES_RELEASED_MAX = 4_096;
/** Addresses of one request that are freed side by side, each by a handful of calls. */
export const ADDRESSES_RELEASED_AT_ONCE = 8;
/** Requests of a batch. */
export const BATCH_ITEMS_MAX = 1_000;
/** Addresses that the requests of a batch ask for and release together, so that the answer stays far below Lambda's 6 MB. */
export const BATCH_ADDRESSES_MAX = 2_048;
/** Requests of a batch that are served side by side: about as many as can share a write of a block. */
export const BATCH_ITEMS_AT_ONCE = 64;
/** Batches that a client has under way at once. */
export const BATCHES_AT_ONCE_MAX = 4;
/** Allocations of a handle that a release of the whole handle reads at once: with the most attributes they take 48 MB. */
export const ALLOCATIONS_PER_LOOK = 128;
/**
 * Ended allocations that a release by handle keeps until all others are ended: with the most attributes they take 128
 * MB.
 */
export const ALLOCATIONS_OVER_MAX = 1_024;
/** Slots of a block whose allocations a release finds before it ends them: all slots of a block of the default size. */
export const SLOTS_PER_LOOK = 64;

/** Blocks on a page of a list, unless the request has a limit. */
export const BLOCKS_PER_PAGE_DEFAULT = 100;
export const BLOCKS_PER_PAGE_MAX = 1_000;
/** Affinities on a page of all hosts, unless the request has a limit; each of their hosts is a read. */
export const AFFINITIES_PER_PAGE_DEFAULT = 100;
export const AFFINITIES_PER_PAGE_MAX = 250;
/** The most addresses that an application lists: its item has about 60 bytes of each, and one write changes it. */
export const APPLICATION_ADDRESSES_MAX = 1_024;
/** The most allocations of lost ordinals that one change of an application looks at. */
export const ORDINALS_ENDED_PER_CHANGE = 256;
/** The most addresses that one change of an application adds and lets go. */
export const APPLICATION_ADDRESSES_PER_CHANGE = 256;
/** Blocks whose addresses leave an application in one write of its item. A request that has no time for all of them ends some. */
export const SETTLED_BLOCKS_PER_WRITE = 64;
export const APPLICATION_REPLICAS_MAX = 65_536;
/** Kubernetes counts ordinals in 32 bits. */
export const APPLICATION_START_MAX = 2 ** 31 - 1 - APPLICATION_REPLICAS_MAX;
/** Applications on a page of a list, unless the request has a limit; with all their addresses they take 2.5 MB. */
export const APPLICATIONS_PER_PAGE_DEFAULT = 25;
export const APPLICATIONS_PER_PAGE_MAX = 25;
/** Nodes or namespaces on a page of a list, unless the request has a limit; with all their labels they take 4 MB. */
export const LABELLED_PER_PAGE_DEFAULT = 100;
export const LABELLED_PER_PAGE_MAX = 250;
/** Addresses on a page of a handle or of a block: by default as many as a request may take by default. */
export const ADDRESSES_PER_PAGE_DEFAULT = 256;
export const ADDRESSES_PER_PAGE_MAX = 1_024;
/** A page of addresses ends when their attributes have this many characters: a function can answer 6 MB. */
export const ATTRIBUTE_CHARACTERS_PER_PAGE = 500_000;
/**
 * Queries of block groups for one page; a block group of full blocks of 64 costs about 28 read units. Lists do not count
 * the block-group index of each pool: that of an empty pool costs one unit, and the time of a page limits their number.
 */
export const LOOKS_PER_PAGE = 32;
/**
 * Block groups on a page of a map: full blocks of 64 addresses in all of them cost about 900 read units, eventually consistent. With
 * the counts of every block the page has up to 400 KB.
 */
export const MAP_GROUPS_PER_PAGE_MAX = 64;
/** Ranges of a map that a caller can read side by side: about as many as a browser has connections to one server. */
export const MAP_RANGES_MAX = 8;
/**
 * Items of a space, or slots of its blocks, that a listing looks at together. With `LOOKS_PER_PAGE` a page reads 1,024 allocations, as a
 * page of a search does.
 */
export const CONTENTS_ITEMS_PER_LOOK = 32;
/** Items of the table that a search for blocks of no pool reads at once. */
export const ORPHAN_SCAN_ITEMS_PER_LOOK = 1_000;
/** A page ends at this age, so that its answer is in time. */
export const PAGE_MS_MAX = 4_000;
/** Allocations that one page of a search reads. With a filter that none of them passes the page is empty, and has a next one. */
export const SEARCHED_ALLOCATIONS_MAX = 1_024;
/** Allocations that a search reads before it looks whether the page is full: with the most attributes they take 12 MB. */
export const SEARCHED_AT_ONCE_MAX = 64;
/** Reads for one page that run side by side. */
export const PAGE_READS_AT_ONCE = 8;

/**
 * Shards of the scheduled runs: of spaces by name, and of the due index, whose single partition would throttle the
 * table. The number must not change, because items in the index of a table keep their shard and would be lost.
 */
export const SHARDS = 16;
/** A scheduled run stops at this age; its function may live for a minute. */
export const SCHEDULED_RUN_MS_MAX = 40_000;
/** Spaces that a scheduled run of the reclaimer works on side by side. */
export const RECLAIM_SPACES_AT_ONCE = 16;
/** Block groups of all these spaces together that it works on side by side. */
export const RECLAIM_GROUPS_AT_ONCE = 16;
/** Blocks of one block group that it works on side by side. */
export const RECLAIM_BLOCKS_AT_ONCE = 8;
/**
 * Block groups of a space that it reads before the turn of the next space. After each such slice it saves its position,
 * so that a crash loses one slice.
 */
export const RECLAIM_GROUPS_PER_SLICE = 64;
/** Pages of a pool's block-group index that it reads at once, with some KB each at most. */
export const RECLAIM_PAGES_PER_READ = 16;
/** Pools whose usage a run records side by side. */
export const USAGES_KEPT_AT_ONCE = 8;
/**
 * For this time after a block was claimed, reclaim checks that the host has the affinity of the block, however full it
 * is. So the loss of an affinity in a crash is soon repaired. Later the daily walk of the repair run checks.
 */
export const ROW_WATCHED_MS = 60 * 60 * 1000;
/** Block groups of a job's pool that a worker reads, some in parallel, before the turn of other jobs. */
export const JOB_GROUPS_PER_SLICE = 64;
export const JOB_GROUPS_AT_ONCE = 16;
/** Blocks of each of these block groups that it works on side by side. */
export const JOB_BLOCKS_AT_ONCE = 4;
/** Block groups that a release skipped and returns to; if there are more, it walks the whole pool again. */
export const JOB_GROUPS_TO_COME_BACK_TO_MAX = 256;
/** Items of a space that its deletion removes before the turn of other jobs, some in parallel. */
export const JOB_ITEMS_PER_SLICE = 64;
export const JOB_ITEMS_AT_ONCE = 16;
/** The time for which a finished job can be read. */
export const JOB_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Block groups that a delete reads before it is accepted, some in parallel; in a larger pool it reads only some. */
export const IN_USE_GROUPS_MAX = 128;
export const IN_USE_GROUPS_AT_ONCE = 8;
/** Blocks of an Applications pool of which one request can cut addresses out for another pool. It fences each, some in parallel. */
export const CUT_BLOCKS_MAX = 1_024;
export const CUT_BLOCKS_AT_ONCE = 32;
/** Assigned addresses that the rejection of a change names, which would take them out of a pool. */
export const IN_USE_ADDRESSES_MAX = 256;
/** Age of a repair run, in ms, after which it handles no further due allocation. The rest of its time is for the walk. */
export const COLLECT_DUE_MS_MAX = 30_000;
/** Due allocations that it reads from the index at once, and works on side by side. */
export const COLLECT_DUE_PER_PAGE = 500;
export const COLLECT_DUE_AT_ONCE = 16;
/** The time in which the repair run walks once through the whole table. */
export const SWEEP_MS = 24 * 60 * 60 * 1000;
/** Items of its segment that a run reads at least: the walk over a small table is more frequent, and costs little. */
export const SWEEP_ITEMS_PER_RUN_MIN = 16;
/** Items of a page of the walk, and how many of these it works on side by side. */
export const SWEEP_ITEMS_PER_PAGE_MAX = 500;
export const SWEEP_ITEMS_AT_ONCE = 32;
/** Blocks whose slot holders the walk remembers, so that it reads them once for all borrowed-block entries of a block. */
export const BORROWED_BLOCKS_KNOWN_MAX = 64;
/** Spaces that a walk names because it could not read something of them. With more, it counts for none. */
export const UNREAD_SPACES_MAX = 16;

/**
 * Sections of the table from which the walk chooses at random if it cannot save its position. Each is so small that a
 * run can finish one in a table of 100 million items.
 */
export const SWEEP_SECTIONS = 256 * SHARDS;

/** Between two writes of a node's sign of life by one function. */
export const SIGN_OF_LIFE_MS = 20_000;
/** Lease renewals that a function remembers. */
export const REMEMBERED_LEASES_MAX = 16_384;
/**
 * The time after the end of a node in which a later word revives it, as Kubernetes' pod garbage collector waits. The
 * minimum is longer than a request can still be at work for the node (`REQUEST_MS_MAX` and `CLOCK_SKEW_MS_MAX`).
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection
 */
export const NODE_QUARANTINE_SECONDS_DEFAULT = 40;
export const NODE_QUARANTINE_SECONDS_MIN = 12;
export const NODE_QUARANTINE_SECONDS_MAX = 86_400;
/**
 * The same for a node that another object replaced, without a DELETED event: twice the time between two reports of a
 * kubelet. So two clusters that share the name by mistake are noticed.
 */
export const NODE_REPLACED_MS = 10 * 60 * 1000;
/** The share of the nodes of a space whose end at once is taken for a mistake: the unhealthy share of a zone in Kubernetes. */
export const GONE_NODES_PERCENT_DEFAULT = 55;
export const PERCENT_MAX = 100;
export const MONITOR_GRACE_SECONDS_MIN = 10;
export const MONITOR_GRACE_SECONDS_MAX = 3_600;
/** The time in which a new node reports for the first time: `node-startup-grace-period` of kube-controller-manager. */
export const NODE_STARTUP_GRACE_SECONDS_DEFAULT = 60;
/** So many ends at once are never taken for a mistake. */
export const GONE_NODES_UNSUSPICIOUS_MAX = 2;
/** Due tombstones that a run reads of its shard, and how many of these it works on side by side. */
export const TOMBSTONES_DUE_MAX = 10_000;
export const TOMBSTONES_AT_ONCE = 8;
/** A repair run begins to end no node after this age. */
export const NODES_ENDED_MS_MAX = 35_000;
/** Nodes that a request for the zones reads side by side; each is one small read. */
export const ZONE_READS_AT_ONCE = 64;
/** A tombstone is kept longer than a queue keeps a message, which is 14 days at most. */
export const TOMBSTONE_KEPT_MS = 15 * 24 * 60 * 60 * 1000;
/** A sign of life that is older belongs to no node that lives. */
export const SIGN_OF_LIFE_KEPT_MS = 24 * 60 * 60 * 1000;
/** Conditions of a node that Plat keeps, and the characters of each text of a report. */
export const NODE_CONDITIONS_MAX = 64;
export const NODE_TEXT_CHARACTERS_MAX = 253;
/** Taints of a node that a patch can have. */
export const NODE_TAINTS_MAX = 256;
/** Digits of a resourceVersion. Kubernetes makes it of 64 bits. */
export const RESOURCE_VERSION_DIGITS_MAX = 32;
/** Addresses in `spec.ipam.pool` of a CiliumNode, and as many in `status.ipam.used`. */
export const CILIUM_ADDRESSES_MAX = 1_024;
/** Pools of Cilium in a CiliumNode, and prefixes of one of them. */
export const CILIUM_POOLS_MAX = 64;
export const CILIUM_PREFIXES_MAX = 1_024;
/** The largest number of addresses that a CiliumNode can ask for. What it gets has a lower limit. */
export const CILIUM_DEMAND_MAX = 1_000_000;
/** The bytes of `spec.ipam` and `status` of a CiliumNode. An item of DynamoDB has 400 KB. */
export const CILIUM_OBJECT_BYTES_MAX = 150_000;
/** The depth of a CiliumNode, which passes through with all its fields. */
export const CILIUM_LEVELS_MAX = 32;
/** The longest time after which an excess or a withdrawn address is released, and the usual one of the latter. */
export const CILIUM_DELAY_SECONDS_MAX = 3_600;
export const WITHDRAW_AFTER_SECONDS_DEFAULT = 60;
/** Owners of a Kubernetes object. */
export const OWNER_REFERENCES_MAX = 64;
/** Prefixes of a node: one of each family. */
export const POD_CIDRS_MAX = 2;
export const EVENTS_PER_REQUEST_MAX = 256;
/** Nodes of a complete list of a cluster. With long names they fill a body. */
export const NODES_PER_LIST_MAX = 10_000;
/** Nodes that one complete list ends. A repeat goes on. */
export const NODES_ENDED_PER_LIST_MAX = 256;
/** Names of missing nodes that a rejected list tells of. */
export const TOLD_NAMES_MAX = 10;
/** The name of a cluster, such as the uid of its Namespace `kube-system`. */
export const CLUSTER_CHARACTERS_MAX = 64;
/** Objects whose events are applied side by side. */
export const EVENTS_AT_ONCE = 8;

/** Attributes that a space can have indexes of. Each takes a write of each assign and of each release. */
export const INDEXED_ATTRIBUTES_MAX = 4;
/**
 * The time after the setting of an index until which a request can still leave its entries out: the oldest copy of the configuration.
 * The walk leaves out what is younger than `GRACE_MS`. The rest is for reads that are eventually consistent.
 */
export const INDEX_SETTLE_MS = UNTOLD_EFFECTIVE_MS_MAX + GRACE_MS + 20_000;
/** A page of a search by an index reads at most this many entries of a partition at once: 4 read units. */
export const INDEX_ENTRIES_AT_ONCE = 64;
export const ATTRIBUTES_MAX = 50;
export const ATTRIBUTE_KEY_CHARACTERS_MAX = 253;
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
/** One less than the largest block has addresses. */
export const HOST_RESERVED_MAX = 4_095;
export const NOTE_CHARACTERS_MAX = 256;
export const NAME_CHARACTERS_MAX = 253;
/** Networks of a family in a pool of Cilium. Each becomes a pool of prefixes. */
export const CIDRS_PER_CILIUM_POOL_MAX = 64;
/** Labels of a node or a namespace. Kubernetes has no maximum; what discovers a machine's features sets some 150. */
export const LABELS_MAX = 256;
/**
 * Characters of keys and values together, ASCII. Plat reads labels together with the affinities of their host, 4 KB a
 * unit. Their item has 17 KB at most.
 */
export const LABELS_CHARACTERS_MAX = 16_000;
/** The name of a label after its prefix, and its value, as in Kubernetes. */
export const LABEL_NAME_CHARACTERS_MAX = 63;
export const LABEL_VALUE_CHARACTERS_MAX = 63;
/** Labels that a rejection shows, among those that the pool's selector asks for. */
export const LABELS_SHOWN_MAX = 8;
/** Names of a pool's condition that a rejection shows. */
export const NAMES_SHOWN_MAX = 8;
/** Names in each list of names that is a condition of a pool. */
export const CONDITION_NAMES_MAX = 256;
/** Principals of a pool, with at most 40 KB in its item. */
export const POOL_PRINCIPALS_MAX = 64;
/** No longer than the ARN of an IAM user with a path (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html). */
export const PRINCIPAL_CHARACTERS_MAX = 640;

/** Pools that a rejection names, each with its reason: as many as a request may name. */
export const POOLS_TOLD_MAX = 256;
/** The pools, applications and nodes each of which a rejected deletion of their space names at most. */
export const SPACE_USE_TOLD_MAX = 10;
/** The pools made of prefixes of a pool that one answer names. */
export const CHILD_POOLS_TOLD_MAX = 100;
/** Reservations that a rejection names for one pool. */
export const RESERVATIONS_NAMED_MAX = 8;
/** Reasons in the sentence of a rejection. */
export const REASONS_IN_DETAIL_MAX = 50;
export const SPACE_CHARACTERS_MAX = 63;
export const NAMESPACE_CHARACTERS_MAX = 63;
export const KIND_CHARACTERS_MAX = 63;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
export const BODY_BYTES_MAX = 1_000_000;
/** The room on its disk below which a laptop's table takes no further write. A group of writes and a batch of events are smaller. */
export const DISK_FREE_BYTES_MIN = 32 * 1_024 * 1_024;
/** Manifests in one body, of which Plat takes one. */
export const MANIFESTS_PER_BODY_MAX = 2_000;
export const RELEASES_PER_REQUEST_MAX = 256;
export const POOLS_PER_REQUEST_MAX = 256;
/** Linux has 15, and other systems more. */
export const INTERFACE_CHARACTERS_MAX = 63;
/** Each of them is a part of the allocation, or two. */
export const INTERFACES_PER_REQUEST_MAX = 16;
/** Items of a pod's annotation, one for each of its interfaces. */
export const ANNOTATION_ITEMS_MAX = 64;
/** Entries of a reservation, which is one item. Each has at most 92 bytes (two IPv6 addresses), together 92 KB. */
export const RESERVED_CIDRS_MAX = 1_000;
export const RESERVATIONS_PER_SPACE_MAX = 200;
/** Quotas of a space. Every request looks at all of them, and the configuration has at most 1 KB for each. */
export const QUOTAS_PER_SPACE_MAX = 200;
/** The largest maximum of a quota. */
export const QUOTA_MAX = 1_000_000_000;
/** The time in which a function spends what it took of a budget. */
export const BUDGET_PIECE_MS = 30_000;
/**
 * The time after the beginning of a round until which something may still be charged to the round before: a piece, a request with
 * it, and the clocks. The walk leaves out what is younger than `GRACE_MS`. The rest is for reads that are eventually consistent.
 */
export const BUDGET_SETTLE_MS =
  BUDGET_PIECE_MS + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX + GRACE_MS + 18_000;
/** A budget begins a new round at most once in this time, because the repair run then charges every allocation anew. */
export const BUDGET_ROUND_MS = 24 * 60 * 60 * 1000;
/** After this time a walk of the repair run looks again for allocations that are charged to no quota. */
export const CHARGING_WALK_MS = 12 * 60 * 60 * 1000;
/** Lanes of a budget, in which functions give back: enough that those that do so at once rarely share one. */
export const GIVE_BACK_LANES = 16;
/** Budgets of quotas that a function remembers. */
export const REMEMBERED_BUDGETS_MAX = 4_096;
/** Entries of a pool's `ranges` and of its `excludes`: with two IPv6 addresses each, both have 47 KB. */
export const POOL_RANGES_MAX = 256;
/** Runs of addresses that a pool keeps until a job frees them: with two IPv6 addresses each, 94 KB. */
export const POOL_RETIRING_RUNS_MAX = 1_024;
/** Routes of a pool, each with at most 82 bytes. */
export const POOL_ROUTES_MAX = 64;
/** DNS servers of a pool. The resolver of the GNU C library reads three, and systemd's takes more. */
export const DNS_SERVERS_MAX = 8;
/** Labels of a pool, and their characters in all. Every answer repeats them for each address. */
export const POOL_LABELS_MAX = 32;
export const POOL_LABELS_CHARACTERS_MAX = 2_048;
/** The highest VLAN identifier that is not reserved (IEEE 802.1Q, table 9-2). */
export const VLAN_ID_MAX = 4_094;
/** Bytes of the largest packet on a link: at least what RFC 791 and RFC 8200 say, and at most what 16 bits can. */
export const MTU_BYTES_MIN = { 4: 68, 6: 1_280 } as const;
export const MTU_BYTES_MAX = 65_535;
/** An answer to an assign leaves routes and labels out if they would have more characters together: a function can answer 6 MB. */
export const NETWORK_CHARACTERS_PER_ANSWER = 1_500_000;
/** Pools of a space. The plan has room for this many if their names have at most 69 characters (`PLAN_BYTES_MAX`). */
export const POOLS_PER_SPACE_MAX = 2_000;
/** The plan of a space is one item of 400 KB at most: 90 bytes a pool, and its name. */
export const PLAN_BYTES_MAX = 380_000;
/** As many as the longest text of a selector can have: a requirement takes at least 8 characters, a value 4. */
export const LABEL_SELECTOR_EXPRESSIONS_MAX = 128;
export const LABEL_SELECTOR_VALUES_MAX = 256;
/** Events on a page, unless the request has a limit. An event of an address has about 850 bytes. */
export const EVENTS_PER_PAGE_DEFAULT = 100;
export const EVENTS_PER_PAGE_MAX = 1_000;
/** A page of events ends after this many bytes: a function can answer 6 MB. */
export const EVENT_PAGE_BYTES_MAX = 3_500_000;
/** Entries of a history that are read at once. With the most attributes one has 200 KB. */
export const ENTRIES_PER_READ = 50;
/** Bytes of the events in one item of the event log, before they are compressed. An item has 400 KB at most. */
export const LOGGED_BYTES_PER_ITEM_MAX = 200_000;
/** Items of the event log that one read returns. */
export const LOGGED_ITEMS_PER_READ = 25;
/** An item of the event log that took longer to write is written again, under a later time. */
export const LOGGED_MS_MAX = 2_000;
/** Writes of one item of the event log before the batch must come again. */
export const LOGGED_TRIES_MAX = 3;
/** A poll for events leaves out younger items, because an earlier one may still be under way. */
export const EVENTS_WITHHELD_MS = LOGGED_MS_MAX + CLOCK_SKEW_MS_MAX;
/** Calls that the publisher has under way at once. */
export const PUBLISHED_AT_ONCE = 16;
/** The time for which a change of an address waits for the change of its owner, which another shard of the stream may tell. */
export const OWNER_AWAITED_MS_MAX = 30_000;
/** Objects in one request of NetBox's dialect: as many as NetBox makes of a page. */
export const NETBOX_ITEMS_MAX = 256;
/** Objects that one request of the dialect changes or deletes by their ids: as many as a page has at most. */
export const NETBOX_CHANGED_MAX = 1_000;
/** Ids and addresses that one list of the dialect can name. Each is a read of its own. */
export const NETBOX_NAMED_MAX = 256;
/** Reads and writes of one request of the dialect at once. */
export const NETBOX_AT_ONCE_MAX = 16;
/** Addresses that a list of the dialect puts in order. */
export const NETBOX_ORDERED_MAX = 10_000;
/** Objects on a page of the dialect, as in NetBox: unless the request has a limit, and at most. */
export const NETBOX_PER_PAGE_DEFAULT = 50;
export const NETBOX_PER_PAGE_MAX = 1_000;
/** A list of the dialect begins no further page of Plat after this time, so that its answer is in time. */
export const NETBOX_LIST_MS_MAX = 4_000;
