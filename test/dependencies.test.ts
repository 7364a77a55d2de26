import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };

/** The folders with packages of their own, which are installed when they are first needed. */
const FOLDERS = [
  "bench/speed",
  "test/console",
  "test/openapi",
  "test/pack",
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
  const { optionalDependencies, devDependencies } = manifest;
  const own = FOLDERS.map((folder) => jsonOf(`${folder}/package.json`).dependencies);
  expect(named.sort()).toEqual(
    Object.keys(Object.assign({}, optionalDependencies, devDependencies, ...own)).sort(),
  );
});
