import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTrail } from "../../src/restore/read-trail.ts";
import { RestoreError } from "../../src/restore/restore-error.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-"));
});
afterEach(() => rm(folder, { recursive: true }));

it("a compressed file that was cut short is named: a restore would call it a table out of reach", async () => {
  const file = join(folder, "1.jsonl.gz");
  await writeFile(file, gzipSync("{}\n").subarray(0, -4));
  await expect(readTrail(folder)).rejects.toThrow(
    new RestoreError(`${file} cannot be read: unexpected end of file`),
  );
});

it("a directory with the name of a file is named", async () => {
  const directory = join(folder, "1.jsonl");
  await mkdir(directory);
  await expect(readTrail(folder)).rejects.toThrow(
    new RestoreError(`${directory} cannot be read: EISDIR: illegal operation on a directory, read`),
  );
});
