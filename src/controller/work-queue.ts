import { ApiError } from "../client/index.ts";
import { withOwnSignal } from "../client/own-signal.ts";
import { backoffMs, type Waits } from "./kube/waits.ts";

const RETRY = { firstMs: 1_000, mostMs: 60_000 };
/** The time in which further changes join those of the same moment. */
export const GATHER_MS = 50;
/** The longest wait: what is due may have to wait for something else, such as a first list. */
const LOOK_AGAIN_MS = 60_000;

/** Returns the wait that Plat asks for with an error; zero if it asks for none. */
export const askedMs = (error: unknown): number =>
  error instanceof ApiError ? 1000 * (error.problem.retryAfterSeconds ?? 0) : 0;

/**
 * The keys that have work, each once, and when. A key that is added while it is in work has work again afterwards. Keys
 * whose work fails wait longer each time.
 */
export class WorkQueue {
  readonly #dueAtMs = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #waits: Waits;
  #wake = (): void => undefined;

  constructor(waits: Waits) {
    this.#waits = waits;
  }

  get size(): number {
    return this.#dueAtMs.size;
  }

  /** The earliest time at which a key is due; infinity for none. */
  get nextDueAtMs(): number {
    return Math.min(...this.#dueAtMs.values());
  }

  /** Gives a key work at a time, or earlier if it has work already. */
  add(key: string, dueAtMs: number): void {
    this.#dueAtMs.set(key, Math.min(dueAtMs, this.#dueAtMs.get(key) ?? dueAtMs));
  }

  /** Gives a key work again after a failure. @param askedMs the least wait, if somebody asked for one */
  retry(key: string, nowMs: number, askedMs = 0): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.add(key, nowMs + Math.max(askedMs, backoffMs(failures, RETRY, this.#waits.random())));
  }

  /** Notes that the work of a key succeeded. */
  succeeded(key: string): void {
    this.#failures.delete(key);
  }

  /** Takes up to `max` due keys of a kind, the earliest first. */
  take(nowMs: number, max: number, isOfKind: (key: string) => boolean): readonly string[] {
    const due = [...this.#dueAtMs]
      .filter(([key, dueAtMs]) => dueAtMs <= nowMs && isOfKind(key))
      .sort(([, one], [, other]) => one - other)
      .slice(0, max)
      .map(([key]) => key);
    for (const key of due) this.#dueAtMs.delete(key);
    return due;
  }

  /** Waits until a time, or until something changes. */
  async wait(untilMs: number, signal: AbortSignal): Promise<void> {
    const ms = Math.min(Math.max(untilMs - this.#waits.now(), GATHER_MS), LOOK_AGAIN_MS);
    let isWoken = false;
    await withOwnSignal(signal, (own) => {
      this.#wake = () => {
        isWoken = true;
        own.abort();
      };
      return this.#waits.sleep(ms, own.signal);
    });
    // Changes within a short time share a request.
    if (isWoken && !signal.aborted) await this.#waits.sleep(GATHER_MS, signal);
  }

  /** Ends a wait. */
  wake(): void {
    this.#wake();
  }

  /** Returns true if a key of a kind has work, now or later. */
  has(isOfKind: (key: string) => boolean): boolean {
    return [...this.#dueAtMs.keys()].some(isOfKind);
  }
}
