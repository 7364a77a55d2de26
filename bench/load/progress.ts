import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Written } from "./ledger.ts";

/** What a race over several runs has done so far, and what its callers hold. */
export interface Progress {
  readonly seed: number;
  readonly runs: number;
  readonly operations: number;
  readonly kills: number;
  readonly checks: number;
  /** How many operations were done when the table was last proven. */
  readonly checkedAt: number;
  readonly violations: number;
  readonly unanswered: number;
  /** Addresses held when the last operation was done. */
  readonly held: number;
  /** How far the functions' clocks are ahead of this machine's. */
  readonly aheadMs: number;
  /** How many requests each caller has made. */
  readonly requests: readonly number[];
  readonly ledger: Written;
  /** Does a run work on it, or has one broken off? Then what is written here is not what the callers hold. */
  readonly isUnderWay?: boolean;
}

const fileIn = (directory: string) => join(directory, "race.json");

/** What the directory has, or the beginning of a race. */
export async function readProgress(directory: string, seed: number): Promise<Progress> {
  await mkdir(directory, { recursive: true });
  const text = await readFile(fileIn(directory), "utf8").catch(() => undefined);
  if (text === undefined)
    return {
      seed,
      runs: 0,
      operations: 0,
      kills: 0,
      checks: 0,
      checkedAt: 0,
      violations: 0,
      unanswered: 0,
      held: 0,
      aheadMs: 0,
      requests: [],
      ledger: { standing: [], unheard: [], toldTheSame: 0, toldReleased: 0 },
    };
  const progress: Progress = JSON.parse(text);
  if (progress.isUnderWay)
    throw new Error(
      `the race in ${directory} broke off, or is under way: what its callers hold is not known. Begin another one in an empty directory.`,
    );
  return progress;
}

/** Whole or not at all. */
export async function writeProgress(directory: string, progress: Progress): Promise<void> {
  const file = fileIn(directory);
  await writeFile(`${file}.next`, JSON.stringify(progress));
  await rename(`${file}.next`, file);
}
