import { DeadlineError } from "../../base/outcome.ts";

/**
 * Notes the failure of one of many items for the log, so that a scheduled run continues with the others.
 *
 * @throws {DeadlineError} if the failure is one, because no work may follow it
 */
export function note(failures: unknown[], error: unknown): void {
  if (error instanceof DeadlineError) throw error;
  failures.push(error);
}
