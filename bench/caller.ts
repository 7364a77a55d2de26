import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Context } from "../src/kernel/core/context.ts";
import { eachCall } from "../src/store/stack.ts";
import { dynamoTable } from "../src/table/dynamodb-table.ts";
import type { Table } from "../src/table/table.ts";
import { contextOf, dynamoClient } from "../src/wiring.ts";
import { inTurn } from "./gate.ts";
import { slowed } from "./slow-clock.ts";

/** One caller: an allocator with its own client and warm cache. Its writes are counted by their step. */
export interface Caller {
  readonly context: Context;
  readonly writes: Map<string, number>;
  readonly client: DynamoDBClient;
}

export function makeCaller(endpoint: string, tableName: string): Caller {
  const client = dynamoClient(endpoint);
  const writes = new Map<string, number>();
  const table = eachCall(dynamoTable(client, tableName), inTurn);
  return { client, writes, context: slowed(contextOf(counted(table, writes))) };
}

function counted(table: Table, writes: Map<string, number>): Table {
  return {
    ...table,
    write(write) {
      writes.set(write.step, (writes.get(write.step) ?? 0) + 1);
      return table.write(write);
    },
  };
}
