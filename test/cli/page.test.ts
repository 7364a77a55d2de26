import { describe, expect, it } from "vitest";
import { differenceOf, stepsOf } from "./page.ts";

const page = (...lines: readonly string[]) => lines.join("\n");

describe("the commands of a page", () => {
  it("stand in code blocks, with what they show below them", () => {
    const text = page(
      "# Title",
      "",
      "$ not this",
      "```",
      "$ one",
      "1",
      "",
      "2",
      "$ two",
      "```",
      "end",
    );
    expect(stepsOf(text)).toEqual([
      { line: 5, command: "one", shown: ["1", "", "2"] },
      { line: 9, command: "two", shown: [] },
    ]);
  });

  it("go on in the lines with the second prompt; what looks like one further below is shown", () => {
    const text = page(
      "```",
      "$ for i in 1 2; do",
      "> echo $i",
      ">   done",
      "> shown",
      "1",
      "> 2",
      "```",
    );
    expect(stepsOf(text)).toEqual([
      { line: 2, command: "for i in 1 2; do\necho $i\n  done\nshown", shown: ["1", "> 2"] },
    ]);
  });

  it("are not in a block that begins with something else", () => {
    const text = page("```yaml", "a: 1", "$ b", "```", "```", "$ c", "```");
    expect(stepsOf(text).map(({ command }) => command)).toEqual(["c"]);
  });
});

describe("what a page shows", () => {
  it("is what was printed, to the letter", () => {
    expect(differenceOf(["a  b", "", "c"], "a  b\n\nc\n")).toBeUndefined();
    expect(differenceOf([], "")).toBeUndefined();
    expect(differenceOf(["c", ""], "c\n\n\n")).toBeUndefined();
    expect(differenceOf(["a b"], "a  b\n")).toBe("on the page: a b\n    printed: a  b");
    expect(differenceOf(["a", "", "c"], "a\nc\n")).toBe("on the page: \n    printed: c");
    expect(differenceOf(["a."], "ab\n")).toBe("on the page: a.\n    printed: ab");
  });

  it("is neither more nor less than that", () => {
    expect(differenceOf(["a"], "a\nb\n")).toBe("printed, and not on the page: b");
    expect(differenceOf(["a", "b"], "a\n")).toBe("on the page, and not printed: b");
    expect(differenceOf([], "a\n")).toBe("printed, and not on the page: a");
    expect(differenceOf(["a"], "")).toBe("on the page, and not printed: a");
  });

  it("may leave open a part of a line, not nothing, and not a line", () => {
    expect(differenceOf(["from … on (…)"], "from 12:00 on (1)\n")).toBeUndefined();
    expect(differenceOf(["10.0.0.……… a"], "10.0.0.1 a\n")).toBeUndefined();
    expect(differenceOf(["from … on"], "from 12:00 off\n")).toBeDefined();
    expect(differenceOf(["from … on"], "from  on\n")).toBeDefined();
    expect(differenceOf(["a…"], "a\nb\n")).toBeDefined();
    expect(differenceOf(["a", "…"], "a\n")).toBe("on the page, and not printed: …");
  });
});
