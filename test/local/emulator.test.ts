import "./silent.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTable } from "../../src/local/create-table.ts";
import { startEmulator } from "../../src/local/emulator.ts";
import { dynamoTable } from "../../src/table/dynamodb-table.ts";
import { contextOf, dynamoClient } from "../../src/wiring.ts";

it("an embedded DynamoDB answers once it has started, and is gone once it has stopped", async () => {
  const emulator = await startEmulator();
  expect((await fetch(emulator.endpoint)).ok).toBe(true);
  await emulator.stop();
  await expect(fetch(emulator.endpoint)).rejects.toThrow();
});

it("several start side by side, each on a port of its own", async () => {
  const emulators = await Promise.all(Array.from({ length: 4 }, () => startEmulator()));
  expect(new Set(emulators.map(({ port }) => port)).size).toBe(4);
  await Promise.all(emulators.map((emulator) => emulator.stop()));
});

it("a file that is no database is said to be none", async () => {
  const directory = await mkdtemp(join(tmpdir(), "plat-"));
  const file = join(directory, "plat.db");
  await writeFile(file, "this is a text");
  await expect(startEmulator({ file })).rejects.toThrow("the embedded DynamoDB did not start: ");
  await rm(directory, { recursive: true });
});

it("a table that is there already is left as it is", async () => {
  const emulator = await startEmulator();
  const client = dynamoClient(emulator.endpoint);
  await createTable(client, "plat");
  const { store } = contextOf(dynamoTable(client, "plat"));
  await store.raiseVersion("default", "1");
  await createTable(client, "plat");
  expect(await store.readVersion("default")).toBe("1");
  client.destroy();
  await emulator.stop();
});
