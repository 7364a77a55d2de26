import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ACTIONS } from "../../cdk/access.ts";
import { retryingTable } from "../../src/store/stack.ts";
import { type Sender, tableThrough } from "../../src/table/dynamodb-table.ts";
import type { Table } from "../../src/table/table.ts";
import { seededRandom } from "../simulation/random.ts";

/**
 * A table with multi-Region strong consistency has no transactions, no TTL and no local secondary indexes
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html).
 */

const SOURCES = ["src", "functions"].flatMap((folder) => {
  const root = fileURLToPath(new URL(`../../${folder}/`, import.meta.url));
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({ path: `${folder}/${path}`, text: readFileSync(root + path, "utf8") }));
});

const KEY = { pk: "p", sk: "s" };

/** Every call of the table, by its name. */
const CALLS: Readonly<Record<string, (table: Table) => Promise<unknown>>> = {
  get: (table) => table.get(KEY),
  query: (table) => table.query("p"),
  scan: (table) => table.scan(1),
  due: (table) => table.due("0", { untilMs: 1, limit: 1 }),
  put: (table) =>
    table.write({ step: "a", key: KEY, when: [], change: { kind: "put", item: KEY } }),
  update: (table) =>
    table.write({ step: "b", key: KEY, when: [], change: { kind: "update", set: [[["a"], 1]] } }),
  delete: (table) => table.write({ step: "c", key: KEY, when: [], change: { kind: "delete" } }),
};

/** Returns a sender that answers as an empty table, after some errors. */
function sender(...errors: Error[]) {
  const sent: string[] = [];
  const send = async (command: object) => {
    sent.push(command.constructor.name);
    const error = errors.shift();
    if (error) throw error;
    return {};
  };
  return { sent, client: { send } as unknown as Sender };
}

describe("what multi-Region strong consistency does not have", () => {
  it("is sent to DynamoDB by no call of the table", async () => {
    const { sent, client } = sender();
    const table = tableThrough(client, "plat");
    for (const call of Object.values(CALLS)) await call(table);
    expect(sent).toEqual([
      "GetCommand",
      "QueryCommand",
      "ScanCommand",
      "QueryCommand",
      "PutCommand",
      "UpdateCommand",
      "DeleteCommand",
    ]);
  });

  it("is nowhere in the sources, and the functions reach DynamoDB through that table alone", () => {
    for (const { path, text } of SOURCES)
      expect(text, path).not.toMatch(
        /Transact(Write|Get)|ExecuteTransaction|TimeToLive|LocalSecondaryInd/,
      );
    const senders = SOURCES.filter(({ text }) =>
      /new (Get|Put|Update|Delete|Query|Scan|Batch\w+)Command\(/.test(text),
    );
    expect(senders.map(({ path }) => path)).toEqual(["src/table/dynamodb-table.ts"]);
  });

  it("is a right of no function", () => {
    expect(Object.values(ACTIONS).sort()).toEqual(
      ["DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"].map((one) => `dynamodb:${one}`),
    );
  });
});

describe("a write that meets a write of the item in another Region", () => {
  const conflict = () =>
    Object.assign(new Error("conflict"), { name: "ReplicatedWriteConflictException" });

  it.each(["put", "update", "delete"])("was not applied, and %s is repeated", async (name) => {
    const { sent, client } = sender(conflict(), conflict());
    const patience = { random: seededRandom(1), sleep: async () => {} };
    const table = retryingTable(tableThrough(client, "plat"), patience);
    expect(await CALLS[name]?.(table)).toMatchObject({ outcome: "done" });
    expect(sent).toHaveLength(3);
  });
});
