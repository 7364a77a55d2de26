import { GRACE_MS, UNTOLD_EFFECTIVE_MS_MAX } from "../../base/limits.ts";

/**
 * Block groups of a pool that a request scans for blocks to seize and to borrow. It does so if no
 * group is believed to have a free block.
 */
export const GROUP_SCANS_MAX = 3;
/** Pools that a request, or a scheduled run, calls full side by side. */
export const POOLS_CALLED_FULL_AT_ONCE = 8;
/** After this time a request scans no further block group or pool. */
export const SEARCH_MS_MAX = 2_500;
/** Blocks tried inside the scanned block groups before a claim is called contended. */
export const CLAIM_TRIES_MAX = 16;
export const CLAIM_WAIT_MS_MAX = 40;
/** Repeats of any other compare-and-swap. */
export const SWAP_TRIES_MAX = 16;
/** A block with cooling or reserved addresses is called full for at most this time. Then Plat reads it again. */
export const FULL_KNOWN_MS_MAX = 60_000;
/** Parts of one request that are taken side by side, because a caller waits. */
export const PARTS_TAKEN_AT_ONCE = 16;
/** Quota slots of one request, and the addresses in them, that are worked on side by side. */
export const QUOTA_SLOTS_AT_ONCE = 16;
/** Addresses of a handle or of a host that one request releases; the next request continues. */
export const ADDRESSES_RELEASED_MAX = 4_096;
/**
 * The time after the setting of an index until which a request can still leave its entries out: the oldest copy of the configuration.
 * The walk leaves out what is younger than `GRACE_MS`. The rest is for reads that are eventually consistent.
 */
export const INDEX_SETTLE_MS = UNTOLD_EFFECTIVE_MS_MAX + GRACE_MS + 20_000;
