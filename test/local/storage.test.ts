import "./silent.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStorage } from "../../src/local/storage.ts";
import { scratchDirectory } from "../table/scratch-file.ts";
import { runToEnd } from "./process.ts";

const newDirectory = scratchDirectory();

/**
 * Returns the last output of a server whose lmdb searches its binary in a folder of the test (a variable of its
 * loader).
 */
async function endOfServer(binaries: string): Promise<string> {
  const data = await newDirectory();
  const { code, errors } = await runToEnd(["--port", "0", "--data", data], {
    LMDB_PREBUILD: binaries,
  });
  expect(code).not.toBe(0);
  return errors;
}

it("without the binary of lmdb data cannot be kept, which is said with what to do", async () => {
  expect(await endOfServer(await newDirectory())).toBe(
    `Keeping data needs lmdb, an optional dependency that is not installed for ${process.platform}-${process.arch}; run npm ci in a clone or npm install plat-ipam elsewhere, without --omit=optional, or start with --memory.\n`,
  );
});

it("with a binary of lmdb that does not load, it is said why", async () => {
  const binaries = await newDirectory();
  await mkdir(join(binaries, "build/Release"), { recursive: true });
  await writeFile(join(binaries, "build/Release/lmdb.node"), "no binary");
  expect(await endOfServer(binaries)).toMatch(
    /^Keeping data needs lmdb, and it cannot be loaded: .*lmdb\.node: .*; repair it, or start with --memory\.\n$/,
  );
});

it("memory needs nothing", async () => {
  const { sentence, stop } = await openStorage({ table: "memory" });
  expect(sentence).toBe("Data is kept in memory only and is gone when this stops");
  await stop();
});
