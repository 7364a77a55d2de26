import { describe } from "vitest";
import { tableContract } from "../store/contract.ts";
import { startMoto } from "../store/moto.ts";
import { scratchTable } from "../store/scratch-table.ts";
import { pythonProgram } from "./python.ts";

describe("the contract of a table, over an implementation of DynamoDB that is not the embedded one", () =>
  tableContract(scratchTable(() => startMoto(pythonProgram("moto_server")))));
