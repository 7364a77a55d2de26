import type { Labels } from "../domain/labels.ts";
import type { Item, Value } from "./item.ts";

/**
 * Returns labels as a sorted list of texts `key=value`, because neither part of a label has an
 * equals sign. They are no map, because the client decides by a map's keys how to marshall it. It
 * does not take one with the key `constructor` for a map.
 */
export const labelsItem = (labels: Labels): readonly string[] =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();

/** Returns the labels of an item. Inverse of `labelsItem`. */
export function labelsFrom({ labels, pk, sk }: Item): Labels {
  if (!Array.isArray(labels)) throw new Error(`the labels of ${pk} ${sk} are no list`);
  return Object.fromEntries((labels as readonly Value[]).map(labelFrom));
}

function labelFrom(text: Value): readonly [string, string] {
  const [, key, value] = (typeof text === "string" && /^([^=]+)=(.*)$/.exec(text)) || [];
  if (key === undefined || value === undefined) throw new Error(`"${text}" is no label`);
  return [key, value];
}
