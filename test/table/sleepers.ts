/**
 * A clock that advances only while a caller waits in `sleep`. It goes to the earliest end of a
 * wait, then to the next. So a wait of a minute takes no time, and a longer wait ends later.
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
