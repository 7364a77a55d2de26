import { expect, it } from "vitest";
import { dynamoClient } from "../src/wiring.ts";

it("the client of DynamoDB copies nothing for a log that nobody writes", () => {
  const client = dynamoClient("http://127.0.0.1:1");
  const middlewares = client.middlewareStack.identify().join("\n");
  expect(middlewares).toContain("Middleware");
  expect(middlewares).not.toMatch(/logger/i);
  client.destroy();
});
