import { describe, expect, it } from "vitest";
import {
  clientDocument,
  digestOf,
  OPERATIONS_FILE,
  operationsText,
  SCHEMA_FILE,
  textOf,
} from "../openapi/client-files.ts";

// `npm run check:openapi` generates the types again, with a tool that needs another TypeScript.
describe("the generated files of the client, after a change of the contract `npm run client`,", () => {
  it("name the operations of the contract", async () => {
    expect(await textOf(OPERATIONS_FILE)).toBe(operationsText());
  });

  it("have the types of the OpenAPI document", async () => {
    const [firstLine] = (await textOf(SCHEMA_FILE)).split("\n");
    expect(firstLine).toContain(` ${digestOf(clientDocument())}.`);
  });
});
