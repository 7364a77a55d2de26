import type { Actor } from "../base/actor.ts";
import { formatTime } from "../base/time.ts";
import type { ItemChange } from "../table/change-log.ts";
import { isMap, sameValue } from "../table/clause.ts";
import type { AttributePath, Item, Value } from "../table/item.ts";
import { kindNameOf, kindOf } from "../table/kinds.ts";
import { actorIn } from "../table/signed-table.ts";
import { type Attribute, attributeOf } from "../table/streamed-change.ts";
import { changeId } from "./change-id.ts";

/** One changed attribute, or one entry of a map: its value before and after in DynamoDB's JSON, absent where it was not there. */
interface TrailChange {
  readonly path: AttributePath;
  readonly before?: Attribute;
  readonly after?: Attribute;
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
  const changes: TrailChange[] = [];
  const compare = (path: AttributePath, was: Value | undefined, is: Value | undefined) => {
    // Of the 64 slots of a block a change alters one, so most values need no conversion.
    if (sameValue(was, is)) return;
    const from = was !== undefined && attributeOf(was);
    const to = is !== undefined && attributeOf(is);
    if (from && to && JSON.stringify(from) === JSON.stringify(to)) return;
    changes.push({ path, ...(from && { before: from }), ...(to && { after: to }) });
  };
  for (const name of namesOf(before, after)) {
    if (KEY_NAMES.has(name)) continue;
    const [was, is] = [before?.[name], after?.[name]];
    if (was === undefined || is === undefined || !isMap(was) || !isMap(is))
      compare([name], was, is);
    else for (const entry of namesOf(was, is)) compare([name, entry], was[entry], is[entry]);
  }
  return changes;
}

/** Returns the names in two maps, each once. */
function namesOf(one: object = {}, other: object = {}): readonly string[] {
  const names = Object.keys(one);
  for (const name of Object.keys(other)) if (!Object.hasOwn(one, name)) names.push(name);
  return names;
}
