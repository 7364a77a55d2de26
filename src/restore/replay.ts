import { isMap } from "../table/clause.ts";
import type { Item, Key, Value } from "../table/item.ts";
import { RestoreError } from "./restore-error.ts";
import { textOfValue } from "./text-of-value.ts";
import type { LineChange, ParsedTrailLine } from "./trail-line.ts";

/**
 * Returns the item to which the lines of the audit trail lead; nothing if they end with its deletion.
 *
 * The item may stand anywhere on the way of the lines: before the first, after the last, or between two of them. So a replay may begin
 * before the restore point, and may run again. Each line has the values that it found, so a missing line shows.
 *
 * @param item the item in the restored table; nothing if there is none
 * @param lines the lines of this item, at least one, in any order, and also twice
 * @throws {RestoreError} if the item stands nowhere on their way, or if one line does not follow from another
 */
export function replayed(
  item: Item | undefined,
  lines: readonly ParsedTrailLine[],
): Item | undefined {
  const ordered = inOrder(lines);
  const [first] = ordered;
  if (!first) return item;
  const ways = waysOf(ordered);
  const isOnWay = positionsOf(item, ways, ordered.length).includes(ways.size);
  if (!isOnWay)
    throw new RestoreError(
      `the item ${first.key.pk} ${first.key.sk} is as no line of the audit trail left it: lines before ${first.place} or between it and the last are missing`,
    );
  return withEnds(first.key, item, ways);
}

/** A part of an item: the item itself, an attribute, or an entry of a map. */
type Part = readonly string[];

/** The values that a part had, one after the other: `steps[n]` led from value n to value n + 1. */
interface Way {
  readonly part: Part;
  readonly values: [Held, ...Held[]];
  /** The numbers of the lines that changed it, in their order. */
  readonly steps: number[];
}

/** A value of a part, and its text, by which values are compared. The text is empty if the part is absent. */
interface Held {
  readonly text: string;
  readonly value?: Value;
}

const ABSENT: Held = { text: "" };
const THERE: Held = { text: "there" };
const ITSELF: Part = [];

function inOrder(lines: readonly ParsedTrailLine[]): readonly ParsedTrailLine[] {
  const bySequence = new Map(lines.map((line) => [line.sequence, line]));
  return [...bySequence.values()].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
}

/**
 * Returns the way of each part that a line changed.
 *
 * @throws {RestoreError} if a line found another value than the line before it left
 */
function waysOf(lines: readonly ParsedTrailLine[]): ReadonlyMap<string, Way> {
  const ways = new Map<string, Way>();
  for (const [n, line] of lines.entries())
    for (const { part, before, after } of stepsOf(line)) {
      const name = JSON.stringify(part);
      const way = ways.get(name) ?? { part, values: [before], steps: [] };
      if (way.values.at(-1)?.text !== before.text)
        throw new RestoreError(
          `${line.place} found another value of ${part.join(".") || "the item"} of ${line.key.pk} ${line.key.sk} than the line before it left: lines between them are missing, or another table or Region wrote one of the two`,
        );
      way.values.push(after);
      way.steps.push(n);
      ways.set(name, way);
    }
  return ways;
}

interface Step {
  readonly part: Part;
  readonly before: Held;
  readonly after: Held;
}

function stepsOf({ item, changes }: ParsedTrailLine): readonly Step[] {
  const existence: Step = {
    part: ITSELF,
    before: item === "created" ? ABSENT : THERE,
    after: item === "deleted" ? ABSENT : THERE,
  };
  return [existence, ...changes.flatMap(stepsOfChange)];
}

/** Returns the change of an attribute, and those of its entries if it is a map. */
function stepsOfChange({ path, before, after }: LineChange): readonly Step[] {
  const whole: Step = { part: path, before: heldOf(before, path), after: heldOf(after, path) };
  if (path.length > 1) return [whole];
  const from = entriesOf(before);
  const to = entriesOf(after);
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [
    whole,
    ...[...names].map((name) => {
      const part = [...path, name];
      return { part, before: heldOf(from[name], part), after: heldOf(to[name], part) };
    }),
  ];
}

const entriesOf = (value: Value | undefined): Readonly<Record<string, Value>> =>
  value !== undefined && isMap(value) ? value : {};

/** A map as an attribute is there or not; its entries are parts of their own. */
function heldOf(value: Value | undefined, { length }: Part): Held {
  if (value === undefined) return ABSENT;
  if (length === 1 && isMap(value)) return THERE;
  return { text: textOfValue(value), value };
}

function heldIn(item: Item | undefined, part: Part): Held {
  if (!item) return ABSENT;
  const [attribute, entry] = part;
  if (attribute === undefined) return THERE;
  const value = item[attribute];
  return heldOf(entry === undefined ? value : entriesOf(value)[entry], part);
}

/**
 * Returns, for each position between the lines, on the ways of how many parts the item stands there. Position n is after n lines.
 */
function positionsOf(
  item: Item | undefined,
  ways: ReadonlyMap<string, Way>,
  lines: number,
): readonly number[] {
  const changes = new Array<number>(lines + 2).fill(0);
  const add = (at: number, count: number) => {
    changes[at] = (changes[at] ?? 0) + count;
  };
  for (const { part, values, steps } of ways.values()) {
    const { text } = heldIn(item, part);
    for (const [n, held] of values.entries()) {
      if (held.text !== text) continue;
      // The part has value n from after its step n - 1 until before its step n.
      add(n === 0 ? 0 : (steps[n - 1] ?? 0) + 1, 1);
      add((steps[n] ?? lines) + 1, -1);
    }
  }
  let agreeing = 0;
  return changes.slice(0, lines + 1).map((change) => {
    agreeing += change;
    return agreeing;
  });
}

/** Returns the item with the last value of each part. */
function withEnds(
  { pk, sk }: Key,
  item: Item | undefined,
  ways: ReadonlyMap<string, Way>,
): Item | undefined {
  if (ways.get(JSON.stringify(ITSELF))?.values.at(-1) === ABSENT) return undefined;
  const ended: Record<string, Value> = { ...item, pk, sk };
  // The shorter parts come first, so that a map is there before its entries.
  const ordered = [...ways.values()].sort((a, b) => a.part.length - b.part.length);
  for (const { part, values } of ordered) {
    const [attribute, entry] = part;
    const end = values.at(-1) ?? ABSENT;
    if (attribute === undefined) continue;
    if (entry === undefined) {
      if (end === ABSENT) delete ended[attribute];
      else ended[attribute] = end === THERE ? entriesOf(ended[attribute]) : (end.value as Value);
      continue;
    }
    const map = ended[attribute];
    if (map === undefined || !isMap(map)) continue;
    const { [entry]: _, ...others } = map;
    ended[attribute] = end.value === undefined ? others : { ...others, [entry]: end.value };
  }
  return ended as Item;
}
