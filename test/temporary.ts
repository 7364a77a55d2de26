import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives all processes of a run one folder for their temporary files, and deletes it behind the tests. Vitest calls this before it starts
 * them. So a run leaves nothing behind, whatever its tests and the tools that they start forget.
 */
export function setup(): () => void {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "plat-tests-"));
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES_MAX });
  };
}

/** A process that is about to end may still write into the folder. */
const RETRIES_MAX = 5;
