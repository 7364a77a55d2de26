import { assertTexts, assertWhole } from "../../base/assertions.ts";

/** The requests of one second that functions took from a quota, to serve them. */
export interface RequestRate {
  readonly space: string;
  readonly quota: string;
  /** Seconds since the epoch, by the fastest clock of those that took. */
  readonly second: number;
  readonly taken: number;
}

/** Checks that a rate has the numbers that its conditions compare. @throws {Error} */
export function assertRequestRate({ space, quota, second, taken }: RequestRate): void {
  assertTexts({ space, quota });
  assertWhole({ second, taken });
}

/** The requests that one function may still serve in a second, of those that it took. */
export interface RequestPiece {
  readonly second: number;
  /** Those that it served in this second. */
  served: number;
  left: number;
}

/** Returns how many requests a function takes at once: as many as it served in the second before, and at least one. */
export const requestsToTake = (last: RequestPiece | undefined, second: number): number =>
  last && last.second >= second - 1 ? Math.max(1, last.served) : 1;
