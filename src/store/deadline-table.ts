import { REQUEST_MS_MAX } from "../domain/limits.ts";
import { DeadlineError } from "../domain/outcome.ts";
import type { Sender } from "./dynamodb-table.ts";
import { eachCall } from "./each-call.ts";
import type { Table } from "./table.ts";

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

/** The last moment at which a request may call the table, and its clock. */
export interface Deadline {
  readonly lastCallMs: number;
  readonly nowMs: () => number;
}

/** Returns the deadline of a request that begins now. Each of its calls to the table begins early enough for an answer. */
export const deadlineFromNow = (nowMs = () => performance.now()): Deadline => ({
  lastCallMs: nowMs() + LAST_CALL_MS,
  nowMs,
});

/**
 * Returns a table that begins no call for a request whose time is up, as if its function had been stopped there. Then
 * the caller receives that error, and the handle under which an assign may hold addresses.
 */
export function deadlineTable(table: Table, deadline: Deadline): Table {
  return eachCall(table, (call) => {
    const late = lateness(deadline, 0);
    return late ? Promise.reject(late) : call();
  });
}

/** Applies the same deadline to each page of a Query, because each page is a request of its own. */
export function deadlineSender(sender: Sender, deadline: Deadline): Sender {
  const send = async (...command: Parameters<Sender["send"]>) => {
    assertInTime(deadline);
    return sender.send(...command);
  };
  return { send } as Sender;
}

/** Returns a sleep that pauses only if a call can still begin after the pause. */
export function deadlineSleep(sleep: (ms: number) => Promise<void>, deadline: Deadline) {
  return async (ms: number): Promise<void> => {
    assertInTime(deadline, ms);
    await sleep(ms);
  };
}

/**
 * Checks that a call can still begin.
 *
 * @throws {DeadlineError} if a call that begins after this many milliseconds would be too late
 */
export function assertInTime(deadline: Deadline, afterMs = 0): void {
  const late = lateness(deadline, afterMs);
  if (late) throw late;
}

const lateness = ({ lastCallMs, nowMs }: Deadline, afterMs: number): DeadlineError | undefined =>
  nowMs() + afterMs > lastCallMs
    ? new DeadlineError("the request ran out of time before its end, and its changes so far remain")
    : undefined;
