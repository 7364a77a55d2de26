import type { Io, Progress } from "../shell/io.ts";

/** Shows how far long work is for as long as it takes, also where it fails. */
export async function progressing<Result>(
  io: Io,
  text: string,
  work: (shown: Progress) => Promise<Result>,
): Promise<Result> {
  const shown = io.progress(text);
  try {
    return await work(shown);
  } finally {
    shown.done();
  }
}

/**
 * Work that is done bit by bit: tells what was done also where the rest of it fails, if anything was.
 *
 * @param done what the work adds to
 */
export async function told(
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

/** Tells a person after each step how many there were, `12 of 40 blocks`; of how many, where that is known. */
export function counting(shown: Progress, what: string, total?: number): () => void {
  let done = 0;
  return () => {
    done++;
    shown.update(`${done} ${total === undefined ? "" : `of ${total} `}${what}`);
  };
}
