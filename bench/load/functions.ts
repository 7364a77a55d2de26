import { AsyncLocalStorage } from "node:async_hooks";
import { WarmCache } from "../../src/allocator/core/warm-cache.ts";
import type { Client } from "../../src/local/client.ts";
import type { Table } from "../../src/store/table.ts";
import { type Surroundings, wire } from "../../src/wiring.ts";
import { callHandler } from "../../test/functions/call.ts";

/** The functions that Lambda would run, in this process and without HTTP. */
export interface Functions {
  readonly client: Client;
  readonly scheduledRuns: Readonly<Record<"reclaim" | "repair", () => Promise<void>>>;
}

/**
 * Opens functions as Lambda runs them: each serves one request at a time, and has its own warm cache. Their number is
 * the maximum of parallel requests so far. A request goes to the function that was used last.
 *
 * @param surroundings those of the machine unless they are passed in
 */
export async function openFunctions(
  table: Table,
  surroundings: Partial<Surroundings>,
): Promise<Functions> {
  const serving = new AsyncLocalStorage<WarmCache>();
  const ofScheduledRuns = new WarmCache();
  const idle: WarmCache[] = [];
  wire(table, surroundings, () => serving.getStore() ?? ofScheduledRuns);
  // A function connects to its table when it is loaded.
  const { HANDLERS, SCHEDULED_RUNS } = await import("../../src/local/functions.ts");
  return {
    scheduledRuns: SCHEDULED_RUNS,
    client: {
      async call(method, path, body, headers) {
        const cache = idle.pop() ?? new WarmCache();
        const reply = await serving.run(cache, () =>
          callHandler(HANDLERS, method, path, { body, ...(headers && { headers }) }),
        );
        idle.push(cache);
        return reply;
      },
      close() {},
    },
  };
}
