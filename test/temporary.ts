import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Names the folder of a run, which the projects of the run share. */
const SHARED = "PLAT_TEMPORARY";

/**
 * Gives all processes of a run one folder for their temporary files, and deletes it behind the tests. Vitest calls this before it starts
 * them, for the run and for each of its projects. So a run leaves nothing behind, whatever its tests and the tools that they start forget.
 */
export function setup(): () => void {
  // One folder in another would make the paths of sockets too long.
  if (process.env[SHARED] !== undefined) return () => undefined;
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "plat-tests-"));
  process.env[SHARED] = folder;
  process.env.TMPDIR = folder;
  return () => {
    delete process.env[SHARED];
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES_MAX });
  };
}

/** A process that is about to end may still write into the folder. */
const RETRIES_MAX = 5;
