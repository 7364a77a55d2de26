import { setImmediate } from "node:timers/promises";
import { eachCall } from "../src/store/each-call.ts";
import type { Table } from "../src/store/table.ts";

/** A time that passes only where all that is under way waits for it. */
export class VirtualTime {
  nowMs = 1_700_000_000_000;
  readonly #sleepers: { readonly untilMs: number; readonly wake: () => void }[] = [];

  readonly now = (): number => this.nowMs;

  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ untilMs: this.nowMs + ms, wake });
    });

  /** Does the work, and lets the time pass until it is done. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    let isDone = false;
    const worked = work().finally(() => {
      isDone = true;
    });
    worked.catch(() => {});
    while (!isDone) {
      await setImmediate();
      this.#sleepers.sort((a, b) => a.untilMs - b.untilMs);
      const next = this.#sleepers[0];
      if (!next) continue;
      this.nowMs = Math.max(this.nowMs, next.untilMs);
      for (const { wake } of this.#sleepers.splice(0, this.#countDue())) wake();
    }
    return worked;
  }

  #countDue(): number {
    return this.#sleepers.filter(({ untilMs }) => untilMs <= this.nowMs).length;
  }
}

/** A table each of whose calls takes so long. */
export function slowTable(table: Table, { sleep }: VirtualTime, callMs: number): Table {
  return eachCall(table, async (call) => {
    await sleep(callMs);
    return call();
  });
}
