import type { Allocation, Part } from "../../src/kernel/values/allocation.ts";

/**
 * A part of an allocation, and the time when its author wrote it. That time is long ago if the allocation had
 * ended when it was first seen.
 */
export interface Authored {
  readonly allocation: Allocation;
  readonly part: Part;
  readonly atMs: number;
}

/**
 * Records each allocation as it was first seen, by the tokens of its parts. An operation that ends
 * or marks an allocation writes its own time into it. A slot that its author asked for earlier may
 * still be taken later.
 */
export class Authors {
  readonly #authored = new Map<string, Authored>();
  readonly #seen = new WeakSet<Allocation>();

  step(allocations: readonly Allocation[]): void {
    for (const allocation of allocations) {
      if (this.#seen.has(allocation)) continue;
      this.#seen.add(allocation);
      const isOver = allocation.state === "aborted" || allocation.state === "released";
      const atMs = isOver ? Number.NEGATIVE_INFINITY : allocation.atMs;
      for (const part of allocation.parts)
        if (!this.#authored.has(part.token))
          this.#authored.set(part.token, { allocation, part, atMs });
    }
  }

  of(token: string): Authored | undefined {
    return this.#authored.get(token);
  }
}
