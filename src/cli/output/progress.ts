import { CommandError, EXIT } from "../shell/exit.ts";
import type { Io, ShownProgress } from "../shell/io.ts";

/** Shows progress while long work runs, and hides it after success and failure. */
export async function progressing<Result>(
  io: Io,
  text: string,
  work: (shown: ShownProgress) => Promise<Result>,
): Promise<Result> {
  const shown = io.progress(text);
  try {
    return await work(shown);
  } finally {
    shown.done();
  }
}

/** Passes on the answers of requests, and ends before the next request after Ctrl-C. */
type UntilInterrupted = <Part>(answers: AsyncIterable<Part>) => AsyncIterable<Part>;

/**
 * Runs work that adds to its result, and prints the result even if the rest of the work fails, or if Ctrl-C ends it between two
 * requests. A second Ctrl-C ends the command at once.
 *
 * @param done the result, to which the work adds
 */
export async function tellingResult(
  io: Pick<Io, "err" | "onInterrupt">,
  done: readonly unknown[],
  tell: () => void,
  work: (untilInterrupted: UntilInterrupted) => Promise<void>,
): Promise<void> {
  let isInterrupted = false;
  const stopListening = io.onInterrupt(() => {
    isInterrupted = true;
    io.err("Note: the command ends after the current request; Ctrl-C ends it at once.\n");
    // Not before the other listeners had their turn: that of the spinner ends the process if it is the only one left.
    setImmediate(stopListening);
  });
  try {
    await work(async function* (answers) {
      for await (const answer of answers) {
        yield answer;
        if (isInterrupted) throw new CommandError(EXIT.interrupted, INTERRUPTED);
      }
    });
  } catch (error) {
    if (done.length > 0) tell();
    throw error;
  } finally {
    stopListening();
  }
  tell();
}

const INTERRUPTED =
  "Interrupted: the command sent no further request. Repeat it to continue with what may be left.";

/** Shows a count to a person after each step, `12 of 40 blocks`, with the total if it is known. */
export function counting(shown: ShownProgress, what: string, total?: number): () => void {
  let done = 0;
  return () => {
    done++;
    shown.update(`${done} ${total === undefined ? "" : `of ${total} `}${what}`);
  };
}
