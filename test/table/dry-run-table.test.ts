import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { absent } from "../../src/table/clause.ts";
import { dryRunTable } from "../../src/table/dry-run-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { anyWrite } from "./contract.ts";

const anyWrites = fc.array(anyWrite, { maxLength: 12 });

describe("a table that keeps its writes to itself", () => {
  it("judges any run of writes, and reads what they left, as the table under it would", async () => {
    await fc.assert(
      fc.asyncProperty(anyWrites, anyWrites, async (before, writes) => {
        const [table, twin] = [new InMemoryTable(), new InMemoryTable()];
        for (const write of before) for (const each of [table, twin]) await each.write(write);
        const dryRunOf = dryRunTable(table);
        for (const write of writes)
          expect(await dryRunOf.write(write)).toEqual(await twin.write(write));
        expect(await dryRunOf.query("")).toEqual(await twin.query(""));
        const part = { only: ["a"] };
        expect(await dryRunOf.query("", part)).toEqual(await twin.query("", part));
        const page = { after: "i", limit: 1 };
        expect(await dryRunOf.query("", page)).toEqual(await twin.query("", page));
        for (const sk of ["i", "j"])
          expect(await dryRunOf.get({ pk: "", sk })).toEqual(await twin.get({ pk: "", sk }));
      }),
      { seed: 20 },
    );
  });

  it("writes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(anyWrites, anyWrites, async (before, writes) => {
        const table = new InMemoryTable();
        for (const write of before) await table.write(write);
        const items = table.items();
        const dryRunOf = dryRunTable(table);
        for (const write of writes) await dryRunOf.write(write);
        expect(table.items()).toEqual(items);
      }),
      { seed: 20 },
    );
  });

  it("lets one of many creations at once be done", async () => {
    const dryRunOf = dryRunTable(new InMemoryTable());
    const item = { pk: "p", sk: "s" };
    const creation = {
      step: "create",
      key: item,
      when: [absent("absent", "pk")],
      change: { kind: "put", item },
    } as const;
    const outcomes = await Promise.all([1, 2, 3].map(() => dryRunOf.write(creation)));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["done", "lost", "lost"]);
  });
});
