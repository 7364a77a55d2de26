import { same } from "../base/same.ts";
import { poolFrom } from "../nouns/pool/item.ts";
import type { ItemChange } from "../table/change-log.ts";
import type { Item, Value } from "../table/item.ts";
import type { Detail, Draft } from "./draft.ts";
import type { Json } from "./json.ts";

/** Attributes of a pool that no operator sets. */
const INTERNAL: ReadonlySet<string> = new Set([
  ...["pk", "sk", "f", "k", "w"],
  ...["id", "subnetId", "parentId", "state", "revision", "adding", "retiring"],
]);

/**
 * Returns the creation, the change or the deletion of a pool. A pool is created when it begins to serve: until then
 * its range may still be refused.
 */
export function poolDrafts({ before, after }: ItemChange): readonly Draft[] {
  const item = after ?? before;
  if (!item) return [];
  const { space, name } = poolFrom(item);
  const draft = (type: "PoolCreated" | "PoolChanged" | "PoolDeleted", detail: Detail): Draft[] => [
    { kind: "whole", type, space, subject: name, detail: { pool: name, ...detail } },
  ];
  if (!after) return before?.state === "pending" ? [] : draft("PoolDeleted", fieldsOf(before));
  if (after.state === "pending") return [];
  if (!before || before.state === "pending") return draft("PoolCreated", fieldsOf(after));
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) => !same(was[field], is[field]),
  );
  if (changed.length === 0) return [];
  const only = (fields: Detail) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => changed.includes(field)));
  return draft("PoolChanged", { before: only(was), after: only(is) });
}

/** Returns the fields that the operator of a pool set. */
const fieldsOf = (item: Item | undefined): Detail =>
  Object.fromEntries(
    Object.entries(item ?? {})
      .filter(([name]) => !INTERNAL.has(name))
      .map(([name, value]) => [name, jsonOf(value)]),
  );

/** Returns a value of an item as JSON. Pools have neither bytes nor sets. */
const jsonOf = (value: Value): Json => JSON.parse(JSON.stringify(value)) as Json;
