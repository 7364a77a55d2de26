import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { OPERATIONS } from "./catalogue.ts";

/**
 * The functions of the kernel and the operations that handlers call and that write nothing: reads, lists, previews,
 * and two tools.
 */
const WRITES_NOTHING = [
  "countAddresses",
  "explain",
  "freeInPrefix",
  "listAddresses",
  "listAffinities",
  "listAlarms",
  "listApplications",
  "listBlocks",
  "listContents",
  "listHandles",
  "listHosts",
  "listJobs",
  "listNamespaces",
  "listNodes",
  "listOrphans",
  "listPools",
  "listPrefixes",
  "listQuotas",
  "listReservations",
  "listSpaceAffinities",
  "poolHistory",
  "poolMap",
  "quotaUsage",
  "readAddress",
  "readApplication",
  "readBlock",
  "readCiliumNode",
  "readHandle",
  "readJob",
  "readNamespace",
  "readNode",
  "readPool",
  "readPrefixes",
  "readQuota",
  "readReservation",
  "readSettings",
  "readZones",
  "spaceUtilization",
  "utilization",
];

/** Those that only call operations that are walked, or write what no decision depends on. */
const OTHERS = ["amendPrefix", "keepUsage", "probe"];

it("every operation has a name of its own", () => {
  const names = OPERATIONS.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

it("walks everything that a handler calls and that writes", () => {
  const called = new Set(handlers().flatMap(importsOfWalks));
  const walked = wordsWalked();
  const left = [...called].filter((name) => !walked.has(name));
  expect(left.sort()).toEqual([...WRITES_NOTHING, ...OTHERS].sort());
});

const FUNCTIONS = new URL("../../functions/", import.meta.url);

const handlers = (): readonly string[] =>
  readdirSync(FUNCTIONS).map((file) => readFileSync(new URL(file, FUNCTIONS), "utf8"));

function importsOfWalks(source: string): readonly string[] {
  const imports = source.matchAll(
    /import \{([^}]*)\} from "\.\.\/src\/(?:kernel|maintenance|nouns\/\w+\/operations)\/[^"]*"/g,
  );
  return [...imports].flatMap(([, names = ""]) => names.match(/\b(?!type\b)\w+/g) ?? []);
}

/**
 * Returns every name in the `walk` of an operation, and in the functions of these tests that it
 * calls. Names that only prepare an operation, or repeat it, are left out.
 */
function wordsWalked(): ReadonlySet<string> {
  const operations = readdirSync(OPERATIONS_FOLDER)
    .filter((name) => !name.endsWith(".test.ts"))
    .map((name) => codeOf(`./${name}`))
    .filter((code) => code.includes(": readonly Operation[]"))
    .join("\n");
  const helpers = HELPERS.map(codeOf).join("\n");
  const declarations = new Map(
    `${helpers}\n${operations}`
      .split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
      .map((text) => [/(?:function|const) (\w+)/.exec(text)?.[1] ?? "", text]),
  );
  const walks = [
    ...(operations.match(/^ {4}walk: .*?(?=^ {4}\w+: )/gms) ?? []),
    ...(operations.match(/^ +make: \(context, seen\) =>.*?,$/gms) ?? []),
  ];
  const words = new Set(walks.flatMap(wordsIn));
  // A loop over a set also reaches the words that are added meanwhile.
  for (const word of words)
    for (const inner of wordsIn(declarations.get(word) ?? "")) words.add(inner);
  return words;
}

const OPERATIONS_FOLDER = new URL("./", import.meta.url);
const HELPERS = [
  "../indexes.ts",
  "../world.ts",
  "../scheduled-runs.ts",
  "../applications.ts",
  "../instances.ts",
  "../prefixes.ts",
  "../child-pools.ts",
  "../node-events.ts",
  "../cilium.ts",
  "../cilium-requests.ts",
];

const codeOf = (file: string): string =>
  readFileSync(new URL(file, import.meta.url), "utf8").replace(COMMENTS_AND_TEXTS, "");

const COMMENTS_AND_TEXTS = /\/\*\*.*?\*\/|\/\/.*?$|"[^"\n]*"/gms;

/** Returns the names in a text, without those after a dot. */
const wordsIn = (text: string): readonly string[] => text.match(/(?<![.\w])\w+/g) ?? [];
