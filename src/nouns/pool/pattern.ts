import { type Parsed, parsed, unreadable } from "../../net/address.ts";

/** A pattern over the names of pools: for each of its characters or classes a test, or `*` for any run of characters. */
export type PoolPattern = readonly ("*" | ((character: string) => boolean))[];

/** Returns true for a text with a character of patterns, which no name has. */
export const isPattern = (text: string): boolean => /[*?[\]]/.test(text);

/**
 * Parses a pattern as Go's `filepath.Match` reads it, which Spiderpool uses: `*`, `?`, and classes such as `[a-c]` and
 * `[^a-c]`. Names of pools have no character that needs a backslash. A range in reverse is a problem, because it matches
 * nothing.
 */
export function parsePattern(text: string): Parsed<PoolPattern> {
  const parts: PoolPattern[number][] = [];
  for (const [part, members] of text.matchAll(/\[([^[\]]*)\]|./gsu)) {
    if (members !== undefined) {
      const isNegated = members.startsWith("^");
      const ranges = rangesIn(isNegated ? members.slice(1) : members);
      if (!ranges) return unreadable(`has ${part}, which is no class such as [a-c] or [^a-c]`);
      parts.push((character) => isNegated !== ranges.some((range) => isWithin(range, character)));
    } else if (part === "*") parts.push("*");
    else if (part === "?") parts.push(() => true);
    else if (/[a-z0-9.-]/.test(part)) parts.push((character) => character === part);
    else return unreadable(`has ${part}, which belongs to no class and to no name of a pool`);
  }
  return parsed(parts);
}

type Range = readonly [first: string, last: string];

const isWithin = ([first, last]: Range, character: string): boolean =>
  first <= character && character <= last;

/** Returns the ranges of a class, a single character as a range of one; nothing if it is malformed. */
function rangesIn(members: string): readonly Range[] | undefined {
  if (!/^([a-z0-9.](-[a-z0-9.])?)+$/.test(members)) return undefined;
  const ranges = [...members.matchAll(/(.)(?:-(.))?/g)].map(
    ([, first = "", last = first]): Range => [first, last],
  );
  return ranges.every(([first, last]) => first <= last) ? ranges : undefined;
}

/**
 * Returns true if a pattern matches the whole of a name. After a mismatch it continues from its last `*` only: whatever
 * an earlier one matched, the last can match the rest. So the time is at most the product of both lengths.
 */
export function matchesPattern(pattern: PoolPattern, name: string): boolean {
  let run: { readonly part: number; readonly from: number } | undefined;
  let part = 0;
  let at = 0;
  while (at < name.length || part < pattern.length) {
    const wanted = pattern[part];
    if (wanted === "*") {
      run = { part, from: at };
      part++;
    } else if (at < name.length && wanted?.(name.charAt(at))) {
      part++;
      at++;
    } else if (run && run.from < name.length) {
      run = { part: run.part, from: run.from + 1 };
      part = run.part + 1;
      at = run.from;
    } else return false;
  }
  return true;
}
