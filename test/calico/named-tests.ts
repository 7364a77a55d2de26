import { readFileSync } from "node:fs";

/** A row of a table in docs/calico.md that names its tests. */
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

const PAGE = new URL("../../docs/calico.md", import.meta.url);

/** Returns the rows of the page by the heading above their table. The first table has no heading. */
export function rowsOfPage(): ReadonlyMap<string, readonly Row[]> {
  const tables = new Map<string, Row[]>();
  let heading = "";
  for (const line of readFileSync(PAGE, "utf8").split("\n")) {
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

export const nameOf = ({ file, path }: NamedTest): string => [file, ...path].join(" › ");
