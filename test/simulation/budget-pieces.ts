import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import { heldUnder } from "../../src/invariants/invariants.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { WarmCache } from "../../src/kernel/core/warm-cache.ts";
import { copyOf } from "../../src/kernel/quotas/give-back.ts";
import type { Step } from "./scheduler.ts";

/**
 * Watches what functions may still assign of the budgets. A budget counts that beside what is held (I21). The checker of a table does not
 * see it, so a piece that is too large would show only once it is spent.
 */
export class BudgetPieces {
  readonly violations: Violation[] = [];
  /** The cache of each process that runs, by its name. A process that begins again has a new one. */
  readonly #caches = new Map<string, WarmCache>();

  begins(process: string, cache: WarmCache): void {
    this.#caches.set(process, cache);
  }

  step(contents: Contents, { nowMs }: Pick<Step, "nowMs">): void {
    for (const { budget, held } of heldUnder(contents)) {
      const { space, quota, of, used, round, before } = budget;
      let left = 0;
      for (const { budgetPieces } of this.#caches.values()) {
        const piece = budgetPieces.get(copyOf(budget));
        const isOpen = piece && (piece.round === round || piece.round === before);
        // Nobody spends a piece whose time is over, by any clock.
        if (isOpen && piece.untilMs > nowMs + CLOCK_SKEW_MS_MAX) left += piece.left;
      }
      if (held + left <= used) continue;
      const message = `quota ${quota} of ${space} counts ${used} ${of}, ${held} are held, and functions may assign ${left} more`;
      this.violations.push({ invariant: "I21", message });
    }
  }
}
