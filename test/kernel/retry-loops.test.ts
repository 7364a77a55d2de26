import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** The one file that repeats a step, and counts its tries. */
const PRIMITIVE = "src/kernel/core/compare-and-swap.ts";

/** The loops that repeat something other than a step, and the reason why `untilAnswered` cannot run them. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "src/kernel/assign/select-slots.ts":
    "A turn that finds a block is progress, so only some turns count.",
};

/** A loop whose head counts tries or rounds. */
const COUNTED =
  /\b(?:for|while) \([^{}]*\b(?:attempts?|tries|triesMax|rounds?|[A-Z_]*(?:TRIES|ROUNDS)_MAX)\b/;

const FOLDERS = ["src/kernel", "src/nouns", "src/maintenance"];

const countedLoops = () =>
  FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  )
    .filter((path) => path.endsWith(".ts"))
    .filter((path) => COUNTED.test(readFileSync(path, "utf8")));

describe("the loops of the kernel and the operations", () => {
  it("count tries in the primitive alone, and where a reason says why", () => {
    const loops = countedLoops();
    expect(loops).toContain(PRIMITIVE);
    const others = loops.filter((path) => path !== PRIMITIVE);
    expect(others.filter((path) => !(path in EXCEPTIONS))).toEqual([]);
  });

  it.each([
    "for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {",
    "for (let before = 0; before < triesMax; before++) {",
    "for (let tries = 0, waits = 0; tries < CLAIM_TRIES_MAX; ) {",
    "for (let round = 0; round < ASSIGN_ROUNDS_MAX; round++) {",
    "while (n++ < TAKE_TRIES_MAX) {",
  ])("are seen: %s", (loop) => {
    expect(loop).toMatch(COUNTED);
  });

  it.each([
    "for (const block of blocks) add(block);",
    "while (items.length < cidrs.length) {",
    "for (const each of all) { return untilAnswered({ triesMax: SWAP_TRIES_MAX, exhausted }, step); }",
  ])("do not count, and may stand anywhere: %s", (loop) => {
    expect(loop).not.toMatch(COUNTED);
  });
});
