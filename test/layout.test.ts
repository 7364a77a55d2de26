import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/*
 * The rules for imports. The linter rejects circles of values; these rules apply to types and rooms as well. If a room
 * imports from another, no file of the other imports from it. So each room can be read, moved and tested without those
 * above it.
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

/** A room: the folder of a file. The items of a noun are a room of their own, above its rules and below the store. */
const roomOf = (path: string) =>
  /^src\/nouns\/\w+\/(?:[\w-]+-)?item\.ts$/.test(path) ? `${dirname(path)}/item` : dirname(path);

/** What a layer may import besides itself. */
interface Layer {
  readonly name: string;
  readonly has: RegExp;
  readonly imports: readonly string[];
  /** The only packages, with those of Node; without it, any. */
  readonly packages?: readonly string[];
}

/** The layers of the house, from the ground up. The first whose pattern a file has is its own. */
const LAYERS: readonly Layer[] = [
  {
    name: "store",
    has: /^src\/(?:table|store|kernel\/items)\/|^src\/nouns\/\w+\/(?:[\w-]+-)?item\.ts$/,
    imports: ["values"],
  },
  {
    name: "values",
    has: /^src\/(?:base|net|kernel\/values|selection|invariants)\/|^src\/nouns\/\w+\/[\w-]+\.ts$/,
    imports: [],
    packages: [],
  },
  { name: "kernel", has: /^src\/kernel\//, imports: ["values"], packages: [] },
  {
    name: "operations",
    has: /^src\/(?:nouns\/\w+\/operations|maintenance)\//,
    imports: ["values", "kernel"],
    packages: [],
  },
  {
    name: "doors",
    has: /^src\/(?:api\/(?:http|events)|nouns\/\w+\/serve|authorize)\/|^src\/netbox\/[\w-]+\.ts$/,
    imports: ["values", "kernel", "operations", "contract"],
  },
  {
    name: "contract",
    has: /^src\/(?:api|contract|(?:nouns\/\w+|netbox)\/contract)\//,
    imports: ["values"],
    packages: ["valibot", "@valibot/to-json-schema"],
  },
  { name: "wiring", has: /^src\/wiring\.ts$/, imports: ["values", "store", "kernel"] },
  { name: "client", has: /^src\/client\//, imports: ["values", "contract"] },
  { name: "constructs", has: /^src\/constructs\//, imports: ["values", "contract", "client"] },
  {
    name: "controller",
    has: /^src\/controller\//,
    imports: ["values", "kernel", "contract", "client", "cni"],
  },
  { name: "cni", has: /^src\/cni\//, imports: ["values", "contract", "client", "command"] },
  {
    name: "command",
    has: /^src\/cli\//,
    imports: ["values", "kernel", "contract", "doors", "client", "restore"],
  },
  { name: "rollback", has: /^src\/rollback\//, imports: [] },
  {
    name: "publish",
    has: /^src\/publish\//,
    imports: ["values", "store", "kernel", "operations", "contract", "doors"],
  },
  {
    name: "restore",
    has: /^src\/restore\//,
    imports: ["values", "store", "kernel", "operations", "contract", "doors", "wiring", "publish"],
  },
  {
    name: "local",
    has: /^src\/local\//,
    imports: ["values", "store", "kernel", "operations", "contract", "doors", "wiring", "publish"],
  },
];

const layerOf = (path: string) => LAYERS.find(({ has }) => has.test(path));

/** Returns the imports that a layer may not have: of a layer that it does not name, or of another package. */
function forbiddenIn(path: string, text: string): readonly string[] {
  const layer = layerOf(path);
  const specifiers = [...text.matchAll(/from "([^"]+)"/g)].map(([, specifier = ""]) => specifier);
  return specifiers
    .filter((specifier) => {
      if (!specifier.startsWith(".")) return !(layer?.packages?.includes(specifier) ?? true);
      const imported = normalize(join(dirname(path), specifier));
      if (!imported.startsWith("src/")) return false;
      const from = layerOf(imported)?.name ?? "none";
      return from !== layer?.name && !layer?.imports.includes(from);
    })
    .map((specifier) => `${path} (${layer?.name ?? "of no layer"}): ${specifier}`);
}

describe("the imports of the sources", () => {
  it("form no circle of files, types included", () => {
    expect(SOURCES.length).toBeGreaterThan(300);
    expect(circlesIn(importsBetween((path) => path))).toEqual([]);
  });

  it("form no circle of rooms", () => {
    expect(circlesIn(importsBetween(roomOf))).toEqual([]);
  });

  it("are those that the layer of the file may have", () => {
    expect(SOURCES.filter((path) => !layerOf(path))).toEqual([]);
    expect(SOURCES.flatMap((path) => forbiddenIn(path, readFileSync(path, "utf8")))).toEqual([]);
  });

  it("are seen where a layer may not have them", () => {
    const pool = "src/nouns/pool/pool.ts";
    expect(forbiddenIn(pool, 'from "./item.ts"; from "./network.ts"; from "valibot"')).toEqual([
      `${pool} (values): ./item.ts`,
      `${pool} (values): valibot`,
    ]);
    expect(forbiddenIn("src/kernel/assign/take.ts", 'from "../../table/table.ts"')).toEqual([
      "src/kernel/assign/take.ts (kernel): ../../table/table.ts",
    ]);
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

  it("lead out of it to types of the contract, to the fields that nouns declare, and to the pure functions of the check", () => {
    const leaving = CONSOLE.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^import .*"(\.[^"]+)";$/gm)]
        .filter(([, to = ""]) => !normalize(join(dirname(path), to)).startsWith("console/src/"))
        .map(([line]) => `${path}: ${line}`),
    );
    expect(leaving).toEqual([
      'console/src/acts/declared.ts: import type { Flag } from "../../../src/api/noun.ts";',
      'console/src/acts/quotas.tsx: import { QUOTA } from "../../../src/nouns/quota/contract/request.ts";',
      'console/src/acts/settings.tsx: import { SETTINGS } from "../../../src/nouns/settings/contract/request.ts";',
      'console/src/api/types.ts: import type * as answers from "../../../src/contract/answers.ts";',
      'console/src/api/types.ts: import type { SignIn } from "../../../src/nouns/console/contract/sign-in.ts";',
      'console/src/check/run-check.ts: import { fromJson } from "../../../src/api/schema/json-values.ts";',
      'console/src/check/run-check.ts: import { type Contents, joinedContents } from "../../../src/invariants/contents.ts";',
      'console/src/check/run-check.ts: import { findViolations } from "../../../src/invariants/invariants.ts";',
      'console/src/check/run-check.ts: import type { Violation } from "../../../src/invariants/violation.ts";',
      'console/src/pages/settings.tsx: import { SETTINGS } from "../../../src/nouns/settings/contract/request.ts";',
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

it("tests wait by `eventually`, because Vitest's own wait ends after a second, which is short on a busy machine", () => {
  const waiting = sourcesIn("test").filter((path) =>
    /\bvi\.waitFor\(/.test(readFileSync(path, "utf8")),
  );
  // The contract of a table names the time after which a read is consistent.
  expect(waiting.sort()).toEqual(["test/eventually.ts", "test/table/contract.ts"]);
});
