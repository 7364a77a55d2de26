import { describe, expect, it } from "vitest";
import { OPERATIONS, prepared } from "../operations/catalogue.ts";
import { contextOver } from "../world.ts";
import { EXCUSED } from "./excused.ts";
import { watchClauses } from "./met.ts";
import { namesInTable } from "./table.ts";

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

  it("has all that is excused", () => {
    expect(Object.keys(EXCUSED).filter((name) => !namesInTable().has(name))).toEqual([]);
  });
});
