import { TableFrozenError } from "../../base/outcome.ts";
import { logger, publish } from "../http/logger.ts";

/** The part of the table's guard that a run needs. */
export interface Guard {
  /** @throws {TableFrozenError} if the table serves no write */
  assertServing(): Promise<void>;
}

/**
 * Carries out a run unless the table is frozen. Then it writes a log line and a metric, from which the alarm comes.
 *
 * @param guard that of the table; nothing for a table without one
 * @returns what the run returns; nothing if the table is frozen
 */
export async function unlessFrozen<T>(
  guard: Guard | undefined,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    await guard?.assertServing();
    return await run();
  } catch (error) {
    if (!(error instanceof TableFrozenError)) throw error;
    logger.warn("frozen", { why: error.message });
    publish({}, { TableFrozen: 1 });
    return undefined;
  }
}
