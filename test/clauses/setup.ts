import { appendFileSync } from "node:fs";
import { afterEach, expect } from "vitest";
import { type Decision, observe } from "./observed.ts";
import { OBSERVED } from "./suites.ts";

/**
 * The file to which every test writes the parts that decided its writes. Without such a part the
 * test would run differently.
 */
const out = process.env[OBSERVED];
if (out !== undefined) {
  const decisions = new Map<string, Decision>();
  observe((_, decision) => {
    if (decision) decisions.set(`${decision.name} ${decision.step}`, decision);
  });

  afterEach(() => {
    const { testPath: file, currentTestName: test } = expect.getState();
    const line = JSON.stringify({ file, test, decisions: [...decisions.values()] });
    appendFileSync(out, `${line}\n`);
    decisions.clear();
  });
}
