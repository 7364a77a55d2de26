import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { canBreak, HARMLESS_TO, LONG_TESTS } from "./suites.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SCRIPTS: Readonly<Record<string, string>> = manifest.scripts;

/** Programs that come with Node.js. */
const WITH_NODE: ReadonlySet<string> = new Set(["node", "npm"]);

const commandsOf = (script: string): readonly string[] => script.split(" && ");

/** Returns the files that a command names: its program, its configuration, what it bundles. */
const filesOf = (command: string): readonly string[] =>
  command.split(" ").filter((word) => /^[\w./-]+\.(ts|mjs|json)$/.test(word));

describe.each(Object.entries(SCRIPTS))("npm run %s", (_name, script) => {
  it("names programs, scripts and files that there are", () => {
    for (const command of commandsOf(script)) {
      const words = command.split(" ").filter((word) => !/^[A-Z_]+=/.test(word));
      const [program = ""] = words;
      const isInstalled =
        WITH_NODE.has(program) || existsSync(join(ROOT, "node_modules/.bin", program));
      expect({ command, isInstalled }).toEqual({ command, isInstalled: true });
      const [, verb, called = ""] = words;
      if (program === "npm" && verb === "run") expect(Object.keys(SCRIPTS)).toContain(called);
      expect(filesOf(command).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    }
  });
});

const ENTRIES = [
  ...new Set(
    Object.values(SCRIPTS)
      .flatMap(commandsOf)
      .flatMap(filesOf)
      .filter((file) => file.endsWith(".ts")),
  ),
];

/** Returns the source files that the scripts load. An import that leads nowhere is an error. */
async function loaded(): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: "never-written",
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  return Object.keys(metafile.inputs);
}

const PLACES = [
  // A file beside the one that names it.
  /new URL\(\s*"(\.{0,2}[\w./-]+\.(?:ts|mjs))",\s*import\.meta\.url/g,
  // A file of tests, from the root.
  /"(test\/[\w./-]+\.ts)"/g,
] as const;

it("what the scripts load, and the files that it names, are there", async () => {
  const sources = await loaded();
  expect(sources.length).toBeGreaterThan(ENTRIES.length);
  const named = sources.flatMap((source) => {
    const text = readFileSync(join(ROOT, source), "utf8");
    const [beside, fromRoot] = PLACES.map((place) => [...text.matchAll(place)]);
    return [
      ...(beside ?? []).map(([, file = ""]) => ({ source, file: join(dirname(source), file) })),
      ...(fromRoot ?? []).map(([, file = ""]) => ({ source, file })),
    ];
  });
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
});

describe("the suites of minutes", () => {
  it("name files that there are", () => {
    expect(LONG_TESTS.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("name folders that there are as harmless", () => {
    const folders = [...new Set(Object.values(HARMLESS_TO).flat())];
    const files = [
      "console",
      "docs",
      "bench",
      "cdk",
      "functions",
      "model",
      "pack",
      "src",
      "terraform",
      "test",
      "twin",
    ].flatMap((top) =>
      readdirSync(join(ROOT, top), { recursive: true, encoding: "utf8" }).map(
        (path) => `${top}/${path}`,
      ),
    );
    expect(folders.filter((folder) => files.every(canBreak([folder])))).toEqual([]);
  });

  it.each([
    "src/kernel/assign/assign.ts",
    "src/nouns/pool/operations/put-pool.ts",
    "test/operations/calls.ts",
    "package.json",
  ])("are broken by a change of %s, whatever runs them", (path) => {
    expect(canBreak(HARMLESS_TO.faults)(path)).toBe(true);
    expect(canBreak(HARMLESS_TO.processes)(path)).toBe(true);
  });

  it("are not broken by a change of a page", () => {
    expect(canBreak([])("README.md")).toBe(false);
  });

  it.each(["src/nouns/pool/contract/request.ts", "test/nouns/pool/serve/request.test.ts"])(
    "have no faults by a change of %s, which the kernel never reads",
    (path) => {
      expect(canBreak(HARMLESS_TO.faults)(path)).toBe(false);
    },
  );
});
