import { CommandError, EXIT } from "./exit.ts";
import type { Io } from "./io.ts";

/**
 * Runs a function at Ctrl-C instead of ending the process, until the returned function is called.
 *
 * It keeps listening after the first Ctrl-C. `signal-exit`, which the spinner uses to show the cursor again, ends the
 * process if it finds no other listener when its turn comes.
 */
export function onInterrupt(act: () => void): () => void {
  process.on("SIGINT", act);
  return () => process.off("SIGINT", act);
}

/**
 * Does work that Ctrl-C aborts by its signal. It does not wait for work that ignores the signal, such as reading
 * credentials: the process may outlive the command until that ends, or until a second Ctrl-C.
 *
 * @throws CommandError with the message, if Ctrl-C was pressed before the work was done
 */
export async function abortable<Result>(
  io: Pick<Io, "onInterrupt">,
  message: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interruption = new AbortController();
  const { signal } = interruption;
  const interrupted = new Promise<never>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason)),
  );
  const stopListening = io.onInterrupt(() => interruption.abort());
  try {
    return await Promise.race([work(signal), interrupted]);
  } catch (error) {
    throw signal.aborted ? new CommandError(EXIT.interrupted, message) : error;
  } finally {
    stopListening();
  }
}
