import { existsSync, readFileSync } from "node:fs";

/** The pages with tables that name a test for each row. */
export const PAGES = ["docs/calico.md", "docs/spiderpool.md"];

/** A row of such a table. */
export interface Row {
  /** The first cells: for a method its number and its name. */
  readonly groups: readonly string[];
  readonly tests: readonly NamedTest[];
}

export interface NamedTest {
  readonly file: string;
  /** The names of its suites, the outermost first, and its own name. */
  readonly path: readonly string[];
}

/** Returns the rows of a page by the heading above their table. A table before the first heading has none. */
export function rowsOfPage(page: string): ReadonlyMap<string, readonly Row[]> {
  const tables = new Map<string, Row[]>();
  let heading = "";
  for (const line of readFileSync(page, "utf8").split("\n")) {
    if (line.startsWith("## ")) heading = line.slice(3);
    if (!line.startsWith("| ")) continue;
    const groups = line.slice(2, -2).split(" | ");
    if (groups.at(-1) === "test") continue; // the head of a table
    const rows = tables.get(heading) ?? [];
    tables.set(heading, [
      ...rows,
      { groups: groups.slice(0, -1), tests: testsIn(groups.at(-1) ?? "") },
    ]);
  }
  return tables;
}

function testsIn(group: string): NamedTest[] {
  if (group === "–") return [];
  return group.split("<br>").map((text) => {
    const [, name = ""] = /^`(.+)`$/.exec(text) ?? [];
    const [file = "", ...path] = name.split(" › ");
    return { file, path };
  });
}

/** Returns the tests of all rows of a page. */
export const testsOfPage = (page: string): readonly NamedTest[] =>
  [...rowsOfPage(page).values()].flat().flatMap(({ tests }) => tests);

/**
 * Returns true if the source of a test has it under these suites. The report of the run shows whether it passed
 * (`calico/passed.ts`).
 */
export function isThere({ file, path }: NamedTest): boolean {
  if (!existsSync(file)) return false;
  const source = readFileSync(file, "utf8");
  // Searches each title after the title of its suite.
  let from = 0;
  return path.every((title, i) => {
    const opening = i < path.length - 1 ? "describe(" : "it(";
    const at = source.indexOf(`${opening}${JSON.stringify(title)}, `, from);
    from = at + 1;
    return at >= 0;
  });
}

export const nameOf = ({ file, path }: NamedTest): string => [file, ...path].join(" › ");
