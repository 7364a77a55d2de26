/**
 * A clock that goes on only while somebody sleeps, to when the first of them is to wake, one after the other. So a minute of
 * sleep takes no time, and who sleeps longer wakes later.
 */
export class SleepersClock {
  #nowMs: number;
  readonly #sleepers: { readonly dueMs: number; wake(): void }[] = [];

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  readonly now = (): number => Math.round(this.#nowMs);

  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ dueMs: this.#nowMs + ms, wake });
      if (this.#sleepers.length === 1) setTimeout(() => this.#goOn());
    });

  #goOn(): void {
    const dueMs = Math.min(...this.#sleepers.map((sleeper) => sleeper.dueMs));
    const index = this.#sleepers.findIndex((sleeper) => sleeper.dueMs === dueMs);
    const [first] = this.#sleepers.splice(index, 1);
    this.#nowMs = Math.max(this.#nowMs, dueMs);
    first?.wake();
    if (this.#sleepers.length > 0) setTimeout(() => this.#goOn());
  }
}
