import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Returns a function that makes a directory for the enclosing tests. It is deleted after them. */
export function scratchDirectory(): () => Promise<string> {
  const directories: string[] = [];
  afterAll(async () => {
    for (const directory of directories) await rm(directory, { recursive: true });
  });
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), "plat-"));
    directories.push(directory);
    return directory;
  };
}
