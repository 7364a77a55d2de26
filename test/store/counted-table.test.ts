import { expect, it } from "vitest";
import { noWrites } from "../../src/base/outcome.ts";
import { countedTable } from "../../src/store/stack.ts";
import { equals } from "../../src/table/clause.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";

const put = (step: string, sk: string, when: readonly ReturnType<typeof equals>[] = []) =>
  ({ step, key: { pk: "p", sk }, when, change: { kind: "put", item: { pk: "p", sk } } }) as const;
const changed = equals("rev", "seen", "revision");

it("the writes of a request are counted by their step, and those that came too late as conflicts", async () => {
  const counts = noWrites();
  const table = countedTable(new InMemoryTable(), counts);
  await table.write(put("create-block", "block"));
  await table.write(put("create-block", "block", [changed]));
  await table.write(put("seize", "block"));
  await table.write(put("borrowed", "entry"));
  await table.write(put("take-slots", "block"));
  await table.get({ pk: "p", sk: "block" });
  expect(counts).toEqual({ writes: 5, conflicts: 1, claims: 1, seizes: 1, borrows: 1 });
});
