import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyDatabase, databaseIn } from "./database.ts";
import type { Written } from "./ledger.ts";

/** The progress of a race over all its runs, and the callers' holdings. */
export interface Progress {
  readonly seed: number;
  readonly runs: number;
  readonly operations: number;
  readonly kills: number;
  readonly checks: number;
  /** The number of operations at the last check of the table. */
  readonly checkedAt: number;
  readonly violations: number;
  readonly unanswered: number;
  /** Addresses held when the last operation was done. */
  readonly held: number;
  /** How far the functions' clocks are ahead of this machine's. */
  readonly aheadMs: number;
  /** The number of requests of each caller. */
  readonly requests: readonly number[];
  readonly ledger: Written;
  /** The process of the current run. If it has ended, the progress belongs to the copy, and not to the database. */
  readonly pid?: number;
  /** The copy of the database that was made last. */
  readonly copy?: string;
  /** The violations found. */
  readonly failures?: readonly string[];
}

const fileIn = (directory: string) => join(directory, "race.json");

/** Reads the progress in the directory, or begins a race. It resets a run that died to its last saved point. */
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
      ledger: { current: [], unheard: [], toldTheSame: 0, toldReleased: 0 },
    };
  const { pid, ...progress }: Progress = JSON.parse(text);
  if (progress.failures)
    throw new Error(
      `the race in ${directory} did not hold: ${progress.failures[0]}. Begin another one in an empty directory.`,
    );
  if (pid !== undefined && progress.copy !== undefined) {
    if (isAlive(pid)) throw new Error(`the race in ${directory} is under way in process ${pid}`);
    await copyDatabase(join(directory, progress.copy), databaseIn(directory));
  }
  return progress;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the copy to write next. Of the two, the one that the progress names is complete. */
export const nextCopy = ({ copy }: Progress): string =>
  copy === "copy-1.db" ? "copy-2.db" : "copy-1.db";

/** Writes the progress atomically. */
export async function writeProgress(directory: string, progress: Progress): Promise<void> {
  const file = fileIn(directory);
  await writeFile(`${file}.next`, JSON.stringify(progress));
  await rename(`${file}.next`, file);
}
