import { logger } from "../http/logger.ts";

/** Logs a scheduled run. Failures on the way are a warning, because the run continued. */
export function logScheduledRun(
  name: string,
  { failures, ...done }: { readonly failures: readonly unknown[] },
): void {
  if (failures.length === 0) logger.info(name, done);
  else logger.warn(name, { ...done, failed: failures.length, error: failures[0] });
}
