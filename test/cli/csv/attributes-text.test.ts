import fc from "fast-check";
import { expect, it } from "vitest";
import { attributesText, parseAttributes } from "../../../src/cli/csv/attributes-text.ts";

it("attributes are the same once they are written and read, whatever they say", () => {
  const name = fc.stringMatching(/^[a-z;=\\. ]{0,8}[a-z]$/).map((text) => text.trim());
  const value = fc.stringMatching(/^[a-z;=\\, "]{0,12}$/);
  fc.assert(
    fc.property(fc.dictionary(name, value), (attributes) => {
      const read = parseAttributes(attributesText(attributes));
      expect(read).toEqual({ ok: true, value: { ...attributes } });
    }),
  );
});

it("a person may write them without thinking of it", () => {
  const read = parseAttributes("pod=web-0; namespace=shop;expr=a==b;");
  expect(read).toEqual({ ok: true, value: { pod: "web-0", namespace: "shop", expr: "a==b" } });
});
