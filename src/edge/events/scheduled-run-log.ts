import { logger } from "../http/logger.ts";

/** The log line of a scheduled pass; what went wrong on the way is a warning, since the pass went on. */
export function logPass(
  name: string,
  { failures, ...done }: { readonly failures: readonly unknown[] },
): void {
  if (failures.length === 0) logger.info(name, done);
  else logger.warn(name, { ...done, failed: failures.length, error: failures[0] });
}
