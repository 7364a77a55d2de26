import { DeadlineError } from "../../domain/outcome.ts";

/**
 * Notes what went wrong with one of many things, for the log: it must not keep a scheduled run from all that come after it.
 *
 * @throws DeadlineError when it was that, for then nothing comes after it
 */
export function note(failures: unknown[], error: unknown): void {
  if (error instanceof DeadlineError) throw error;
  failures.push(error);
}
