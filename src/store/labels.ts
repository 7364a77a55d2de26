import type { Labels } from "../domain/labels.ts";
import type { Item, Value } from "./item.ts";

/**
 * Labels as a list of texts `key=value`, in order: neither part of a label has an equals sign. A map would be marshalled by
 * what its keys are called: one that has the key `constructor` is none of DynamoDB's.
 */
export const labelsItem = (labels: Labels): readonly string[] =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();

/** Inverse of `labelsItem`. */
export function labelsFrom({ labels, pk, sk }: Item): Labels {
  if (!Array.isArray(labels)) throw new Error(`the labels of ${pk} ${sk} are no list`);
  return Object.fromEntries((labels as readonly Value[]).map(labelFrom));
}

function labelFrom(text: Value): readonly [string, string] {
  const [, key, value] = (typeof text === "string" && /^([^=]+)=(.*)$/.exec(text)) || [];
  if (key === undefined || value === undefined) throw new Error(`"${text}" is no label`);
  return [key, value];
}
