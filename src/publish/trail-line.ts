import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { convertToAttr } from "@aws-sdk/util-dynamodb";
import type { Actor } from "../base/actor.ts";
import { formatTime } from "../base/time.ts";
import type { ItemChange } from "../table/change-log.ts";
import { isMap, sameValue, valueAt } from "../table/clause.ts";
import type { AttributePath, Item, Value } from "../table/item.ts";
import { kindNameOf, kindOf } from "../table/kinds.ts";
import { actorIn } from "../table/signed-table.ts";
import { changeId } from "./change-id.ts";

/** One changed attribute, or one entry of a map: its value before and after in DynamoDB's JSON, absent where it was not there. */
interface TrailChange {
  readonly path: AttributePath;
  readonly before?: AttributeValue;
  readonly after?: AttributeValue;
}

/**
 * A line of the audit trail: one change of one item, whole, so that the lines of an item in the order of their
 * sequence numbers lead from any of its states to a later one.
 */
export interface TrailLine {
  readonly id: string;
  readonly at: string;
  readonly sequence: string;
  /** The kind of the item, as in `src/table/kinds.ts`. */
  readonly kind: string;
  /** The name of the item for people. */
  readonly called: string;
  readonly item: "created" | "changed" | "deleted";
  readonly key: { readonly pk: string; readonly sk: string };
  /** Absent if the item names no author: it follows from another one that does. */
  readonly by?: Actor;
  readonly changes: readonly TrailChange[];
}

/** Items that no answer depends on: hints, counts, signs of life and positions. A restored table gets them anew. */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  "BUDGET/REQUESTS",
  "FULLPOOLS",
  "FULLPOOLS/~LENDING",
  "USAGE",
  "HOST/FULL",
  "NODE/SEEN",
  "SWEEP",
]);

const KEY_NAMES: ReadonlySet<string> = new Set(["pk", "sk"]);

/**
 * Returns the line of a change; nothing for items that the trail leaves out, and for a write that changed nothing.
 *
 * @throws {Error} if the item is of no known kind
 */
export function trailLineOf(change: ItemChange): TrailLine | undefined {
  const { key, before, after, sequence, atMs } = change;
  const kind = kindOf(key);
  const kindName = kindNameOf(key);
  if (!kind || kindName === undefined)
    throw new Error(`the items under ${key.pk} ${key.sk} are of no known kind`);
  if (LEFT_OUT.has(kindName)) return undefined;
  const changes = changesBetween(before, after);
  if (changes.length === 0) return undefined;
  const by = actorIn(after ?? before);
  return {
    id: changeId(change),
    at: formatTime(atMs),
    sequence,
    kind: kindName,
    called: kind.called(key),
    item: before ? (after ? "changed" : "deleted") : "created",
    key,
    ...(by && { by }),
    changes,
  };
}

/** Compares two items attribute by attribute, and maps that both have entry by entry. */
function changesBetween(before: Item | undefined, after: Item | undefined): TrailChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names]
    .filter((name) => !KEY_NAMES.has(name))
    .flatMap((name) =>
      pathsWithin(before?.[name], after?.[name]).map((rest): AttributePath => [name, ...rest]),
    )
    .flatMap((path) => {
      const [was, is] = [valueAt(before, path), valueAt(after, path)];
      // Of the 64 slots of a block a change alters one, so most values need no conversion.
      if (sameValue(was, is)) return [];
      const [from, to] = [attributeOf(was), attributeOf(is)];
      if (JSON.stringify(from) === JSON.stringify(to)) return [];
      return [{ path, ...(from && { before: from }), ...(to && { after: to }) }];
    });
}

/** Returns the paths to compare below an attribute: the entries of a map, or the attribute as a whole. */
function pathsWithin(
  from: Value | undefined,
  to: Value | undefined,
): readonly (readonly string[])[] {
  if (from === undefined || to === undefined || !isMap(from) || !isMap(to)) return [[]];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].map((name) => [name]);
}

const attributeOf = (value: Value | undefined): AttributeValue | undefined =>
  value === undefined ? undefined : plain(convertToAttr(value));

/** Returns an attribute value as its JSON has it: bytes in base64, members of sets in order. */
function plain(attribute: AttributeValue): AttributeValue {
  return JSON.parse(JSON.stringify(attribute, replaced)) as AttributeValue;
}

function replaced(this: unknown, name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  // JSON.stringify calls `toJSON` of a Buffer before it calls this function.
  const raw = (this as Readonly<Record<string, unknown>>)[name];
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString("base64");
  return (name === "SS" || name === "NS") && Array.isArray(value) ? [...value].sort() : value;
}
