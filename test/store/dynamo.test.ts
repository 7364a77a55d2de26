import { afterAll, describe } from "vitest";
import { createTable } from "../../src/local/create-table.ts";
import { type Emulator, emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { dynamoTable } from "../../src/store/dynamo.ts";
import { dynamoClient } from "../../src/wiring.ts";
import { tableContract } from "./contract.ts";

const named = process.env.CONTRACT_ENDPOINT;

describe.runIf(named || emulatorBinary())("DynamoDB", () => {
  let emulator: Emulator | undefined;
  afterAll(async () => emulator?.stop());

  tableContract(async () => {
    if (!named) emulator = await startEmulator();
    const client = dynamoClient(named ?? emulator?.endpoint);
    await createTable(client, "plat-contract");
    return dynamoTable(client, "plat-contract");
  });
});
