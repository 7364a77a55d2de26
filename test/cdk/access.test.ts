import { Stack } from "aws-cdk-lib";
import { expect, it } from "vitest";
import { accessStatements } from "../../cdk/access.ts";
import { ENVIRONMENTS } from "../../cdk/environments.ts";
import { Table as TableConstruct } from "../../cdk/table.ts";
import { MemoryTable } from "../../src/store/memory.ts";
import type { Table } from "../../src/store/table.ts";
import { wire } from "../../src/wiring.ts";
import { eventOf, type Request } from "../edge/event.ts";

process.env.POWERTOOLS_LOG_LEVEL = "SILENT";

const WRITES = { put: "PutItem", update: "UpdateItem", delete: "DeleteItem" } as const;

/** A table that notes which actions of DynamoDB it would take. */
function noting(table: Table, used: Set<string>): Table {
  const by = <Result>(action: string, result: Result): Result => {
    used.add(`dynamodb:${action}`);
    return result;
  };
  return {
    get: (key) => by("GetItem", table.get(key)),
    query: (pk, options) => by("Query", table.query(pk, options)),
    scan: (limit, after) => by("Scan", table.scan(limit, after)),
    due: (shard, untilMs, limit) => by("Query of the index", table.due(shard, untilMs, limit)),
    write: (write) => by(WRITES[write.change.kind], table.write(write)),
  };
}

const used = new Set<string>();
wire(noting(new MemoryTable(), used));
// A function takes up its table as it is loaded.
const { HANDLERS } = await import("../../src/local/functions.ts");

/** How requests end, one after the other, and which actions they took. */
async function askedOf(
  name: "assign" | "configure" | "amend" | "register",
  requests: readonly (readonly [string, string, Request])[],
) {
  used.clear();
  const statuses: unknown[] = [];
  for (const request of requests)
    statuses.push((await HANDLERS[name](eventOf(...request))).statusCode);
  return { statuses, actions: [...used].sort() };
}

function grantedTo(name: "amend" | "register"): readonly string[] {
  const { table } = new TableConstruct(new Stack(), "Table", { environment: ENVIRONMENTS.dev });
  return accessStatements(name, table)
    .flatMap(({ actions }) => actions)
    .sort();
}

it("amend may do to the table what its changes and refusals do, and no more", async () => {
  await askedOf("configure", [
    ["PUT", "/v1/pools/main", { body: { cidr: "10.0.0.0/30", blockSize: 32 } }],
  ]);
  await askedOf("assign", [
    [
      "POST",
      "/v1/assign",
      { body: { host: "node-1", ipv4: 4, handle: "web-0", leaseSeconds: 60 } },
    ],
  ]);
  const path = "/v1/addresses/10.0.0.1";
  const { statuses, actions } = await askedOf("amend", [
    ["PATCH", path, { body: { handle: "web-0", leaseSeconds: 90 } }],
    ["PATCH", path, { body: { handle: "web-0", owner: { alternate: { pod: "b" } } } }],
    [
      "PATCH",
      path,
      { body: { handle: "web-0", expectedOwner: { alternate: null }, leaseSeconds: 1 } },
    ],
    ["PATCH", path, { body: { handle: "another", leaseSeconds: 90 } }],
    ["PATCH", "/v1/addresses/10.9.9.9", { body: { handle: "web-0", leaseSeconds: 90 } }],
  ]);
  expect(statuses).toEqual([200, 200, 412, 409, 404]);
  expect(actions).toEqual(grantedTo("amend"));
});

it("register may do to the table what its changes, refusals and dry runs do, and no more", async () => {
  const body = { labels: { zone: "a" } };
  for (const path of ["/v1/nodes/node-1", "/v1/namespaces/shop"]) {
    const before = await askedOf("register", [
      ["PUT", path, { body, query: { dryRun: "true" } }],
      ["PUT", path, { body }],
      ["PUT", path, { body: {}, headers: { "if-match": '"another"' } }],
    ]);
    expect(before.statuses).toEqual([200, 201, 412]);
    const { headers } = await HANDLERS.read(eventOf("GET", path));
    const after = await askedOf("register", [
      ["DELETE", path, {}],
      ["DELETE", path, { headers: { "if-match": String(headers?.etag) } }],
      ["DELETE", path, { headers: { "if-match": String(headers?.etag) } }],
    ]);
    expect(after.statuses).toEqual([428, 200, 404]);
    const actions = new Set([...before.actions, ...after.actions]);
    expect([...actions].sort()).toEqual(grantedTo("register"));
  }
});
