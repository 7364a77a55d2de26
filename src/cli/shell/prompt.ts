import { CommandError, EXIT } from "./exit.ts";
import type { Io } from "./io.ts";

/**
 * Returns the function that asks a person a yes-or-no question, with no as default; nothing if no person can answer. It
 * asks on stderr, so that stdout stays for programs.
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
      // The library reports both Ctrl-C and the end of the input in this way.
      if (!(error instanceof Error && error.name === "ExitPromptError")) throw error;
      throw new CommandError(EXIT.interrupted, "Interrupted: nothing was changed.");
    }
  };
}
