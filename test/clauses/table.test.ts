import { describe, expect, it } from "vitest";
import { OPERATIONS, prepared } from "../simulation/operations.ts";
import { simulate } from "../simulation/run.ts";
import { contextOver } from "../world.ts";
import { EXCUSED } from "./excused.ts";
import { observe } from "./observed.ts";
import { nameOf } from "./parts.ts";
import { namesInTable } from "./table.ts";

/** The number of runs that, with the operations, come across nearly all parts. */
const RUNS = 30;
/** Many times the duration on a machine without other load. */
const TEST_MS_MAX = 300_000;

describe("the table of clauses in docs/protocol.md", { timeout: TEST_MS_MAX }, () => {
  it("has a line for every clause and every fence that a walk comes by", async () => {
    const met = new Set<string>();
    const kinds = new Map<string, Set<string>>();
    const end = observe((write, decision) => {
      for (const clause of write.when) {
        const name = nameOf(clause, write);
        met.add(name);
        kinds.set(name, (kinds.get(name) ?? new Set()).add(write.change.kind));
      }
      if (decision?.kind === "fence") met.add(decision.name);
    });
    for (const operation of OPERATIONS) {
      const { world, told } = await prepared(operation);
      await operation.walk(contextOver(world.table, world.clock, 2), told);
    }
    for (let seed = 1; seed <= RUNS; seed++) await simulate({ seed });
    end();
    expect(met.size).toBeGreaterThan(60);
    expect([...met].filter((name) => !namesInTable().has(name))).toEqual([]);
    // A part is left out as a whole, so a name that two kinds of writes share must be split into
    // two names.
    expect([...kinds].filter(([, some]) => some.size > 1)).toEqual([]);
  });

  it("has all that is excused", () => {
    expect(Object.keys(EXCUSED).filter((name) => !namesInTable().has(name))).toEqual([]);
  });
});
