import type { Budget, Charge } from "./budget.ts";
import type { Contents } from "./contents.ts";
import { type Violation, violation } from "./violation.ts";

/** Finds budgets that count less than what is held under their quotas (I21). */
export function budgetViolations({ budgets, blocks, allocations }: Contents): Violation[] {
  if (budgets.length === 0) return [];
  const taken = new Map<string, number>();
  for (const { space, slots } of blocks)
    for (const slot of slots.values()) {
      if (slot.kind !== "taken") continue;
      const name = `${space} ${slot.token}`;
      taken.set(name, (taken.get(name) ?? 0) + 1);
    }
  return budgets.flatMap((budget) => {
    const ofSpace = blocks.filter(({ space }) => space === budget.space);
    const claimed = ofSpace.filter(({ charge }) => isCharged(charge?.charges ?? [], budget));
    const held = allocations
      .filter(({ place, charges }) => place.space === budget.space && isCharged(charges, budget))
      .flatMap(({ place, parts }) => parts.map(({ token }) => `${place.space} ${token}`))
      .reduce((sum, name) => sum + (taken.get(name) ?? 0), claimed.length);
    const { space, quota, of, used } = budget;
    const what = `quota ${quota} of ${space} counts ${used} ${of}, and ${held} are held`;
    return held > used ? [violation("I21", what)] : [];
  });
}

const isCharged = (charges: readonly Charge[], { quota, of, round, before }: Budget): boolean =>
  charges.some(
    (charge) =>
      charge.quota === quota &&
      charge.of === of &&
      (charge.round === round || charge.round === before),
  );
