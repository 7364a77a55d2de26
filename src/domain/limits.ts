/** Every bound of the product, each with its unit in its name. */

/** The largest difference between the clocks of two functions; cooldowns include it as a margin. */
export const CLOCK_SKEW_MS_MAX = 2_000;
/** The time limit of the functions that assign and release; an allocation younger than this may still have its author. */
export const REQUEST_MS_MAX = 10_000;

/** A warm function re-reads the version of a space's configuration when its copy is older than this … */
export const CONFIGURATION_FRESH_MS = 5_000;
/** … plus at most this much jitter, so that many functions do not ask at once. */
export const CONFIGURATION_JITTER_MS = 1_000;
/** A copy of the configuration is reloaded after this time even if its version did not move. */
export const CONFIGURATION_RELOAD_MS = 60_000;
/**
 * After this time everybody acts on a change that was announced: a request that read its copy at the last moment may act
 * on it until its own time is up.
 */
export const EFFECTIVE_MS_MAX =
  CONFIGURATION_FRESH_MS + CONFIGURATION_JITTER_MS + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
/**
 * After this time everybody acts on a change of the configuration, whether or not it was announced. A copy that was found
 * unmoved just before it had to be reloaded is used for as long as a fresh one.
 */
export const UNTOLD_EFFECTIVE_MS_MAX = CONFIGURATION_RELOAD_MS + EFFECTIVE_MS_MAX;
/**
 * So long the range of a pool that was marked `deleting` stays its own: until the oldest copy of the configuration that
 * anyone may still have is out of use.
 */
export const RANGE_RETIRED_MS_MIN = CONFIGURATION_RELOAD_MS + EFFECTIVE_MS_MAX;

/** A scheduled run leaves younger things alone: their authors may still be at work. Safety does not rest on it. */
export const GRACE_MS = 60_000;
/** The time for which a keyed allocation is kept after its release, so that a late duplicate gets `already_released`. */
export const RELEASED_ALLOCATION_KEPT_MS = 24 * 60 * 60 * 1000;

/** Calico's default cap on affine blocks per host and family. */
export const BLOCKS_PER_HOST_DEFAULT = 20;
/** The largest cap that can be set, as in Calico; beyond it there is none. */
export const BLOCKS_PER_HOST_MAX = 1_000_000;
export const WARM_BLOCKS_MAX = 16;
export const ADDRESSES_PER_REQUEST_DEFAULT = 256;
/** The most slots of one slot write: a condition holds 4 KB, and the clause of a slot has about 40 bytes. */
export const SLOTS_PER_WRITE_MAX = 100;
/** The quota slots of a limited request stand in its allocation, about 70 bytes each. */
export const LIMIT_PER_HANDLE_MAX = 256;
/** A year: what is to stay longer is assigned without a lease. */
export const LEASE_SECONDS_MAX = 365 * 24 * 60 * 60;
export const COOLDOWN_SECONDS_DEFAULT = 30;
export const COOLDOWN_SECONDS_MAX = 1_200;
export const BLOCK_MIN_AGE_SECONDS_DEFAULT = 60;
export const BLOCK_MIN_AGE_SECONDS_MAX = 86_400;

/** Prefix lengths of blocks, as Calico allows them. */
export const BLOCK_SIZES = {
  4: { min: 20, max: 32, default: 26 },
  6: { min: 116, max: 128, default: 122 },
} as const;

/** Tries of one slot write against one block before the request is called contended. */
export const TAKE_TRIES_MAX = 32;
/** Blocks a request may move through before it is called contended. */
export const ASSIGN_ROUNDS_MAX = 16;
/**
 * Block groups that a request looks at in vain for a free block, where the map does not call them full; each costs about 14 read
 * units, though only keys are asked for, and is called full from then on.
 */
export const GROUPS_SEARCHED_MAX = 24;
/** Of these looks every so manieth goes to a block group at random, so that no host's own order keeps it from what is free. */
export const LOOKS_PER_RANDOM_LOOK = 3;
/** Block groups of a pool that a request looks at where nothing is believed free: for blocks to seize and to borrow from. */
export const GROUP_SCANS_MAX = 3;
/** The same over all pools of a request. */
export const GROUP_SCANS_OF_POOLS_MAX = 8;
/** Pools whose maps a request reads, one after the other. */
export const POOLS_TRIED_MAX = 64;
/** Of these the last so many are drawn at random among all that are left. */
export const POOLS_DRAWN_MAX = 16;
/** Pools that a request, or a scheduled run, calls full side by side. */
export const POOLS_CALLED_FULL_AT_ONCE = 8;
/** After this time a request begins to look at no further block group or pool. */
export const SEARCH_MS_MAX = 2_500;
/** Blocks tried inside the block groups that were looked at before a claim is called contended. */
export const CLAIM_TRIES_MAX = 16;
/** Pauses for another function's claim for the same host, before a second block is claimed. */
export const CLAIM_WAITS_MAX = 8;
export const CLAIM_WAIT_MS_MAX = 40;
/** Repeats of any other compare-and-swap. */
export const SWAP_TRIES_MAX = 16;
/** Repeats of a call that the database refused for the moment (throttled, replicated-write conflict). */
export const BUSY_TRIES_MAX = 6;
/** Tries of a read that is not answered: each may take seconds of the ten that a request has. */
export const UNANSWERED_TRIES_MAX = 2;
/** Own blocks read side by side when a host's places are looked through. */
export const BLOCKS_READ_AT_ONCE = 4;
/** Of a host's blocks that are called full a request reads so many, at random, where it finds nothing else. */
export const FULL_BLOCKS_READ_MAX = 4;
/** So long a block is called full in which something cools, or is reserved: then it is read again. */
export const FULL_KNOWN_MS_MAX = 60_000;
/** The most blocks in the warm cache. A full block of 64 takes about 9 KB of memory, a block group or a space far less. */
export const REMEMBERED_BLOCKS_MAX = 1_024;
export const REMEMBERED_BLOCKS_PER_HOST_MAX = 64;
export const REMEMBERED_GROUPS_MAX = 16_384;
export const REMEMBERED_SPACES_MAX = 256;
/** Nodes and namespaces, with at most 16 KB of labels each and mostly one. */
export const REMEMBERED_LABELS_MAX = 1_024;
/** Allocations of one handle that are ended side by side. */
export const ALLOCATIONS_CLOSED_AT_ONCE = 8;
/** Parts of one allocation that are freed, or looked at, side by side. */
export const PARTS_FREED_AT_ONCE = 8;
/** Parts of one request that are taken side by side: it is waited for. */
export const PARTS_TAKEN_AT_ONCE = 16;
/** Quota slots of one request, and the addresses in them, that are worked on side by side. */
export const QUOTA_SLOTS_AT_ONCE = 16;

/** Blocks that one request may claim for a host: as many as a block group has. */
export const BLOCKS_PER_CLAIM_MAX = 64;
/** Blocks of a host that one request releases, some at once; the next goes on after them. */
export const AFFINITIES_RELEASED_MAX = 64;
export const AFFINITIES_RELEASED_AT_ONCE = 4;
/** After so many addresses of a handle or of a host one request releases no more; the next goes on. */
export const ADDRESSES_RELEASED_MAX = 4_096;
/** Addresses of one request that are freed side by side, each by a handful of calls. */
export const ADDRESSES_RELEASED_AT_ONCE = 8;
/** Allocations of a handle that are read at once when all of it is released: with the most attributes they take 48 MB. */
export const ALLOCATIONS_PER_LOOK = 128;
/** Allocations that are over which a release by handle keeps until all else is ended: with the most attributes they take 128 MB. */
export const ALLOCATIONS_OVER_MAX = 1_024;
/** Slots of a block whose allocations are looked for before what they show is ended: all of a usual block. */
export const SLOTS_PER_LOOK = 64;

/** Blocks on a page of a list, unless its reader says how many. */
export const BLOCKS_PER_PAGE_DEFAULT = 100;
export const BLOCKS_PER_PAGE_MAX = 1_000;
/** Affinities on a page of all hosts' unless its reader says how many; each of their hosts is a read. */
export const AFFINITIES_PER_PAGE_DEFAULT = 100;
export const AFFINITIES_PER_PAGE_MAX = 250;
/** Nodes or namespaces on a page of a list, unless its reader says how many; with all their labels they take 4 MB. */
export const LABELLED_PER_PAGE_DEFAULT = 100;
export const LABELLED_PER_PAGE_MAX = 250;
/** Addresses on a page of a handle or of a block: by default as many as a request may take by default. */
export const ADDRESSES_PER_PAGE_DEFAULT = 256;
export const ADDRESSES_PER_PAGE_MAX = 1_024;
/** A page of addresses ends when their attributes have so many characters: a function may answer 6 MB. */
export const ATTRIBUTE_CHARACTERS_PER_PAGE = 500_000;
/** Queries of block groups and pool maps for one page; a block group of full blocks of 64 costs about 28 read units. */
export const LOOKS_PER_PAGE = 32;
/** Items of the table read in one look for blocks of no pool. */
export const ORPHAN_SCAN_ITEMS_PER_LOOK = 1_000;
/** A page ends at this age: what is there by then is answered in time. */
export const PAGE_MS_MAX = 4_000;
/** Reads for one page that are under way side by side. */
export const PAGE_READS_AT_ONCE = 8;

/**
 * Shards that the scheduled runs go by, each on its own: of spaces by name, and of the due index, whose one partition would
 * throttle the table. What is in the index of a table stays where it is: another number would lose it.
 */
export const SHARDS = 16;
/** A scheduled run stops at this age; its function may live for a minute. */
export const SCHEDULED_RUN_MS_MAX = 40_000;
/** Spaces that a scheduled run of the reclaimer works on side by side. */
export const RECLAIM_SPACES_AT_ONCE = 16;
/** Block groups of all these spaces together that it works on side by side. */
export const RECLAIM_GROUPS_AT_ONCE = 16;
/** Blocks of one block group that are worked on side by side. */
export const RECLAIM_BLOCKS_AT_ONCE = 8;
/**
 * Block groups of a space that it goes through before the next space has its turn. After each such slice it keeps where it is: one that
 * dies loses a slice.
 */
export const RECLAIM_GROUPS_PER_SLICE = 64;
/** Pages of a pool's block-group index that it reads at once, with some KB each at most. */
export const RECLAIM_PAGES_PER_READ = 16;
/**
 * So long after it was claimed a block's host is asked whether it has the affinity of the block, however full the block is: what a
 * crash left is put right soon. Later the daily walk of the repair run asks.
 */
export const ROW_WATCHED_MS = 60 * 60 * 1000;
/** Block groups of a job's pool that a worker goes through, some at once, before other jobs have their turn. */
export const JOB_GROUPS_PER_SLICE = 64;
export const JOB_GROUPS_AT_ONCE = 16;
/** Blocks of each of these block groups that are worked on side by side. */
export const JOB_BLOCKS_AT_ONCE = 4;
/** Block groups that a release passed by and comes back to; where there are more it goes through the whole pool again. */
export const JOB_GROUPS_TO_COME_BACK_TO_MAX = 256;
/** The time for which a finished job can be read. */
export const JOB_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Block groups that a delete looks at before it is accepted, some at once; a larger pool is looked at in part. */
export const IN_USE_GROUPS_MAX = 128;
export const IN_USE_GROUPS_AT_ONCE = 8;
/** A run of the repair run begins with no allocation that is due after this age: what is left of it is for the walk. */
export const COLLECT_DUE_MS_MAX = 30_000;
/** Allocations that are due, read from the index at once, and worked on side by side. */
export const COLLECT_DUE_PER_PAGE = 500;
export const COLLECT_DUE_AT_ONCE = 16;
/** In this time the repair run goes once through the whole table. */
export const SWEEP_MS = 24 * 60 * 60 * 1000;
/** A run goes through so many items of its segment at least: a small table comes by more often, and costs little. */
export const SWEEP_ITEMS_PER_RUN_MIN = 16;
/** Items of a page of the walk, and of these side by side. */
export const SWEEP_ITEMS_PER_PAGE_MAX = 500;
export const SWEEP_ITEMS_AT_ONCE = 32;
/** Blocks of which the walk remembers who holds slots: what it costs a borrowed block is read once for all borrowed blocks of its block. */
export const BORROWED_BLOCKS_KNOWN_MAX = 64;
/**
 * Sections of the table that the walk draws from where it cannot keep how far it is: small enough that a run comes to the end of
 * one in a table of 100 million items.
 */
export const SWEEP_SECTIONS = 256 * SHARDS;

export const ATTRIBUTES_MAX = 50;
export const ATTRIBUTE_KEY_CHARACTERS_MAX = 253;
export const ATTRIBUTE_VALUE_CHARACTERS_MAX = 1_024;
/** One set of attributes as JSON: an allocation has room for its own and for two owners of an address. */
export const ATTRIBUTES_BYTES_MAX = 65_536;
/**
 * DynamoDB keeps no item above 400 KB. The items that grow with what is asked for, allocations and plans, are counted before each write;
 * of every other one `test/store/item-bytes.test.ts` measures the largest that its fields may come to.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export const ITEM_BYTES_MAX = 400 * 1_024;
/** The limit of an allocation's size, which counts everything that can be written into it later. */
export const ALLOCATION_BYTES_MAX = 380_000;
/** Of the reason why an item cannot be read: it may quote the item, and stands in jobs and answers. */
export const UNREADABLE_CHARACTERS_MAX = 1_024;
/** One less than the largest block has addresses. */
export const HOST_RESERVED_MAX = 4_095;
export const NOTE_CHARACTERS_MAX = 256;
export const NAME_CHARACTERS_MAX = 253;
/** Labels of a node or a namespace. Kubernetes has no maximum; what discovers a machine's features sets some 150. */
export const LABELS_MAX = 256;
/** Keys and values together, ASCII: labels are read with the places of their host, 4 KB a unit. Their item has 17 KB at most. */
export const LABELS_CHARACTERS_MAX = 16_000;
/** The name of a label after its prefix, and its value, as in Kubernetes. */
export const LABEL_NAME_CHARACTERS_MAX = 63;
export const LABEL_VALUE_CHARACTERS_MAX = 63;
/** Labels that a refusal shows: those of them that the pool's selector asks for. */
export const LABELS_SHOWN_MAX = 8;

/** Pools that a refusal tells of, each with its reason: all that a request may name. */
export const POOLS_TOLD_MAX = 256;
/** Reservations that a refusal names of one pool. */
export const RESERVATIONS_NAMED_MAX = 8;
/** Reasons that the sentence of a refusal tells. */
export const REASONS_IN_DETAIL_MAX = 50;
export const SPACE_CHARACTERS_MAX = 63;
export const NAMESPACE_CHARACTERS_MAX = 63;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;
export const BODY_BYTES_MAX = 1_000_000;
/** Manifests in one body, of which one is taken. */
export const MANIFESTS_PER_BODY_MAX = 2_000;
export const RELEASES_PER_REQUEST_MAX = 256;
export const POOLS_PER_REQUEST_MAX = 256;
/** Entries of a reservation, which is one item: 92 bytes each at most, two IPv6 addresses, come to 92 KB. */
export const RESERVED_CIDRS_MAX = 1_000;
export const RESERVATIONS_PER_SPACE_MAX = 200;
/** Pools of a space: the plan has room for so many where their names have 99 characters or fewer (`PLAN_BYTES_MAX`). */
export const POOLS_PER_SPACE_MAX = 2_000;
/** The plan of a space is one item of 400 KB at most: 90 bytes a pool, and its name. */
export const PLAN_BYTES_MAX = 380_000;
/** Calico's maxima for a pool's selector, and for a label that it names. */
export const SELECTOR_CHARACTERS_MAX = 1_024;
export const SELECTOR_LABEL_CHARACTERS_MAX = 512;
