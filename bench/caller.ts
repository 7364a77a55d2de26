import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Context } from "../src/allocator/context.ts";
import { dynamoTable } from "../src/store/dynamo.ts";
import type { Table } from "../src/store/table.ts";
import { contextOf, dynamoClient } from "../src/wiring.ts";

/** One of many callers: an allocator with a client and a memory of its own, whose writes are counted by their step. */
export interface Caller {
  readonly context: Context;
  readonly writes: Map<string, number>;
  readonly client: DynamoDBClient;
}

export function makeCaller(endpoint: string, tableName: string): Caller {
  const client = dynamoClient(endpoint);
  const writes = new Map<string, number>();
  const context = contextOf(counted(dynamoTable(client, tableName), writes));
  return { client, writes, context: { ...context, now: slowNow } };
}

/** One machine takes longer to serve hundreds of callers than their functions may live; so their clock runs slower. */
const CLOCK_SLOWED = 100;
const startedAtMs = Date.now();
const slowNow = () => startedAtMs + Math.floor((Date.now() - startedAtMs) / CLOCK_SLOWED);

function counted(table: Table, writes: Map<string, number>): Table {
  return {
    get: (key) => inTurn(() => table.get(key)),
    query: (pk, options) => inTurn(() => table.query(pk, options)),
    scan: (limit, options) => inTurn(() => table.scan(limit, options)),
    due: (shard, options) => inTurn(() => table.due(shard, options)),
    write: (write) => {
      writes.set(write.step, (writes.get(write.step) ?? 0) + 1);
      return inTurn(() => table.write(write));
    },
  };
}

/** As many as one machine answers long before a call is given up; the others wait here, in order, and not on a socket. */
const CALLS_AT_ONCE = 64;
const waiting: (() => void)[] = [];
let underWay = 0;

async function inTurn<T>(call: () => Promise<T>): Promise<T> {
  if (underWay === CALLS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay++;
  try {
    return await call();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  }
}
