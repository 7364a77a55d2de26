import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "../../src/allocator/core/context.ts";
import { Memory } from "../../src/allocator/core/warm-cache.ts";
import type { Client } from "../../src/local/client.ts";
import type { Table } from "../../src/store/table.ts";
import { wire } from "../../src/wiring.ts";
import { callHandler } from "../../test/functions/call.ts";

/** The functions that AWS would run, in this process, without HTTP. */
export interface Functions {
  readonly client: Client;
  readonly passes: Readonly<Record<"reclaim" | "repair", () => Promise<void>>>;
}

/**
 * Functions as Lambda runs them: each serves one request at a time, and remembers what it has seen itself. There are as
 * many as there ever were requests at once; a request goes to the one that was at work last.
 *
 * @param surroundings what they are given, but for their memory
 */
export async function openFunctions(
  table: Table,
  surroundings: Omit<Context, "memory">,
): Promise<Functions> {
  const serving = new AsyncLocalStorage<Memory>();
  const ofPasses = new Memory();
  const idle: Memory[] = [];
  wire(table, {
    ...surroundings,
    get memory() {
      return serving.getStore() ?? ofPasses;
    },
  });
  // A function takes up its table as it is loaded.
  const { HANDLERS, PASSES } = await import("../../src/local/functions.ts");
  return {
    passes: PASSES,
    client: {
      async call(method, path, body, headers) {
        const memory = idle.pop() ?? new Memory();
        const reply = await serving.run(memory, () =>
          callHandler(HANDLERS, method, path, { body, ...(headers && { headers }) }),
        );
        idle.push(memory);
        return reply;
      },
      close() {},
    },
  };
}
