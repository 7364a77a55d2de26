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

/**
 * Runs work that adds to its result, and prints the result even if the rest of the work fails.
 *
 * @param done the result, to which the work adds
 */
export async function tellingResult(
  done: readonly unknown[],
  tell: () => void,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (done.length > 0) tell();
    throw error;
  }
  tell();
}

/** Shows a count to a person after each step, `12 of 40 blocks`, with the total if it is known. */
export function counting(shown: ShownProgress, what: string, total?: number): () => void {
  let done = 0;
  return () => {
    done++;
    shown.update(`${done} ${total === undefined ? "" : `of ${total} `}${what}`);
  };
}
