import { describe, expect, it } from "vitest";
import { patternOf } from "../../twin/metrics/filter-pattern.ts";

describe("a filter pattern", () => {
  it.each([
    ['{ $.status = "429" }', '{"status": "429"}', true],
    ['{ $.status = "429" }', '{"status": "200"}', false],
    ['{ $.status = "429" }', '{"status": 429}', false],
    ['{ $.status = "429" }', '{"code": "429"}', false],
    ["{ $.failed > 0 }", '{"failed": 1}', true],
    ["{ $.failed > 0 }", '{"failed": 0}', false],
    ["{ $.failed > 0 }", '{"failed": "1"}', false],
    ["{ $.failed > 0 }", "{}", false],
    ["{ $.failed > 0 }", "START RequestId: 1", false],
    ["{ $.done.failed > 9 }", '{"done": {"failed": 10}}', true],
    ["{ $.done.failed > 9 }", '{"done": null}', false],
  ])("%s over %s is %s", (pattern, line, counts) => {
    expect(patternOf(pattern)(line)).toBe(counts);
  });

  it.each(['{ $.status = "4*" }', "{ $.failed >= 1 }", "ERROR", '{ $.a = "b" && $.c > 0 }'])(
    "that is another comparison is no pattern of the twin: %s",
    (pattern) => {
      expect(() => patternOf(pattern)).toThrow("is not known");
    },
  );
});
