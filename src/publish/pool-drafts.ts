import { same } from "../base/same.ts";
import { poolFieldsOf } from "../nouns/pool/contract/answer.ts";
import { poolFrom } from "../nouns/pool/item.ts";
import type { ItemChange } from "../table/change-log.ts";
import type { Item } from "../table/item.ts";
import type { Detail, Draft } from "./draft.ts";

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
  if (!after) return item.state === "pending" ? [] : draft("PoolDeleted", fieldsOf(item));
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

/** Returns the fields that the operator of a pool set, as answers of the API write them. */
const fieldsOf = (item: Item): Detail => JSON.parse(JSON.stringify(poolFieldsOf(poolFrom(item))));
