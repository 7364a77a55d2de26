import type { Contents } from "../../src/domain/contents.ts";
import type { Violation } from "../../src/domain/invariants.ts";

/** Watches every slot as it is taken: where nothing may be borrowed its block is the host's own at that moment (I10). */
export class Strictness {
  readonly violations: Violation[] = [];
  readonly #isStrict: (pool: string) => boolean;
  readonly #known = new Set<string>();

  constructor(isStrict: (pool: string) => boolean) {
    this.#isStrict = isStrict;
  }

  step({ blocks, records }: Contents): void {
    for (const block of blocks) {
      if (!this.#isStrict(block.pool)) continue;
      for (const slot of block.slots.values()) {
        if (slot.kind !== "taken" || this.#known.has(slot.token)) continue;
        this.#known.add(slot.token);
        const owner = records.find(({ parts }) => parts.some(({ token }) => token === slot.token));
        if (owner && owner.host !== block.host)
          this.violations.push({
            invariant: "I10",
            message: `${owner.host} took a slot in a block of ${block.host ?? "nobody"}`,
          });
      }
    }
  }
}
