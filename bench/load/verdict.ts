import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const RUN_MS_MAX = 15 * 60_000;

export interface VerdictOptions {
  /** Keep the directory with the data at the end. */
  readonly keep?: boolean;
  /** Work in this directory and keep it, without a time limit. */
  readonly directory?: string;
  /** The result of a run without failures. */
  readonly sentence: string;
}

/**
 * Runs a bench in a new directory, and ends this process. If a check failed, it prints the failures and exits with 1.
 */
export async function verdict(
  run: (directory: string) => Promise<readonly string[]>,
  { keep = false, directory: named, sentence }: VerdictOptions,
): Promise<never> {
  if (named === undefined)
    setTimeout(() => {
      console.error(`FAILED: not finished in ${RUN_MS_MAX / 60_000} minutes`);
      process.exit(1);
    }, RUN_MS_MAX).unref();
  const directory = named ?? (await mkdtemp(join(tmpdir(), "plat-")));
  const failures = await run(directory).catch((error: Error) => [error.stack ?? error.message]);
  if (keep) console.log(`The data is kept in ${directory}`);
  else if (named === undefined) await rm(directory, { recursive: true });
  for (const failure of failures) console.error(`FAILED: ${failure}`);
  if (failures.length === 0) console.log(sentence);
  process.exit(failures.length === 0 ? 0 : 1);
}
