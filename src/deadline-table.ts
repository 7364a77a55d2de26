import { REQUEST_MS_MAX } from "./domain/limits.ts";
import { DeadlineError } from "./domain/outcome.ts";
import { currentScope, within } from "./scope.ts";
import type { Sender } from "./store/dynamodb-table.ts";
import { eachCall } from "./store/each-call.ts";
import type { Table } from "./store/table.ts";

export const CONNECT_MS_MAX = 1_000;
/**
 * Maximum time for an answer of DynamoDB: about a hundred times the usual one. A write that takes longer has an unknown
 * outcome.
 */
export const ANSWER_MS_MAX = 2_000;
/** Time to write the answer and send it. */
const WORDS_MS = 500;
/**
 * The last moment at which a call to the table may begin. Lambda stops a function without an answer when its time is
 * up, so a later call might be the last one.
 */
const LAST_CALL_MS = REQUEST_MS_MAX - CONNECT_MS_MAX - ANSWER_MS_MAX - WORDS_MS;

/** Runs the work of one request. Each of its calls to the table begins early enough for an answer. */
export function inTime<T>(work: () => Promise<T>, nowMs = () => performance.now()): Promise<T> {
  return within({ deadline: { lastCallMs: nowMs() + LAST_CALL_MS, nowMs } }, work);
}

/**
 * Returns a table that begins no call for a request whose time is up, as if its function had been stopped there. Then
 * the caller receives that error, and the handle under which an assign may hold addresses. Scheduled runs and commands
 * have no deadline, so the table serves them always.
 */
export function deadlineTable(table: Table): Table {
  return eachCall(table, (call) => {
    const late = lateness(0);
    return late ? Promise.reject(late) : call();
  });
}

/** Applies the same deadline to each page of a Query, because each page is a request of its own. */
export function deadlineSender(sender: Sender): Sender {
  const send = async (...command: Parameters<Sender["send"]>) => {
    assertInTime();
    return sender.send(...command);
  };
  return { send } as Sender;
}

/** Returns a sleep that pauses only if a call can still begin after the pause. */
export function deadlineSleep(sleep: (ms: number) => Promise<void>) {
  return async (ms: number): Promise<void> => {
    assertInTime(ms);
    await sleep(ms);
  };
}

/**
 * Checks that a call can still begin.
 *
 * @throws {DeadlineError} if a call that begins after this many milliseconds would be too late
 */
export function assertInTime(afterMs = 0): void {
  const late = lateness(afterMs);
  if (late) throw late;
}

function lateness(afterMs: number): DeadlineError | undefined {
  const { deadline } = currentScope();
  return deadline && deadline.nowMs() + afterMs > deadline.lastCallMs
    ? new DeadlineError("the request ran out of time before its end, and its changes so far remain")
    : undefined;
}
