import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import { Authors } from "./authors.ts";

/**
 * Watches every slot when it is taken (I10). If borrowing is forbidden, the block must belong to
 * the host at that moment; the blocks of ranged pools have no host. A space's setting applies to requests whose allocation was written from
 * its `effectiveAt` on.
 */
export class Strictness {
  readonly violations: Violation[] = [];
  readonly #authors = new Authors();
  readonly #known = new Set<string>();
  /** Pools without borrowing. */
  readonly #forbidding: ReadonlySet<string>;
  #strictFromMs: number;
  /** True if the setting was on at any moment, or may have been. */
  mayBeStrict: boolean;
  /**
   * Changes that may end strictness at any time, because they are in progress or cut off; and the
   * number of all so far.
   */
  #loosening = 0;
  #loosened = 0;

  constructor(isStrict: boolean, forbidding: readonly string[]) {
    this.#strictFromMs = isStrict ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    this.#forbidding = new Set(forbidding);
    this.mayBeStrict = isStrict;
  }

  /**
   * Records an operator's change of the setting. It applies from the time in its answer on, and not
   * before.
   */
  async setting<T>(
    isStrict: boolean,
    change: () => Promise<Written<T> | Rejection>,
  ): Promise<Written<T> | Rejection> {
    // The order of parallel writes is unknown, whatever the order of their answers.
    const isAlone = this.#loosening === 0;
    this.mayBeStrict ||= isStrict;
    if (!isStrict) {
      this.#strictFromMs = Number.POSITIVE_INFINITY;
      this.#loosening++;
      this.#loosened++;
    }
    const before = this.#loosened;
    const answer = await change();
    if (!isStrict) this.#loosening--;
    else if (!(answer instanceof Rejection) && isAlone && this.#loosened === before)
      this.#strictFromMs = Math.min(this.#strictFromMs, answer.effectiveAtMs + CLOCK_SKEW_MS_MAX);
    return answer;
  }

  step({ blocks, allocations }: Contents): void {
    this.#authors.step(allocations);
    for (const block of blocks) {
      // A prefix has no host, and strict affinity does not concern it.
      if (block.whole) continue;
      for (const slot of block.slots.values()) {
        if (slot.kind !== "taken" || this.#known.has(slot.token)) continue;
        this.#known.add(slot.token);
        const owner = this.#authors.of(slot.token);
        if (!owner || owner.allocation.host === block.host) continue;
        if (owner.part.pool !== undefined) continue;
        if (this.#forbidding.has(block.pool) || owner.atMs >= this.#strictFromMs)
          this.violations.push({
            invariant: "I10",
            message: `${owner.allocation.host} took a slot in a block of ${block.host ?? "nobody"}`,
          });
      }
    }
  }
}
