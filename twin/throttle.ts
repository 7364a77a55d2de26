/** A token bucket, as API Gateway uses it: it fills at a rate, and its size is the burst. */
export class Throttle {
  readonly #ratePerSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledMs: number;

  constructor({ ratePerSecond, burst }: { ratePerSecond: number; burst: number }, nowMs: number) {
    this.#ratePerSecond = ratePerSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledMs = nowMs;
  }

  /** Takes a token; returns false if there is none. */
  take(nowMs: number): boolean {
    const filled = this.#tokens + ((nowMs - this.#filledMs) / 1_000) * this.#ratePerSecond;
    this.#tokens = Math.min(this.#burst, filled);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
