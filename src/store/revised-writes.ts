import type { Outcome } from "../domain/outcome.ts";
import { absent, equals } from "./clause.ts";
import type { Item } from "./item.ts";
import { withItem } from "./outcome.ts";
import type { Table } from "./table.ts";

/**
 * The writes of items that carry a revision and are only ever changed exactly as they were seen (rule 5). The clauses are
 * named after the step: `affinity-confirm` is conditional on `affinity-confirm-rev`.
 */
export function revised<T extends { readonly revision: string }>(
  table: Table,
  itemFrom: (value: T) => Item,
  from: (item: Item) => T,
) {
  const unchanged = (step: string, { revision }: T) => equals(`${step}-rev`, revision, "revision");
  return {
    /** Puts what is not there yet; `clause` names the condition that it is not. */
    async create(step: string, clause: string, value: T): Promise<Outcome<T>> {
      const item = itemFrom(value);
      const when = [absent(clause, "pk")];
      return withItem(
        await table.write({ step, key: item, when, change: { kind: "put", item } }),
        from,
      );
    },

    async change(step: string, seen: T, next: T): Promise<Outcome<T>> {
      const item = itemFrom(next);
      const when = [unchanged(step, seen)];
      return withItem(
        await table.write({ step, key: item, when, change: { kind: "put", item } }),
        from,
      );
    },

    async remove(step: string, seen: T): Promise<void> {
      const when = [unchanged(step, seen)];
      await table.write({ step, key: itemFrom(seen), when, change: { kind: "delete" } });
    },
  };
}
