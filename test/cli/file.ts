import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/** Makes files for a test, and deletes them after it: `await file("pools.yaml", text)` returns the path. */
export function files() {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plat-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  return async (name: string, text: string | Uint8Array): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
}
