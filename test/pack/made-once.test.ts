import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeOnce } from "../../pack/made-once.ts";

/** No process has this number, because Linux gives numbers below 2^22. */
const DEAD_PID = 2 ** 30;

let place: string;
let fills: number;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "plat-made-"));
  fills = 0;
});
afterEach(() => rm(place, { recursive: true }));

const textOf = (name: string) => readFile(join(place, name, "file"), "utf8").catch(() => undefined);

/** Makes a directory with one file of the given text. */
const make = (text: string) =>
  makeOnce(
    join(place, "made"),
    async () => (await textOf("made")) === text,
    async (temporary) => {
      fills++;
      await mkdir(temporary);
      await writeFile(join(temporary, "file"), text);
      expect(await textOf("made")).not.toBe(text);
    },
  );

it("of many that need a directory at once, one makes it, and it leaves nothing beside", async () => {
  for (let round = 1; round <= 20; round++) {
    await Promise.all(Array.from({ length: 8 }, () => make(`${round}`)));
    expect([fills, await textOf("made"), await readdir(place)]).toEqual([
      round,
      `${round}`,
      ["made"],
    ]);
  }
});

it("a directory in another state is replaced", async () => {
  await make("one");
  await make("two");
  expect([fills, await textOf("made"), await readdir(place)]).toEqual([2, "two", ["made"]]);
});

it("a process that died while it made the directory holds up nobody", async () => {
  await writeFile(join(place, "made.making"), `${DEAD_PID}`);
  await make("one");
  expect([fills, await textOf("made"), await readdir(place)]).toEqual([1, "one", ["made"]]);
});

it("an error of the making is thrown, and the next one makes the directory", async () => {
  const broken = makeOnce(
    join(place, "made"),
    async () => false,
    async (temporary) => {
      await mkdir(temporary);
      throw new Error("no network");
    },
  );
  await expect(broken).rejects.toThrow("no network");
  expect(await readdir(place)).toEqual([]);
  await make("one");
  expect(await textOf("made")).toBe("one");
});
