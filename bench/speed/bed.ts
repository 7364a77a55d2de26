import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { inParallel } from "../../src/kernel/core/parallel.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import { createTable } from "../../src/local/create-table.ts";
import { startEmulator } from "../../src/local/emulator.ts";
import { TABLE_NAME } from "../../src/local/storage.ts";
import { eachCall } from "../../src/store/stack.ts";
import { type Sender, tableThrough } from "../../src/table/dynamodb-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { contextOf, dynamoClient } from "../../src/wiring.ts";
import { unhurried } from "../load/unhurried.ts";

const ITEMS_PER_BATCH = 25;
const BATCHES_AT_ONCE = 8;

/** Makes a call, immediately or later. */
export type Gate = <T>(call: () => Promise<T>) => Promise<T>;

/** A command of the document client, as Plat made it. */
export interface Command {
  // biome-ignore lint/suspicious/noExplicitAny: inputs of all commands, of which only some members are used
  readonly input: any;
}

/**
 * The place of the measurements: one table of the embedded DynamoDB, with one client for Plat and for raw writes. The
 * table has the name that `npm start` uses, so that a server can serve it as well.
 */
export class Bed {
  readonly tableName = TABLE_NAME;
  readonly endpoint: string;
  readonly client: DynamoDBDocumentClient;
  readonly stop: () => Promise<void>;
  #calls = 0;
  #recorded: Command[] | undefined;

  private constructor(endpoint: string, client: DynamoDBDocumentClient, stop: () => Promise<void>) {
    this.endpoint = endpoint;
    this.client = client;
    this.stop = stop;
  }

  static async open(): Promise<Bed> {
    const emulator = await startEmulator();
    // Raw writes are not repeated.
    const client = unhurried(dynamoClient(emulator.endpoint));
    await createTable(client, TABLE_NAME);
    return new Bed(emulator.endpoint, DynamoDBDocumentClient.from(client), async () => {
      client.destroy();
      await emulator.stop();
    });
  }

  /** Returns the number of calls of functions so far. */
  get calls(): number {
    return this.#calls;
  }

  /**
   * Returns a function that has just started.
   *
   * @param each makes a call, immediately or later
   */
  coldFunction(each: Gate = (call) => call()): Context {
    const send = (command: Command) => {
      this.#calls++;
      this.#recorded?.push(command);
      return this.client.send(command as never);
    };
    const table = tableThrough({ send } as unknown as Sender, TABLE_NAME);
    return contextOf(eachCall(table, each));
  }

  /** Records the commands that functions send during an act. */
  async recording(act: () => Promise<unknown>): Promise<readonly Command[]> {
    const recorded: Command[] = [];
    this.#recorded = recorded;
    await act();
    this.#recorded = undefined;
    return recorded;
  }

  /** Runs an act over a table in memory, and copies the resulting items into this one, in bulk. */
  async inBulk(make: (context: Context) => Promise<unknown>): Promise<void> {
    const memory = new InMemoryTable();
    await make(contextOf(memory));
    const items = memory.items();
    const batches = Array.from({ length: Math.ceil(items.length / ITEMS_PER_BATCH) }, (_, i) =>
      items.slice(i * ITEMS_PER_BATCH, (i + 1) * ITEMS_PER_BATCH),
    );
    await inParallel(batches, BATCHES_AT_ONCE, async (batch) => {
      const RequestItems = { [TABLE_NAME]: batch.map((Item) => ({ PutRequest: { Item } })) };
      const { UnprocessedItems = {} } = await this.client.send(
        new BatchWriteCommand({ RequestItems }),
      );
      if (Object.keys(UnprocessedItems).length > 0)
        throw new Error("the table did not take a whole batch");
    });
  }
}

let handles = 0;

/** Makes a request for some addresses, by default one, under its own handle. */
export function requestOf(space: string, host: string, count = 1): AssignRequest {
  return {
    space,
    host: hostId("host", host),
    wanted: [{ family: 4, count }],
    handle: `pod-${handles++}`,
    attributes: { pod: "web-0", namespace: "shop" },
    pools: [],
    digest: "digest",
  };
}
