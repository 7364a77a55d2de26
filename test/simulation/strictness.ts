import type { Written } from "../../src/allocator/admin/written.ts";
import type { Contents } from "../../src/domain/contents.ts";
import type { Violation } from "../../src/domain/invariants.ts";
import { CLOCK_SKEW_MS_MAX } from "../../src/domain/limits.ts";
import { Rejection } from "../../src/domain/outcome.ts";
import { Authors } from "./authors.ts";

/**
 * Watches every slot as it is taken: where nothing may be borrowed its block is the host's own at that moment (I10). What a
 * space's setting says holds for requests whose allocation was written from its `effectiveAt` on.
 */
export class Strictness {
  readonly violations: Violation[] = [];
  readonly #authors = new Authors();
  readonly #known = new Set<string>();
  /** Pools that never lend. */
  readonly #forbidding: ReadonlySet<string>;
  #strictFromMs: number;
  /** Changes under way, or cut off, that may take strictness away at any time; and all that ever began. */
  #loosening = 0;
  #loosened = 0;

  constructor(isStrict: boolean, forbidding: readonly string[]) {
    this.#strictFromMs = isStrict ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    this.#forbidding = new Set(forbidding);
  }

  /** An operator changes the setting: what he is told, and nothing before, is what holds. */
  async setting<T>(
    isStrict: boolean,
    change: () => Promise<Written<T> | Rejection>,
  ): Promise<Written<T> | Rejection> {
    // Of two parallel writes nobody knows which was last, in whatever order their answers come.
    const isAlone = this.#loosening === 0;
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
      for (const slot of block.slots.values()) {
        if (slot.kind !== "taken" || this.#known.has(slot.token)) continue;
        this.#known.add(slot.token);
        const owner = this.#authors.of(slot.token);
        if (!owner || owner.allocation.host === block.host) continue;
        if (this.#forbidding.has(block.pool) || owner.atMs >= this.#strictFromMs)
          this.violations.push({
            invariant: "I10",
            message: `${owner.allocation.host} took a slot in a block of ${block.host ?? "nobody"}`,
          });
      }
    }
  }
}
