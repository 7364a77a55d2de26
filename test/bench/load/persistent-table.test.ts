import { expect, it } from "vitest";
import { persistentTable } from "../../../bench/load/persistent-table.ts";
import { UnavailableError } from "../../../src/base/outcome.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";

const KEY = { pk: "pk", sk: "sk" };

/** Returns a table that does not answer its first reads. */
function stalled(reads: number) {
  const table = new InMemoryTable();
  let left = reads;
  table.get = async () => {
    if (left-- > 0) throw new UnavailableError("the database did not answer a read");
    return { ...KEY };
  };
  return table;
}

it("a check goes on when the database answers after ten reads without an answer", async () => {
  await expect(persistentTable(stalled(10)).get(KEY)).resolves.toEqual(KEY);
});

it("a check ends when the database answers none of 30 reads", async () => {
  await expect(persistentTable(stalled(30)).get(KEY)).rejects.toThrow("did not answer a read");
});

it("another error ends a check at once", async () => {
  const table = new InMemoryTable();
  table.get = () => Promise.reject(new Error("the item cannot be read"));
  await expect(persistentTable(table).get(KEY)).rejects.toThrow("the item cannot be read");
});
