/** Prefix lengths of the prefixes that a pool assigns: the default of Kubernetes' node IPAM, and from a /8 or /16 to one address. */
export const PREFIX_LENGTHS = {
  4: { min: 8, max: 32, default: 24 },
  6: { min: 16, max: 128, default: 64 },
} as const;
/** Blocks of each of these block groups that it works on side by side. */
export const JOB_BLOCKS_AT_ONCE = 4;
/** Names in each list of names that is a condition of a pool. */
export const CONDITION_NAMES_MAX = 256;
/** Principals of a pool, with at most 40 KB in its item. */
export const POOL_PRINCIPALS_MAX = 64;
export const RESERVATIONS_PER_SPACE_MAX = 200;
/** Entries of a pool's `ranges` and of its `excludes`: with two IPv6 addresses each, both have 47 KB. */
export const POOL_RANGES_MAX = 256;
/** The highest VLAN identifier that is not reserved (IEEE 802.1Q, table 9-2). */
export const VLAN_ID_MAX = 4_094;
