import fc from "fast-check";
import { expect, it } from "vitest";
import { attributesText, parseAttributes } from "../../../src/cli/sources/csv.ts";

it("attributes are the same once they are written and read, whatever they say", () => {
  const name = fc.stringMatching(/^[a-z;=\\. ]{1,9}$/);
  const value = fc.stringMatching(/^[a-z;=\\, "]{0,12}$/);
  fc.assert(
    fc.property(fc.dictionary(name, value), (attributes) => {
      const read = parseAttributes(attributesText(attributes));
      expect(read).toEqual({ ok: true, value: { ...attributes } });
    }),
  );
});

it("a person may write them without thinking of it", () => {
  const read = parseAttributes("pod=web-0; namespace =shop;expr=a==b;");
  expect(read).toEqual({ ok: true, value: { pod: "web-0", namespace: "shop", expr: "a==b" } });
});

it("an entry without a name is rejected", () => {
  for (const entry of ["=b", " =b", "a"])
    expect(parseAttributes(`x=y;${entry}`)).toEqual({
      ok: false,
      problem: `has "${entry}", which is not name=value`,
    });
});

it("a backslash with nothing after it is rejected, rather than left out", () => {
  for (const text of ["a=b\\", "\\", "a=b;c=d\\\\\\"])
    expect(parseAttributes(text)).toEqual({
      ok: false,
      problem: "ends with a backslash, which stands before what it means as it is; \\\\ means one",
    });
});
