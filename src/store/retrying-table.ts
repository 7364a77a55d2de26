import type { Random } from "../domain/fresh.ts";
import { CALL_TRIES_MAX } from "../domain/limits.ts";
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
 * Returns a table that repeats a call after an error that says that nothing was done
 * (`ThrottledError`), and a read also after no answer. It never repeats a write whose outcome is
 * unknown (rule 3). The pauses of a call sum up to more than 0.75 s, so that a read outlasts a
 * database that is away for a moment. Half of each pause is random.
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
      const mayPass = error instanceof ThrottledError || error instanceof UnavailableError;
      if (!mayPass || attempt >= CALL_TRIES_MAX) throw error;
      const pauseMsMax = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** attempt);
      await sleep((0.5 + random.fraction() / 2) * pauseMsMax);
    }
  }
}
