import { createServer, type Socket } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { LeanClient } from "../../bench/load/lean.ts";
import { UnavailableError } from "../../src/base/outcome.ts";
import { createTable } from "../../src/local/create-table.ts";
import { type Emulator, emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { tableThrough } from "../../src/table/dynamodb-table.ts";
import type { Table } from "../../src/table/table.ts";
import { dynamoClient } from "../../src/wiring.ts";
import { tableContract } from "../table/contract.ts";

const TABLE = "lean";
const KEY = { pk: "p", sk: "s" };
const WRITE = { step: "test", key: KEY, when: [], change: { kind: "delete" } } as const;

describe.runIf(emulatorBinary())("the table over the long race's own client", () => {
  let emulator: Emulator;
  let lean: LeanClient;
  afterAll(async () => {
    lean.destroy();
    await emulator.stop();
  });
  tableContract(async () => {
    emulator = await startEmulator();
    const client = dynamoClient(emulator.endpoint);
    await createTable(client, TABLE);
    client.destroy();
    lean = new LeanClient(emulator.endpoint);
    return tableThrough(lean, TABLE);
  });
});

describe("the long race's own client", () => {
  it("does not know what became of a write whose connection broke, nor of one whose answer did", async () => {
    for (const answer of ["", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{"]) {
      await against(
        (socket) => socket.end(answer),
        async (table) => {
          expect(await table.write(WRITE)).toEqual({ outcome: "unknown" });
          await expect(table.get(KEY)).rejects.toBeInstanceOf(UnavailableError);
        },
      );
    }
  });

  it("does not know what became of a write that nobody was there for", async () => {
    const table = tableThrough(new LeanClient("http://127.0.0.1:1"), TABLE);
    expect(await table.write(WRITE)).toEqual({ outcome: "unknown" });
  });

  it("takes an answer in whatever pieces it comes", async () => {
    const item = '{"Item":{"pk":{"S":"p"},"sk":{"S":"€"}}}';
    const answer = Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(item)}\r\n\r\n${item}`,
    );
    await against(
      (socket) => {
        const from = (at: number) => {
          if (at < answer.length) socket.write(answer.subarray(at, at + 1), () => from(at + 1));
        };
        socket.setNoDelay();
        from(0);
      },
      async (table) => {
        for (let asked = 0; asked < 2; asked++)
          expect(await table.get(KEY)).toEqual({ pk: "p", sk: "€" });
      },
    );
  });
});

/** Runs a test with a table whose server does this at every request. */
async function against(
  answer: (socket: Socket) => void,
  test: (table: Table) => Promise<void>,
): Promise<void> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const client = new LeanClient(`http://127.0.0.1:${port}`);
  await test(tableThrough(client, TABLE));
  client.destroy();
  server.close();
}
