import type { Client } from "../../src/local/client.ts";
import { functionsOver } from "../../src/local/functions.ts";
import type { Table } from "../../src/table/table.ts";
import { type Surroundings, wiringOver } from "../../src/wiring.ts";
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
export function openFunctions(table: Table, surroundings: Partial<Surroundings>): Functions {
  const started = () => functionsOver(wiringOver(table, surroundings));
  const idle: ReturnType<typeof started>[] = [];
  return {
    scheduledRuns: started().scheduledRuns,
    client: {
      async call(method, path, body, headers) {
        const functions = idle.pop() ?? started();
        const request = { body, ...(headers && { headers }) };
        const reply = await callHandler(functions.handlers, method, path, request);
        idle.push(functions);
        return reply;
      },
      close() {},
    },
  };
}
