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

it("config may do to the table what its reads, changes, refusals and dry runs do, and no more", async () => {
  const used = new Set<string>();
  wire(noting(new MemoryTable(), used));
  const { handler } = await import("../../functions/config.ts");
  const put = (request: Request) => handler(eventOf("PUT", "/v1/config", { body: {}, ...request }));

  const created = await put({});
  const changed = await put({ headers: { "if-match": String(created.headers?.etag) } });
  const outdated = await put({ headers: { "if-match": String(created.headers?.etag) } });
  const rehearsed = await put({
    headers: { "if-match": String(changed.headers?.etag) },
    query: { dryRun: "true" },
  });
  const read = await handler(eventOf("GET", "/v1/config"));
  expect([created, changed, outdated, rehearsed, read].map(({ statusCode }) => statusCode)).toEqual(
    [201, 200, 412, 200, 200],
  );

  const { table } = new TableConstruct(new Stack(), "Table", { environment: ENVIRONMENTS.dev });
  const granted = accessStatements("config", table).flatMap(({ actions }) => actions);
  expect(granted.sort()).toEqual([...used].sort());
});
