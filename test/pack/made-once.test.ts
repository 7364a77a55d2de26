import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
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

it("a maker is not taken for dead while it writes who it is, however slow the disk", async () => {
  vi.doMock("node:fs/promises", async (original) => {
    const files = await original<typeof import("node:fs/promises")>();
    return { ...files, writeFile: slowWrite };
  });
  // Under another name, because the module may be loaded already.
  const slow = "../../pack/made-once.ts?slow";
  const { makeOnce: making } = (await import(slow)) as typeof import("../../pack/made-once.ts");
  vi.doUnmock("node:fs/promises");
  const one = () =>
    making(
      join(place, "made"),
      async () => (await textOf("made")) === "one",
      async (temporary) => {
        fills++;
        await mkdir(temporary);
        await writeFile(join(temporary, "file"), "one");
      },
    );
  await Promise.all([one(), one(), one()]);
  expect([fills, await readdir(place)]).toEqual([1, ["made"]]);
});

/** Creates a file, and writes it when others had time to read it. */
async function slowWrite(path: string, text: string, how?: { readonly flag?: string }) {
  const file = await open(path, how?.flag ?? "w");
  for (let n = 0; n < 100; n++) await new Promise((resolve) => setImmediate(resolve));
  await file.writeFile(text);
  await file.close();
}

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
