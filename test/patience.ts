/**
 * After this time a test hangs: no machine is so slow. A test that waits for a process waits as long, so that the speed
 * of a machine, or what else it does, fails none.
 */
export const HANGS_MS = 600_000;
