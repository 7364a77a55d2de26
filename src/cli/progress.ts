import type { Io, Progress } from "./io.ts";

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
