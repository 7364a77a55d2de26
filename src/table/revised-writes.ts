import type { Outcome } from "../base/outcome.ts";
import { absent, equals } from "./clause.ts";
import type { Codec } from "./codec.ts";
import type { Item } from "./item.ts";
import type { Table } from "./table.ts";

/**
 * Returns the writes of items that have a revision. A change succeeds only if the revision is the
 * one seen (rule 5). The step names its clauses: `affinity-confirm` is conditional on
 * `affinity-confirm-rev`.
 */
export function revised<T extends { readonly revision: string }>(
  table: Table,
  { key: keyOf, item: itemFrom, from }: Codec<T>,
) {
  const unchanged = (step: string, { revision }: T) => equals(`${step}-rev`, revision, "revision");
  return {
    /** Creates an item that does not exist yet. `clause` names that condition. */
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

    async remove(step: string, seen: T): Promise<Outcome<unknown>> {
      const when = [unchanged(step, seen)];
      return table.write({ step, key: keyOf(seen), when, change: { kind: "delete" } });
    },
  };
}

/** Returns the same outcome with its item as a value of the domain. */
export function withItem<T>(outcome: Outcome<Item>, from: (item: Item) => T): Outcome<T> {
  switch (outcome.outcome) {
    case "done":
      return { outcome: "done", item: from(outcome.item) };
    case "lost":
      return { outcome: "lost", item: outcome.item && from(outcome.item) };
    case "unknown":
      return outcome;
    default:
      return outcome satisfies never;
  }
}
