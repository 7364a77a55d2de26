import { describe } from "vitest";
import { emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { tableContract } from "./contract.ts";
import { motoProgram, startMoto } from "./moto.ts";
import { scratchTable } from "./scratch-table.ts";

/** The variables that `npm run test:contract` sets. */
const { CONTRACT_ENDPOINT: endpoint, CONTRACT_MOTO } = process.env;
const moto = CONTRACT_MOTO ? motoProgram() : undefined;

// Without an endpoint these tests are not defined, because skipped tests would look like a missing
// program.
if (endpoint)
  describe(`DynamoDB at ${endpoint}`, () =>
    tableContract(scratchTable(async () => ({ endpoint }))));
else if (moto) describe("moto", () => tableContract(scratchTable(() => startMoto(moto))));
else
  describe.runIf(emulatorBinary())("the embedded DynamoDB", () =>
    tableContract(scratchTable(startEmulator)),
  );
