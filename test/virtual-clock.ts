import { eachCall } from "../src/store/stack.ts";
import type { Table } from "../src/table/table.ts";

/**
 * A clock that jumps. It stands still while any code can run, then moves to the next moment for which code waits. So
 * hours pass in seconds, thousands of callers run in parallel, and every run of a seed is the same.
 */
export class VirtualClock {
  #nowMs: number;
  /** A binary heap, the earliest moment first. */
  readonly #events: Event[] = [];
  #count = 0;

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Sets the clock; no code may be waiting. */
  set nowMs(nowMs: number) {
    this.#nowMs = nowMs;
  }

  readonly now = (): number => this.#nowMs;

  readonly sleep = (ms: number): Promise<void> => this.until(this.#nowMs + ms);

  /** Resolves at a moment, in milliseconds since the epoch; immediately if it is past. */
  until(atMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#push({ atMs: Math.max(atMs, this.#nowMs), order: this.#count++, resolve });
    });
  }

  /**
   * Moves the clock on until the work has ended.
   *
   * @throws Error if it waits for something that never happens
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    let ended = false;
    const result = work().finally(() => {
      ended = true;
    });
    result.catch(() => {});
    await idle();
    while (!ended) {
      const next = this.#pop();
      if (!next) throw new Error("the work waits, and nothing is under way that could end it");
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.resolve();
      while (this.#isPast(this.#events[0])) this.#pop()?.resolve();
      await idle();
    }
    return result;
  }

  #isPast(event: Event | undefined): boolean {
    return event !== undefined && event.atMs <= this.#nowMs;
  }

  #push(event: Event): void {
    const heap = this.#events;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isEarlier(event, heap[parent] as Event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#events;
    const [first] = heap;
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isEarlier(heap[child + 1] as Event, heap[child] as Event))
        child++;
      if (!isEarlier(heap[child] as Event, last)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

/** Returns a table each of whose calls takes this long. */
export function slowTable(table: Table, { sleep }: VirtualClock, callMs: number): Table {
  return eachCall(table, async (call) => {
    await sleep(callMs);
    return call();
  });
}

interface Event {
  readonly atMs: number;
  /** The order of events of one moment: the one that was requested first comes first. */
  readonly order: number;
  readonly resolve: () => void;
}

const isEarlier = (a: Event, b: Event): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Waits until no code can run before the clock moves: Node.js empties its queues of promises before this. */
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
