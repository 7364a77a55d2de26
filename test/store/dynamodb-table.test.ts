import { describe } from "vitest";
import { emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { tableContract } from "./contract.ts";
import { motoProgram, startMoto } from "./moto.ts";
import { scratchTable } from "./scratch-table.ts";

/** As `npm run test:contract` sets them. */
const { CONTRACT_ENDPOINT: endpoint, CONTRACT_MOTO } = process.env;
const moto = CONTRACT_MOTO ? motoProgram() : undefined;

// A target that nobody asked for is not defined: skipped tests would look like something that is missing.
if (endpoint)
  describe(`DynamoDB at ${endpoint}`, () =>
    tableContract(scratchTable(async () => ({ endpoint }))));
else if (moto) describe("moto", () => tableContract(scratchTable(() => startMoto(moto))));
else
  describe.runIf(emulatorBinary())("the embedded DynamoDB", () =>
    tableContract(scratchTable(startEmulator)),
  );
