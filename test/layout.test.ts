import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/*
 * The rules for imports. The linter rejects circles of values; these rules apply to types and folders as well. If a
 * folder imports from another, no file of the other imports from it. So each folder can be read, moved and tested
 * without those above it.
 */

const sourcesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path));

const SOURCES = sourcesIn("src");
const CONSOLE = sourcesIn("console/src");

/** The edges of a graph: from a file or folder to its imports. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>;

const importsOfFile = (path: string) =>
  [...readFileSync(path, "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, specifier = ""]) =>
    normalize(join(dirname(path), specifier)),
  );

const importsBetween = (placeOf: (path: string) => string, sources = SOURCES): Imports => {
  const edges = new Map<string, Set<string>>();
  for (const path of sources)
    for (const imported of importsOfFile(path)) {
      const [from, to] = [placeOf(path), placeOf(imported)];
      if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
    }
  return edges;
};

/** Returns the edges on circles: imports from which a path leads back. */
function circlesIn(imports: Imports): readonly string[] {
  const reachedFrom = (start: string) => {
    const seen = new Set<string>();
    const open = [start];
    for (let place = open.pop(); place !== undefined; place = open.pop())
      for (const next of imports.get(place) ?? [])
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
    return seen;
  };
  const reached = new Map([...imports.keys()].map((place) => [place, reachedFrom(place)]));
  return [...imports].flatMap(([place, to]) =>
    [...to].filter((next) => reached.get(next)?.has(place)).map((next) => `${place} → ${next}`),
  );
}

describe("the imports of the sources", () => {
  it("form no circle of files, types included", () => {
    expect(SOURCES.length).toBeGreaterThan(300);
    expect(circlesIn(importsBetween((path) => path))).toEqual([]);
  });

  it("form no circle of folders", () => {
    expect(circlesIn(importsBetween(dirname))).toEqual([]);
  });

  it("are seen in a circle that there is", () => {
    const imports = new Map([
      ["a", new Set(["b"])],
      ["b", new Set(["c"])],
      ["c", new Set(["a"])],
      ["d", new Set(["a"])],
    ]);
    expect(circlesIn(imports)).toEqual(["a → b", "b → c", "c → a"]);
  });
});

describe("the imports of the console", () => {
  it("form no circle of files or folders", () => {
    expect(CONSOLE.length).toBeGreaterThan(30);
    expect(circlesIn(importsBetween((path) => path, CONSOLE))).toEqual([]);
    expect(circlesIn(importsBetween(dirname, CONSOLE))).toEqual([]);
  });

  it("lead out of it to types of the contract, and to the pure functions of the check", () => {
    const leaving = CONSOLE.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^import .*"(\.[^"]+)";$/gm)]
        .filter(([, to = ""]) => !normalize(join(dirname(path), to)).startsWith("console/src/"))
        .map(([line]) => `${path}: ${line}`),
    );
    expect(leaving).toEqual([
      'console/src/api/types.ts: import type * as answers from "../../../src/contract/answers/answers.ts";',
      'console/src/api/types.ts: import type { SignIn } from "../../../src/contract/console.ts";',
      'console/src/check/run-check.ts: import { fromJson } from "../../../src/contract/schema/json-values.ts";',
      'console/src/check/run-check.ts: import { type Contents, together } from "../../../src/domain/contents.ts";',
      'console/src/check/run-check.ts: import { findViolations } from "../../../src/domain/invariants.ts";',
      'console/src/check/run-check.ts: import type { Violation } from "../../../src/domain/violation.ts";',
    ]);
  });
});

/** Returns the texts of the files that a program loads, by their paths. Imports of types load nothing. */
function loadedBy(program: string): ReadonlyMap<string, string> {
  const loaded = new Map<string, string>();
  const open = [program];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue;
    const text = readFileSync(path, "utf8");
    const imports = [...text.matchAll(/^(?:import|export) (?!type )[^;"]*?from "([^"]+)"/gm)];
    const modules = imports.map(([, specifier = ""]) => specifier);
    loaded.set(path, text);
    const own = modules.filter((each) => each.startsWith(".") && each.endsWith(".ts"));
    const folder = dirname(path);
    open.push(...own.map((each) => normalize(join(folder, each))));
  }
  return loaded;
}

describe("the programs of package.json", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const programs = Object.values<string>(scripts).flatMap((script) =>
    [...script.matchAll(/node (?:--\S+ )*--import tsx (\S+\.ts)/g)].map(([, path = ""]) => path),
  );

  // Vitest lets nobody else call them.
  const HOOK = /^(?:before|after)(?:Each|All)\(/m;

  it.each(programs)("%s loads no hooks of tests, so that it starts", (program) => {
    const loaded = loadedBy(program);
    expect(loaded.size).toBeGreaterThan(0);
    const hooking = [...loaded].filter(([, text]) => HOOK.test(text));
    expect(hooking.map(([path]) => path)).toEqual([]);
  });

  it("are seen to load a hook if they do", () => {
    const loaded = [...loadedBy("test/setup.ts")].filter(([, text]) => HOOK.test(text));
    expect(loaded.map(([path]) => path)).toEqual(["test/setup.ts"]);
  });

  it("and no helper of tests has one, which would run for the first file of a worker only", () => {
    const helpers = sourcesIn("test").filter((path) => !path.endsWith(".test.ts"));
    const hooking = helpers.filter((path) => HOOK.test(readFileSync(path, "utf8")));
    expect(hooking).toEqual(["test/setup.ts"]);
  });
});
