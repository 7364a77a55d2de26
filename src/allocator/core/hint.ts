import { isCutShort } from "../../domain/outcome.ts";

/**
 * Puts a hint right beside work that is done, or goes on without it. A hint may be wrong at any time, so what keeps the
 * database from this write is no reason to fail the work, or to lose the answer of what was done.
 */
export async function asHint(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isCutShort(error)) throw error;
  }
}
