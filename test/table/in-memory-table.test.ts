import { describe } from "vitest";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { tableContract } from "./contract.ts";

describe("the in-memory table", () => {
  tableContract(async () => new InMemoryTable());
});
