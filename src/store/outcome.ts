import type { Outcome } from "../domain/outcome.ts";
import type { Item } from "./item.ts";

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
