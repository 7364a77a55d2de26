import { logger } from "../http/logger.ts";

/** The log line of a scheduled run; what went wrong on the way is a warning, since the scheduled run went on. */
export function logScheduledRun(
  name: string,
  { failures, ...done }: { readonly failures: readonly unknown[] },
): void {
  if (failures.length === 0) logger.info(name, done);
  else logger.warn(name, { ...done, failed: failures.length, error: failures[0] });
}
