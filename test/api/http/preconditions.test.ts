import { describe, expect, it } from "vitest";
import { parseIfMatch } from "../../../src/api/http/write.ts";
import { eventOf } from "../event.ts";
import { rejectedFields } from "../problem-of.ts";

const read = (headers: Record<string, string>) =>
  parseIfMatch(eventOf("PUT", "/v1/pools/main", { headers }));

describe("If-Match and If-None-Match", () => {
  it("are conditions on nothing where they are absent", () => {
    expect(read({})).toEqual({ ifMatch: {} });
  });

  it.each([
    ["*", "any"],
    ['"a"', ["a"]],
    ['"a", "b","c"', ["a", "b", "c"]],
    [',"a",, "b" ,', ["a", "b"]],
    ['"with,comma"', ["with,comma"]],
    ['""', [""]],
  ])("name what they list: %s", (header, revisions) => {
    expect(read({ "if-match": header })).toEqual({ ifMatch: { match: revisions } });
    expect(read({ "if-none-match": header })).toEqual({ ifMatch: { noneMatch: revisions } });
  });

  it("compare weak ETags where none may match, and never where one must", () => {
    expect(read({ "if-match": 'W/"a", "b"' })).toEqual({ ifMatch: { match: ["b"] } });
    expect(read({ "if-match": 'W/"a"' })).toEqual({ ifMatch: { match: [] } });
    expect(read({ "if-none-match": 'W/"a", "b"' })).toEqual({ ifMatch: { noneMatch: ["a", "b"] } });
  });

  it.each(["", "abc", '"a', '*, "a"', '"a" "b"', 'w/"a"', '"a b"'])(
    "are rejected by their name where they are no list of ETags: %s",
    (header) => {
      const refused = [expect.stringMatching(/^If-Match: must be \* or ETags in their quotes/)];
      expect(rejectedFields(() => read({ "if-match": header }))).toEqual(refused);
      const [problem] = rejectedFields(() => read({ "if-none-match": header }));
      expect(problem).toMatch(/^If-None-Match: must be/);
    },
  );

  it("are judged in no time, however they were made to take long", () => {
    const header = `"a"${`,${" ".repeat(40)}`.repeat(240)}!`;
    expect(rejectedFields(() => read({ "if-match": header }))).toHaveLength(1);
  });
});
