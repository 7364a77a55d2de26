import { describe, expect, it } from "vitest";
import { usesGlobal } from "../../src/net/selector.ts";
import { selector } from "../builders.ts";

describe("a selector uses global()", () => {
  it.each(["global()", "!global()", "has(a) && !(has(b) || global( ))"])("in %s", (text) => {
    expect(usesGlobal(selector(text))).toBe(true);
  });

  it.each(["", "all()", "has(global)", 'global == "global()"', "has(a) && !(has(b) || has(c))"])(
    "not in %j",
    (text) => {
      expect(usesGlobal(selector(text))).toBe(false);
    },
  );
});
