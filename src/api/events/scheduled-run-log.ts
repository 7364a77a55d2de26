import { CorruptItemError } from "../../base/outcome.ts";
import { logger, publish } from "../http/logger.ts";

interface ScheduledRunDone {
  readonly failures: readonly unknown[];
  /** The age of the oldest item that was due and waited for the run; absent if the run looks at none. */
  readonly oldestDueSeconds?: number;
}

/** The functions by what their runs did, as the log says it. */
const RUNS = { reclaimed: "reclaim", repaired: "repair", worked: "work", probed: "probe" } as const;

/**
 * Logs a scheduled run, and publishes its heartbeat. Failures on the way are a warning, because the run continued.
 */
export function logScheduledRun(
  name: keyof typeof RUNS,
  { failures, ...done }: ScheduledRunDone,
): void {
  if (failures.length === 0) logger.info(name, { ...done });
  else logger.warn(name, { ...done, failed: failures.length, error: failures[0] });
  publish({ run: RUNS[name] }, { Heartbeat: 1, OldestDue: done.oldestDueSeconds });
  const unreadable = failures.filter((failure) => failure instanceof CorruptItemError).length;
  if (unreadable > 0) publish({}, { UnreadableItems: unreadable });
}
