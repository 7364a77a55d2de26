import { isCutShort } from "../../base/outcome.ts";

/**
 * Corrects a hint after work that is done, and ignores failures. A hint may be wrong at any time, so a failed write of
 * it must not fail the work or lose its answer.
 */
export async function asHint(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isCutShort(error)) throw error;
  }
}
