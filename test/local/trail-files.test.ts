import { appendFile, readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrailFiles } from "../../src/local/trail-files.ts";
import type { TrailLine } from "../../src/publish/trail-line.ts";
import { padded } from "../../src/table/change-log.ts";
import { scratchDirectory } from "../table/scratch-file.ts";

const newDirectory = scratchDirectory();

/** Returns the lines with these numbers. Ten lines are an hour. */
const lines = (...numbers: readonly number[]): readonly TrailLine[] =>
  numbers.map((number) => ({
    id: `id-${number}`,
    at: `2026-11-24T${String(Math.floor(number / 10)).padStart(2, "0")}:00:00.000Z`,
    sequence: padded(String(number)),
    kind: "BLOCK",
    called: "x".repeat(number % 10 === 9 ? 200_000 : 1),
    item: "deleted",
    key: { pk: "p", sk: "s" },
    changes: [],
  }));

/** Returns the numbers of the lines of each file. */
async function numbersIn(directory: string): Promise<Record<string, readonly number[]>> {
  const day = join(directory, "changes/2026/11/24");
  const files = (await readdir(day)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(day, name), "utf8")));
  const numbers = (text: string) =>
    text.split("\n").flatMap((line) => (line ? [Number(JSON.parse(line).sequence)] : []));
  return Object.fromEntries(files.map((name, i) => [name, numbers(texts[i] ?? "")]));
}

describe("the files of the trail", () => {
  it("have each line once, though a process ended before it had reported them", async () => {
    const directory = await newDirectory();
    const first = new TrailFiles(directory);
    await first.add(lines(1, 2, 9));
    await first.add(lines(11));
    const second = new TrailFiles(directory);
    await second.add(lines(2, 9, 11, 12));
    await second.add(lines(12, 13));
    expect(await numbersIn(directory)).toEqual({ "00.jsonl": [1, 2, 9], "01.jsonl": [11, 12, 13] });
  });

  it.each([0, 1, 150, 100_000])(
    "lose the part of a line that a crash left, and get the line whole (%i bytes)",
    async (bytes) => {
      const directory = await newDirectory();
      const file = join(directory, "changes/2026/11/24/00.jsonl");
      await new TrailFiles(directory).add(lines(1, 2));
      const { length } = await readFile(file);
      await appendFile(file, `${JSON.stringify(lines(9)[0])}\n`);
      await truncate(file, length + bytes);
      await new TrailFiles(directory).add(lines(2, 9));
      expect(await numbersIn(directory)).toEqual({ "00.jsonl": [1, 2, 9] });
    },
  );

  it("have the whole first line of a file whose writing was cut off", async () => {
    const directory = await newDirectory();
    await new TrailFiles(directory).add(lines(9));
    await truncate(join(directory, "changes/2026/11/24/00.jsonl"), 70_000);
    await new TrailFiles(directory).add(lines(9));
    expect(await numbersIn(directory)).toEqual({ "00.jsonl": [9] });
  });
});
