import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import runtime from "../twin/runtime/package.json" with { type: "json" };
import openApiTools from "./openapi/package.json" with { type: "json" };

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("says of every dependency what it is for, and of nothing else", () => {
  const [, table = ""] = /\n## Dependencies\n(.*?)\n## /s.exec(README) ?? [];
  const named = [...table.matchAll(/^\| (.*) \| .+ \|$/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  expect(named.sort()).toEqual(
    Object.keys({
      ...dependencies,
      ...optionalDependencies,
      ...devDependencies,
      ...runtime.dependencies,
      ...openApiTools.dependencies,
    }).sort(),
  );
});

it("names only commands that there are", () => {
  const named = [...README.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
});
