import { describe, expect, it } from "vitest";
import { countedTable, countingInto, noWrites } from "../src/counted-table.ts";
import { equals } from "../src/store/clause.ts";
import { InMemoryTable } from "../src/store/in-memory-table.ts";

const put = (step: string, sk: string, when: readonly ReturnType<typeof equals>[] = []) =>
  ({ step, key: { pk: "p", sk }, when, change: { kind: "put", item: { pk: "p", sk } } }) as const;
const changed = equals("rev", "seen", "revision");

describe("the writes of a request", () => {
  const table = countedTable(new InMemoryTable());

  it("are counted by their step, and those that came too late as conflicts", async () => {
    const counts = noWrites();
    await countingInto(counts, async () => {
      await table.write(put("create-block", "block"));
      await table.write(put("create-block", "block", [changed]));
      await table.write(put("seize", "block"));
      await table.write(put("borrowed", "entry"));
      await table.write(put("take-slots", "block"));
    });
    expect(counts).toEqual({ writes: 5, conflicts: 1, claims: 1, seizes: 1, borrows: 1 });
  });

  it("are counted apart from those of a request beside it, and also if it fails", async () => {
    const [one, other] = [noWrites(), noWrites()];
    const failing = countingInto(one, async () => {
      await table.write(put("take-slots", "a"));
      throw new Error("the request fails");
    });
    await Promise.allSettled([failing, countingInto(other, () => table.get({ pk: "p", sk: "a" }))]);
    expect([one.writes, other.writes]).toEqual([1, 0]);
  });

  it("that belong to no request, as those of a scheduled run, are written all the same", async () => {
    expect(await table.write(put("mark-idle", "a"))).toMatchObject({ outcome: "done" });
  });
});
