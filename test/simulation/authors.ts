import type { Allocation } from "../../src/domain/allocation.ts";

/** An allocation, and when its author wrote it: long ago, where it was over when it was first seen. */
export interface Authored {
  readonly allocation: Allocation;
  readonly atMs: number;
}

/**
 * Allocations as they were first seen, by the tokens of their parts. Whoever ends an allocation, or marks it, writes a time of his own
 * into it, while a slot that its author had asked for before may still be taken, late.
 */
export class Authors {
  readonly #authored = new Map<string, Authored>();
  readonly #seen = new WeakSet<Allocation>();

  step(allocations: readonly Allocation[]): void {
    for (const allocation of allocations) {
      if (this.#seen.has(allocation)) continue;
      this.#seen.add(allocation);
      const isOver = allocation.state === "aborted" || allocation.state === "released";
      const authored = { allocation, atMs: isOver ? Number.NEGATIVE_INFINITY : allocation.atMs };
      for (const { token } of allocation.parts)
        if (!this.#authored.has(token)) this.#authored.set(token, authored);
    }
  }

  of(token: string): Authored | undefined {
    return this.#authored.get(token);
  }
}
