import { CommandError, EXIT } from "./exit.ts";
import type { Io } from "./io.ts";

/**
 * Returns what asks a person a question that is answered with yes or no, and no by itself; nothing where nobody can answer.
 * It is asked on stderr, so that stdout stays what a program reads.
 */
export function promptOn(
  stdin: NodeJS.ReadStream,
  stderr: NodeJS.WriteStream,
): Io["ask"] | undefined {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return async (message) => {
    const { default: confirm } = await import("@inquirer/confirm");
    try {
      return await confirm({ message, default: false }, { input: stdin, output: stderr });
    } catch (error) {
      // Ctrl-C, and the end of the input, as the library tells them.
      if (!(error instanceof Error && error.name === "ExitPromptError")) throw error;
      throw new CommandError(EXIT.interrupted, "Interrupted: nothing was changed.");
    }
  };
}
