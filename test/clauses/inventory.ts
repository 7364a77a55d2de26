import { simulate } from "../simulation/run.ts";
import { type Decision, observe } from "./observed.ts";
import { nameOf, ownClausesOf, pairOf } from "./parts.ts";

/**
 * A part of the protocol that can be left out: a condition of a write, two of one write, or a whole
 * write that fences.
 */
export interface Item {
  readonly name: string;
  readonly kind: Decision["kind"];
  /**
   * The writes that have the clause. For a fence: the fence itself, or the write that contains it.
   */
  readonly steps: readonly string[];
  /** The seeds of the simulated runs that change without the part. All other runs stay the same. */
  readonly seeds: readonly number[];
}

/**
 * Returns every clause, every two clauses of one write, and every fence of the writes in the runs
 * of these seeds.
 */
export async function inventoryOf(seeds: Iterable<number>): Promise<readonly Item[]> {
  const items = new Map<string, { kind: Item["kind"]; steps: Set<string>; seeds: Set<number> }>();
  const itemOf = (name: string, kind: Item["kind"]) => {
    const item = items.get(name) ?? { kind, steps: new Set<string>(), seeds: new Set<number>() };
    items.set(name, item);
    return item;
  };
  for (const seed of seeds) {
    const end = observe((write, decision) => {
      const { step } = write;
      const names = ownClausesOf(write).map((clause) => nameOf(clause, write));
      for (const [i, name] of names.entries()) {
        itemOf(name, "clause").steps.add(step);
        for (const other of names.slice(i + 1)) itemOf(pairOf(name, other), "pair").steps.add(step);
      }
      if (!decision) return;
      const item = itemOf(decision.name, decision.kind);
      item.steps.add(step);
      item.seeds.add(seed);
    });
    await simulate({ seed }).finally(end);
  }
  return inOrder(
    [...items].map(([name, { kind, steps, seeds }]) => ({
      name,
      kind,
      steps: [...steps].sort(),
      seeds: [...seeds],
    })),
  );
}

/** Adds the parts that decide writes of tests, and that no simulated run comes by. */
export function withDecisions(
  items: readonly Item[],
  decisions: readonly Decision[],
): readonly Item[] {
  const known = new Set(items.map(({ name }) => name));
  const others = new Map<string, Item>();
  for (const { name, kind, step } of decisions) {
    if (known.has(name)) continue;
    const { steps = [] } = others.get(name) ?? {};
    others.set(name, { name, kind, steps: [...new Set([...steps, step])].sort(), seeds: [] });
  }
  return inOrder([...items, ...others.values()]);
}

const inOrder = (items: readonly Item[]): readonly Item[] =>
  items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
