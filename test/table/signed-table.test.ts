import { expect, it } from "vitest";
import type { Actor } from "../../src/base/actor.ts";
import { equals } from "../../src/table/clause.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item, Key } from "../../src/table/item.ts";
import { actorIn, signedTable } from "../../src/table/signed-table.ts";
import type { Write } from "../../src/table/table.ts";

const BLOCK: Key = { pk: "BLOCK#default#10.0.0.0/20", sk: "10.0.0.0" };
const ANNE: Actor = { principal: "anne", requestId: "r-1", sourceIp: "192.0.2.1" };
const BILL: Actor = { principal: "bill", requestId: "r-2" };

const writing = (key: Key, change: Write["change"], when: Write["when"] = []): Write => ({
  step: "test",
  key,
  when,
  change,
});
const put = (key: Key) => writing(key, { kind: "put", item: { ...key, revision: "a" } });
const UPDATE = { kind: "update", set: [[["revision"], "b"]] } as const;

function watchedTable() {
  const table = new InMemoryTable();
  const seen: (Item | undefined)[] = [];
  const watched = {
    get: (key: Key) => table.get(key),
    query: (pk: string) => table.query(pk),
    scan: (limit: number) => table.scan(limit),
    due: () => Promise.resolve([]),
    async write(write: Write) {
      const { pk, sk } = write.key;
      if (write.change.kind === "delete") seen.push(await table.get({ pk, sk }));
      return table.write(write);
    },
  };
  const by = (actor?: Actor) => signedTable(watched, actor);
  return { table, by, deleted: seen };
}

it("names the actor of the last write in the item", async () => {
  const { table, by } = watchedTable();
  await by(ANNE).write(put(BLOCK));
  expect(actorIn(await table.get(BLOCK))).toEqual(ANNE);
  await by(BILL).write(writing(BLOCK, UPDATE));
  expect(actorIn(await table.get(BLOCK))).toEqual(BILL);
});

it("names the actor of a deletion in the item that is deleted", async () => {
  const { table, by, deleted } = watchedTable();
  await by(ANNE).write(put(BLOCK));
  const removal = writing(BLOCK, { kind: "delete" }, [equals("is-a", "a", "revision")]);
  expect(await by(BILL).write(removal)).toMatchObject({ outcome: "done" });
  expect(deleted.map(actorIn)).toEqual([BILL]);
  expect(await table.get(BLOCK)).toBeUndefined();
});

it("leaves an item unsigned whose deletion fails, and makes none that is gone", async () => {
  const { table, by } = watchedTable();
  await by(ANNE).write(put(BLOCK));
  const late = writing(BLOCK, { kind: "delete" }, [equals("is-b", "b", "revision")]);
  expect(await by(BILL).write(late)).toMatchObject({ outcome: "lost" });
  expect(actorIn(await table.get(BLOCK))).toEqual(ANNE);
  await table.write(writing(BLOCK, { kind: "delete" }));
  await by(BILL).write(writing(BLOCK, { kind: "delete" }));
  expect(table.items()).toEqual([]);
});

it("signs no hints, and nothing without an actor", async () => {
  const hint: Key = { pk: "FULLPOOLS#default", sk: "pool-id" };
  const named = watchedTable();
  await named.by(ANNE).write(put(hint));
  expect(actorIn(await named.table.get(hint))).toBeUndefined();
  const unnamed = watchedTable();
  await unnamed.by().write(put(BLOCK));
  expect(actorIn(await unnamed.table.get(BLOCK))).toBeUndefined();
});

it("cuts a principal and the id of a request to what IAM and API Gateway send at most", async () => {
  const { table, by } = watchedTable();
  await by({ principal: "p".repeat(5000), requestId: "r".repeat(5000) }).write(put(BLOCK));
  const { principal = "", requestId = "" } = actorIn(await table.get(BLOCK)) ?? {};
  expect([principal.length, requestId.length]).toEqual([640, 64]);
});
