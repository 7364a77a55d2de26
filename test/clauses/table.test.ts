import { describe, expect, it } from "vitest";
import { OPERATIONS, prepared } from "../simulation/operations.ts";
import { simulate } from "../simulation/run.ts";
import { contextOver } from "../world.ts";
import { EXCUSED } from "./excused.ts";
import { observe } from "./observed.ts";
import { namesInTable } from "./table.ts";

/** With the operations they come by nearly all there is. */
const RUNS = 30;

describe("the table of clauses in docs/protocol.md", () => {
  it("has a line for every clause and every fence that a walk comes by", async () => {
    const met = new Set<string>();
    const end = observe(({ when }, decision) => {
      for (const { name } of when) met.add(name);
      if (decision) met.add(decision.name);
    });
    for (const operation of OPERATIONS) {
      const { world, told } = await prepared(operation);
      await operation.walk(contextOver(world.table, world.clock, 2), told);
    }
    for (let seed = 1; seed <= RUNS; seed++) await simulate({ seed });
    end();
    expect(met.size).toBeGreaterThan(60);
    expect([...met].filter((name) => !namesInTable().has(name))).toEqual([]);
  });

  it("has all that is excused", () => {
    expect(Object.keys(EXCUSED).filter((name) => !namesInTable().has(name))).toEqual([]);
  });
});
