import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { OPERATIONS, prepared } from "../operations/catalogue.ts";
import { contextOver } from "../world.ts";
import { EXCUSED } from "./excused.ts";
import { watchClauses } from "./met.ts";
import { namesInTable } from "./table.ts";

const FENCE = /\bfence\([^)]*?"([\w-]+)"/g;

describe("the table of clauses in docs/protocol.md", () => {
  // `test/simulation/sample.test.ts` says the same of what the simulated runs come by.
  it("has a line for every clause and every fence that an operation comes by", async () => {
    const met = watchClauses();
    for (const operation of OPERATIONS) {
      const { world, told } = await prepared(operation);
      await operation.walk(contextOver(world.table, world.clock, 2), told);
    }
    met.end();
    expect(met.names.size).toBeGreaterThan(60);
  });

  it("has every fence that a test makes, because a name of its own would be a fence that nothing notices", () => {
    const tests = fileURLToPath(new URL("..", import.meta.url));
    const made = readdirSync(tests, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .flatMap((file) => [...readFileSync(`${tests}${file}`, "utf8").matchAll(FENCE)])
      .map(([, name = ""]) => name);
    expect(made.length).toBeGreaterThan(1);
    expect(made.filter((name) => !namesInTable().has(name))).toEqual([]);
  });

  it("has all that is excused", () => {
    expect(Object.keys(EXCUSED).filter((name) => !namesInTable().has(name))).toEqual([]);
  });
});
