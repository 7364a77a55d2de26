/**
 * The space in which the probe assigns and releases. Its name is reserved: over the API nobody writes there, and everybody
 * may read.
 */
export const PROBE_SPACE = "plat-probe";
