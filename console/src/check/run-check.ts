import { fromJson } from "../../../src/api/schema/json-values.ts";
import { type Contents, joinedContents } from "../../../src/invariants/contents.ts";
import { findViolations } from "../../../src/invariants/invariants.ts";
import type { Violation } from "../../../src/invariants/violation.ts";
import type { Api } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";

/** The findings over a space. */
export interface Checked {
  /** Findings that must never occur. */
  readonly problems: readonly Violation[];
  /** Left-overs that the next scheduled runs repair; some may be work in progress. */
  readonly untidy: readonly Violation[];
  readonly items: number;
  readonly at: Date;
}

interface Page {
  readonly contents: Readonly<Record<string, readonly unknown[]>>;
  readonly next?: string | undefined;
}

/**
 * Proves the invariants as `plat check` does: it reads all items of the space, and twice if there are findings, because
 * a walk over a table in use is no snapshot. It throws a `Rejection`.
 *
 * @param tell is called with the number of the items that were read so far
 */
export async function runCheck(
  api: Api,
  signal: AbortSignal,
  tell: (items: number) => void,
): Promise<Checked> {
  const look = async () => {
    const found: Contents[] = [];
    let items = 0;
    for await (const { contents } of pagesOf<Page>(api, { path: "contents", signal })) {
      // A server of another version may have more kinds of items, or fewer.
      found.push({ ...joinedContents([]), ...(fromJson(contents) as Partial<Contents>) });
      items += Object.values(contents).reduce((sum, list) => sum + list.length, 0);
      tell(items);
    }
    return { all: findViolations(joinedContents(found), { quiet: true }), contents: found, items };
  };
  const first = await look();
  const at = new Date();
  if (first.all.length === 0) return { problems: [], untidy: [], items: first.items, at };
  const second = await look();
  const seen = new Set(first.all.map(keyOf));
  const confirmed = second.all.filter((finding) => seen.has(keyOf(finding)));
  const never = new Set(findViolations(joinedContents(second.contents)).map(keyOf));
  return {
    problems: confirmed.filter((finding) => never.has(keyOf(finding))),
    untidy: confirmed.filter((finding) => !never.has(keyOf(finding))),
    items: second.items,
    at: new Date(),
  };
}

const keyOf = ({ invariant, message }: Violation): string => `${invariant} ${message}`;
