import { describe } from "vitest";
import { tableContract } from "../table/contract.ts";
import { startMoto } from "../table/moto.ts";
import { scratchTable } from "../table/scratch-table.ts";
import { pythonProgram } from "./python.ts";

describe("the contract of a table, over an implementation of DynamoDB that is not the embedded one", () =>
  tableContract(scratchTable(() => startMoto(pythonProgram("moto_server")))));
