import { appendFileSync } from "node:fs";
import { afterEach, expect } from "vitest";
import { observe } from "./observed.ts";
import { OBSERVED } from "./suites.ts";

/**
 * The file to which every test writes the parts that decided its writes. Without such a part the
 * test would run differently.
 */
const out = process.env[OBSERVED];
if (out !== undefined) {
  const names = new Set<string>();
  observe((_, decision) => {
    if (decision) names.add(decision.name);
  });

  afterEach(() => {
    const { testPath: file, currentTestName: test } = expect.getState();
    const line = JSON.stringify({ file, test, names: [...names] });
    appendFileSync(out, `${line}\n`);
    names.clear();
  });
}
