/** The clock of the controller, and its source of chance; tests pass their own. */
export interface Waits {
  /** Returns a time in milliseconds that never moves back. */
  now(): number;
  /** Waits. An aborted signal ends it at once, without an error. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Returns a number from 0 to 1. */
  random(): number;
}

/**
 * Returns the wait after some failures in a row: it doubles up to a maximum, and differs between callers.
 *
 * @param failures the failures before this one
 */
export const backoffMs = (
  failures: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
  random: number,
): number => Math.min(firstMs * 2 ** failures, mostMs) * (0.5 + random / 2);
