import { eachCount, type Usage } from "../../nouns/utilization/usage.ts";

/** Returns the counts for JSON: numbers, or decimal strings if a number would not be exact. */
export const usageBody = (usage: Usage) => eachCount(usage, exactCount);

/** Returns a number, or its decimal digits if a number would not be exact. */
export const exactCount = (count: bigint): number | string =>
  count <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : String(count);
