import type { Random } from "../domain/fresh.ts";
import { BUSY_TRIES_MAX, UNANSWERED_TRIES_MAX } from "../domain/limits.ts";
import { ThrottledError, UnavailableError } from "../domain/outcome.ts";
import { eachCall } from "./each-call.ts";
import type { Table } from "./table.ts";

const FIRST_PAUSE_MS = 25;
const PAUSE_MS_MAX = 800;

/** The random source and the sleep of retries. Both are passed in. */
export interface Patience {
  readonly random: Random;
  sleep(ms: number): Promise<void>;
}

/**
 * Returns a table that repeats a call, with full jitter, after an error that says that nothing was
 * done (`ThrottledError`). It repeats a read also after no answer. It never repeats a write whose
 * outcome is unknown (rule 3).
 */
export function retryingTable(table: Table, patience: Patience): Table {
  return eachCall(table, (call) => withRetries(call, patience));
}

/** Makes a call again as a table that retries does. */
export async function withRetries<T>(
  call: () => Promise<T>,
  { random, sleep }: Patience,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const triesMax =
        error instanceof ThrottledError
          ? BUSY_TRIES_MAX
          : error instanceof UnavailableError
            ? UNANSWERED_TRIES_MAX
            : 1;
      if (attempt >= triesMax) throw error;
      const pauseMsMax = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** attempt);
      await sleep(random.fraction() * pauseMsMax);
    }
  }
}
