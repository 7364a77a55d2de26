import { TableFrozenError } from "../../domain/outcome.ts";
import { logger, publish } from "../http/logger.ts";

/** The part of the table's guard that a run needs. */
interface Guard {
  /** @throws {TableFrozenError} if the table serves no write */
  assertServing(): Promise<void>;
}

/** Returns the guard of the table, or nothing for a table without one. */
export type GuardNow = () => Guard | undefined;

/**
 * Carries out a run unless the table is frozen. Then it writes a log line and a metric, from which the alarm comes.
 *
 * @returns what the run returns; nothing if the table is frozen
 */
export async function unlessFrozen<T>(
  guard: GuardNow,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    await guard()?.assertServing();
    return await run();
  } catch (error) {
    if (!(error instanceof TableFrozenError)) throw error;
    logger.warn("frozen", { why: error.message });
    publish({}, { TableFrozen: 1 });
    return undefined;
  }
}
