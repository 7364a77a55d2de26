import { expect, it } from "vitest";
import { PROBLEMS } from "../../src/api/schema/problem.ts";
import { openApi } from "../../src/contract/openapi.ts";
import { checkProse } from "./check.ts";

/** Every text of the document that a person reads. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    ["description", "summary"].includes(key) && typeof inner === "string" ? inner : textsIn(inner),
  );
}

it("the texts of the OpenAPI document and the titles of problems follow docs/style.md", async () => {
  const titles = Object.values(PROBLEMS).map(({ title }) => title);
  const texts = [...new Set([...textsIn(openApi()), ...titles])];
  expect(texts.length).toBeGreaterThan(250);
  const found = await Promise.all(
    texts.map(async (text) => (await checkProse(text)).map(({ message }) => `${text}: ${message}`)),
  );
  expect(found.flat()).toEqual([]);
});
