import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };

/** The folders with packages of their own, which are installed when they are first needed. */
const FOLDERS = [
  "bench/speed",
  "test/console",
  "test/openapi",
  "test/pack",
  "test/pack/lowest",
  "test/prose",
  "twin/runtime",
];

/** The most that `npm ci` may install: a stranger waits for it first. */
const PACKAGES_MAX = 190;

/** An entry of a lock file. */
interface Locked {
  readonly resolved?: string;
  readonly inBundle?: true;
}

const jsonOf = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const lockedIn = (folder: string): Readonly<Record<string, Locked>> =>
  jsonOf(`${folder}/package-lock.json`).packages;

it("npm ci installed 190 packages at most", () => {
  // npm notes here what it installed. Packages inside of others are not its work.
  const { packages } = jsonOf("node_modules/.package-lock.json");
  const installed = Object.values<Locked>(packages).filter(({ inBundle }) => !inBundle);
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.length).toBeLessThanOrEqual(PACKAGES_MAX);
});

describe.each([".", ...FOLDERS])("the packages of %s", (folder) => {
  it("have exact versions", () => {
    const { dependencies, devDependencies, optionalDependencies } = jsonOf(
      `${folder}/package.json`,
    );
    const versions = Object.values<string>({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    });
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it("come from the registry of whoever installs them", () => {
    const named = Object.values(lockedIn(folder)).flatMap(({ resolved }) => resolved ?? []);
    expect(named).toEqual([]);
  });
});

it("docs/dependencies.md says of every dependency what it is for, and of nothing else", () => {
  const page = readFileSync("docs/dependencies.md", "utf8");
  const named = [...page.matchAll(/^\| (`.*`.*) \| .+ \|$/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  const own = FOLDERS.map((folder) => jsonOf(`${folder}/package.json`).dependencies);
  expect(named.sort()).toEqual(
    Object.keys(
      Object.assign({}, dependencies, optionalDependencies, devDependencies, ...own),
    ).sort(),
  );
});

it("what src and functions import is no tool of development, so that a server starts without those", () => {
  const files = ["src", "functions"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name}`),
  );
  const imported = files.flatMap((file) =>
    [
      ...readFileSync(file, "utf8")
        .replaceAll(/^import type [^;]+;/gm, "")
        .matchAll(/^(?! *(?:\*|\/\/)).*(?:from|import\() ?"((?:@[\w.-]+\/)?[\w.-]+)/gm),
    ]
      .map(([, name = ""]) => name)
      .filter((name) => !name.startsWith(".")),
  );
  const allowed = new Set(
    Object.keys({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    }),
  );
  const missing = [...new Set(imported)].filter(
    (name) => !allowed.has(name) && name !== "node" && name !== manifest.name,
  );
  expect(missing).toEqual([]);
});
