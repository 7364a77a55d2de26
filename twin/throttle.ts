/** A token bucket, which is how API Gateway throttles: it fills at a rate, and holds a burst. */
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

  /** May one more request pass? */
  take(nowMs: number): boolean {
    const filled = this.#tokens + ((nowMs - this.#filledMs) / 1_000) * this.#ratePerSecond;
    this.#tokens = Math.min(this.#burst, filled);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
