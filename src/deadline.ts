import { AsyncLocalStorage } from "node:async_hooks";
import { REQUEST_MS_MAX } from "./domain/limits.ts";
import { Unavailable } from "./domain/outcome.ts";
import { eachCall } from "./store/each-call.ts";
import type { Table } from "./store/table.ts";

export const CONNECT_MS_MAX = 1_000;
/** Some hundred times what DynamoDB usually takes; a write that took longer is of unknown outcome. */
export const ANSWER_MS_MAX = 2_000;
/** For the answer to be put into words, and to leave. */
const WORDS_MS = 500;
/** Lambda ends a function without a word when its time is up: a call that begins later might be its last. */
const LAST_CALL_MS = REQUEST_MS_MAX - CONNECT_MS_MAX - ANSWER_MS_MAX - WORDS_MS;

interface Deadline {
  readonly lastCallMs: number;
  readonly nowMs: () => number;
}

const deadlines = new AsyncLocalStorage<Deadline>();

/** Does the work of one request, whose calls to the table all begin in time for an answer. */
export function inTime<T>(work: () => Promise<T>, nowMs = () => performance.now()): Promise<T> {
  return deadlines.run({ lastCallMs: nowMs() + LAST_CALL_MS, nowMs }, work);
}

/**
 * A table that begins no call for a request whose time is up, as if its function had been stopped there: then its caller is
 * told so, and under which handle an assign may hold something. Whoever has no deadline, a pass or a command, is served.
 */
export function timelyTable(table: Table): Table {
  return eachCall(table, async (call) => {
    const deadline = deadlines.getStore();
    if (deadline && deadline.nowMs() > deadline.lastCallMs)
      throw new Unavailable(
        "the request took too long and was not carried to its end, and what it did so far stands",
      );
    return call();
  });
}
