import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import { type Cidr, formatCidr, intervalOf, overlaps, sameCidr } from "../../src/net/cidr.ts";
import { Authors } from "./authors.ts";
import { SPACE } from "./requests.ts";
import type { Step } from "./scheduler.ts";

/** What a node states, from the answer on until its next act begins. */
interface Stated {
  readonly cidrs: readonly Cidr[];
  readonly sinceMs: number;
}

/**
 * Watches every prefix when it is taken (I17). Nobody is given one that a network touches which a node stated before, and still states.
 * A node that states exactly this prefix is believed.
 */
export class StatedNetworks {
  readonly violations: Violation[] = [];
  readonly #authors = new Authors();
  readonly #known = new Set<string>();
  readonly #stated = new Map<string, Stated>();
  /** The acts of a handle that have begun and not ended. One that was cut off never ends. */
  readonly #open = new Map<string, number>();
  /** Handles with acts side by side. Which of them took effect last is not known until all have ended. */
  readonly #contended = new Set<string>();
  /** All that a handle ever stated. */
  readonly #ever = new Map<string, readonly Cidr[]>();
  #nowMs = 0;

  /** Runs an act of a handle, after which it states these networks. */
  async acting<T>(handle: string, cidrs: readonly Cidr[], act: () => Promise<T>): Promise<T> {
    this.#stated.delete(handle);
    this.#ever.set(handle, [...(this.#ever.get(handle) ?? []), ...cidrs]);
    const others = this.#open.get(handle) ?? 0;
    if (others > 0) this.#contended.add(handle);
    this.#open.set(handle, others + 1);
    const answer = await act();
    const open = (this.#open.get(handle) ?? 0) - 1;
    this.#open.set(handle, open);
    if (this.#contended.has(handle)) {
      if (open === 0) this.#contended.delete(handle);
      return answer;
    }
    // Nothing is withheld for a node that has ended.
    const isGone = answer instanceof Rejection && answer.code === "node_gone";
    if (open === 0) this.#stated.set(handle, { cidrs: isGone ? [] : cidrs, sinceMs: this.#nowMs });
    return answer;
  }

  step({ blocks, allocations }: Contents, { nowMs }: Step): void {
    this.#nowMs = nowMs;
    this.#authors.step(allocations);
    for (const { space, cidr, whole, slots } of blocks) {
      const slot = slots.get(0);
      if (!whole || space !== SPACE || slot?.kind !== "taken" || this.#known.has(slot.token))
        continue;
      this.#known.add(slot.token);
      const owner = this.#authors.of(slot.token);
      if (owner) this.#judge(cidr, owner.allocation.handle, owner.atMs);
    }
  }

  #judge(cidr: Cidr, handle: string, atMs: number): void {
    if (this.#ever.get(handle)?.some((each) => sameCidr(each, cidr))) return;
    // A request that had read what nodes state a moment before may still take it.
    const readMs = atMs - REQUEST_MS_MAX - CLOCK_SKEW_MS_MAX;
    for (const [by, { cidrs, sinceMs }] of this.#stated) {
      const touching = cidrs.find((each) => overlaps(intervalOf(each), intervalOf(cidr)));
      if (touching && sinceMs < readMs)
        this.violations.push({
          invariant: "I17",
          message: `${handle} gets ${formatCidr(cidr)}, and ${by} states ${formatCidr(touching)}`,
        });
    }
  }
}
