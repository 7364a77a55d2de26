import { logger } from "../http/logger.ts";

/**
 * Carries out a run for which no caller waits. Lambda repeats it if it throws.
 *
 * @param requestId the id of the invocation, for the log
 * @throws {FailedRunError} in place of any error, which is a log line by then
 */
export async function orFailed<T>(requestId: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    logger.error("failed", { requestId, error });
    throw new FailedRunError();
  }
}

/** Replaces the error of a run. Lambda writes a thrown error into the log, with its message. */
class FailedRunError extends Error {
  override readonly name = "FailedRunError";

  constructor() {
    super("the run failed; the line before this one has the reason");
  }
}
