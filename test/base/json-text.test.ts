import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, RepeatedFieldError } from "../../src/base/json-text.ts";

describe("a JSON text", () => {
  it("has the value that JSON.parse returns, whatever its names and texts are", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("is rejected with the place of a field that an object has twice, at any depth", () => {
    const place = fc.array(fc.oneof(fc.string(), fc.nat(3)), { maxLength: 5 });
    fc.assert(
      fc.property(place, fc.string(), fc.json(), (steps, name, value) => {
        const key = JSON.stringify(name);
        let text = `{"other": ${value}, ${key}: ${value}, ${key}: ${value}}`;
        for (const step of steps.toReversed())
          text =
            typeof step === "string"
              ? `{${JSON.stringify(step)}: ${text}}`
              : `[${'"}:", '.repeat(step)}${text}]`;
        const at = steps.map((step) => (typeof step === "string" ? `.${step}` : `[${step}]`));
        expect(repeatedIn(text)).toBe(`${at.join("")}.${name}`.replace(/^\./, ""));
      }),
    );
  });

  it.each([
    ["an escape is the character that it stands for", '{"a":1,"\\u0061":2}', "a"],
    ["__proto__ is a name as any other", '{"__proto__":1,"__proto__":2}', "__proto__"],
    ["objects may have the same names", '[{"a":1},{"a":1,"b":{"a":1}}]', undefined],
    ["a text may look like a field", '{"a":"\\":1","b":"{\\"a\\":1,\\"a\\":1}"}', undefined],
    ["50,000 objects deep", `${'{"a":'.repeat(5e4)}{"b":1,"b":2}${"}".repeat(5e4)}`, /^(a\.)*b$/],
  ])("%s", (_, text, field) => {
    const repeated = repeatedIn(text);
    if (field instanceof RegExp) expect(repeated).toMatch(field);
    else expect(repeated).toBe(field);
  });

  it("throws what JSON.parse throws where it is none", () => {
    expect(() => parseJson("{")).toThrow(SyntaxError);
  });
});

function repeatedIn(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof RepeatedFieldError) return error.field;
    throw error;
  }
}
