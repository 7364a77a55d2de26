import type { AssignmentRecord } from "../../src/domain/allocation.ts";

/** A record, and when its author wrote it: long ago, where it was over when it was first seen. */
export interface Authored {
  readonly record: AssignmentRecord;
  readonly atMs: number;
}

/**
 * Records as they were first seen, by the tokens of their parts. Whoever ends a record, or marks it, writes a time of his own
 * into it, while a slot that its author had asked for before may still be taken, late.
 */
export class Authors {
  readonly #authored = new Map<string, Authored>();
  readonly #seen = new WeakSet<AssignmentRecord>();

  step(records: readonly AssignmentRecord[]): void {
    for (const record of records) {
      if (this.#seen.has(record)) continue;
      this.#seen.add(record);
      const isOver = record.state === "aborted" || record.state === "released";
      const authored = { record, atMs: isOver ? Number.NEGATIVE_INFINITY : record.atMs };
      for (const { token } of record.parts)
        if (!this.#authored.has(token)) this.#authored.set(token, authored);
    }
  }

  of(token: string): Authored | undefined {
    return this.#authored.get(token);
  }
}
