import { describe, expect, it } from "vitest";
import { checkProse } from "./check.ts";

const messagesOf = async (page: string) => (await checkProse(page)).map(({ message }) => message);
const words = (count: number) => `${Array.from({ length: count }, (_, n) => `w${n}`).join(" ")}.`;

describe("the prose linter", () => {
  it("takes plain sentences as they are", async () => {
    const page = `# Blocks\n\nA host claims a block. ${words(25)}\n\n| Word | Meaning |\n|---|---|\n| block | A run of addresses. |\n`;
    expect(await messagesOf(page)).toEqual([]);
  });

  it.each([
    ["paragraph", words(26)],
    ["list item", `* ${words(26)}`],
    ["table cell", `| Word |\n|---|\n| ${words(26)} |`],
  ])("finds a sentence that is too long in a %s", async (_, page) => {
    expect(await messagesOf(page)).toEqual(['"w0 w1 w2 w3 w4 w5 …": 26 words; the most is 25']);
  });

  it("counts code as one word", async () => {
    expect(await messagesOf(`${"`plat pool drain default-ipv4` ".repeat(25)}.`)).toEqual([]);
  });

  it("finds a sentence whose subject is a clause, and no question", async () => {
    expect(await messagesOf("What is empty is deleted. What is a block?")).toEqual([
      '"What is empty is deleted. …": begins with a clause; name who acts',
    ]);
  });

  it("finds a retired word, over a line break too, and not in code", async () => {
    const found = await messagesOf("A block is given\nback with its loan. See `loan`.");
    expect(found).toEqual([
      expect.stringContaining("given\nback"),
      expect.stringContaining("use “borrowed block”"),
    ]);
  });

  it("leaves out what a program writes", async () => {
    const part = `<!-- clauses -->\n\n${words(26)}\n\n<!-- /clauses -->`;
    expect(await messagesOf(`${part}\n\nIt is very late.`)).toEqual([
      expect.stringContaining("weasel"),
    ]);
    expect((await checkProse(`${part}\n\nIt is very late.`))[0]?.loc.start.line).toBe(7);
  });
});
