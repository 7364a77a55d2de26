import { AsyncLocalStorage } from "node:async_hooks";
import { REQUEST_MS_MAX } from "./domain/limits.ts";
import { DeadlineError } from "./domain/outcome.ts";
import type { Sender } from "./store/dynamodb-table.ts";
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
 * told so, and under which handle an assign may hold something. Whoever has no deadline, a scheduled run or a command, is served.
 */
export function deadlineTable(table: Table): Table {
  return eachCall(table, async (call) => {
    assertInTime();
    return call();
  });
}

/** The same for each page of a Query, which is a request over the wire of its own. */
export function deadlineSender(sender: Sender): Sender {
  const send = async (...command: Parameters<Sender["send"]>) => {
    assertInTime();
    return sender.send(...command);
  };
  return { send } as Sender;
}

/** Pauses only where there is time for a call after the pause. */
export function deadlineSleep(sleep: (ms: number) => Promise<void>) {
  return async (ms: number): Promise<void> => {
    assertInTime(ms);
    await sleep(ms);
  };
}

/** @throws DeadlineError where a call that begins after so many milliseconds would be too late */
export function assertInTime(afterMs = 0): void {
  const deadline = deadlines.getStore();
  if (deadline && deadline.nowMs() + afterMs > deadline.lastCallMs)
    throw new DeadlineError(
      "the request ran out of time before its end, and its changes so far remain",
    );
}
