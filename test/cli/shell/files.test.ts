import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/cli/shell/exit.ts";
import { writeWhole } from "../../../src/cli/shell/files.ts";

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a file that is written", () => {
  it("stands in the place of the one before, and alone", async () => {
    for (const text of ["one", "two"]) {
      await writeWhole(at("report"), text);
      expect(await readFile(at("report"), "utf8")).toBe(text);
    }
    expect(await readdir(folder)).toEqual(["report"]);
  });

  it("is the target of a symlink, which stays one, also where the target is not there yet", async () => {
    await mkdir(at("below"));
    await symlink("below/target", at("link"));
    for (const text of ["one", "two"]) {
      await writeWhole(at("link"), text);
      expect((await lstat(at("link"))).isSymbolicLink()).toBe(true);
      expect(await readFile(at("below/target"), "utf8")).toBe(text);
    }
    expect(await readdir(folder)).toEqual(["below", "link"]);
    expect(await readdir(at("below"))).toEqual(["target"]);
  });

  it("stays the FIFO that it is, and its reader gets the text", async () => {
    await promisify(execFile)("mkfifo", [at("fifo")]);
    const [text] = await Promise.all([
      promisify(execFile)("cat", [at("fifo")]).then(({ stdout }) => stdout),
      writeWhole(at("fifo"), "report"),
    ]);
    expect(text).toBe("report");
    expect((await lstat(at("fifo"))).isFIFO()).toBe(true);
  });

  it("stays the device that a symlink leads to", async () => {
    await symlink("/dev/null", at("null"));
    await writeWhole(at("null"), "report");
    expect((await lstat(at("null"))).isSymbolicLink()).toBe(true);
    expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  it("leaves nothing beside it where it cannot be written", async () => {
    await mkdir(at("folder"));
    await writeFile(at("name"), "");
    for (const [file, said] of [
      [at("folder"), "EISDIR"],
      [at("name/report"), "ENOTDIR"],
      [at("nowhere/report"), "ENOENT"],
    ] as const)
      await expect(writeWhole(file, "report")).rejects.toMatchObject({
        exit: EXIT.usage,
        message: expect.stringMatching(new RegExp(`^${file} cannot be written: ${said}`)),
      });
    expect(await readdir(folder)).toEqual(["folder", "name"]);
  });
});
