import type { Limits } from "./deployment.ts";

/** Token buckets, as API Gateway uses them: each fills at a rate, and its size is the burst. */
export class Throttles {
  readonly #elapsedMs: () => number;
  readonly #buckets = new Map<string, { tokens: number; filledMs: number }>();

  /** @param elapsedMs the time in milliseconds, by default that of this machine */
  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
  }

  /** Takes a token out of a bucket, which is full at first; returns false if there is none. */
  take(name: string, { ratePerSecond, burst }: Limits): boolean {
    const nowMs = this.#elapsedMs();
    const bucket = this.#buckets.get(name) ?? { tokens: burst, filledMs: nowMs };
    this.#buckets.set(name, bucket);
    const filled = bucket.tokens + ((nowMs - bucket.filledMs) / 1_000) * ratePerSecond;
    bucket.tokens = Math.min(burst, filled);
    bucket.filledMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
