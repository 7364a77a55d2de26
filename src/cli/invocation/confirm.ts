import type { Command } from "commander";
import { CommandError, EXIT, usageError } from "../shell/exit.ts";
import { type DryRunOption, type Session, withDryRun } from "./cli.ts";

export interface ConfirmOptions extends DryRunOption {
  readonly yes?: true;
}

/** Asks a question, whose text is made only if it is asked. Errors: the answer is no. */
export type Confirm = (question: string | (() => Promise<string>)) => Promise<void>;

/** Adds the options of a command that deletes, or that makes a large change. */
export const withConfirmation = (command: Command, preview: string): Command =>
  withQuestion(withDryRun(command, preview));

/** Adds the option of a command that deletes, and that has no preview of its own. */
export const withQuestion = (command: Command): Command =>
  command.option("-y, --yes", "Do not ask for confirmation; required where there is no terminal");

/**
 * Returns the function that asks a person before a change.
 *
 * It requires --yes if there is no terminal. So a script must state its intention, and a script that was never tried at
 * a terminal changes nothing by surprise.
 *
 * @param look what shows beforehand what the command would do
 * @throws CommandError (usage) if there is no terminal, before anything is sent
 */
export function confirmation(
  { io }: Pick<Session, "io">,
  { dryRun, yes }: ConfirmOptions,
  look = "--dry-run",
): Confirm {
  const { ask } = io;
  if (!yes && !dryRun && !ask)
    throw usageError(
      `This command needs confirmation, but stdin or stderr is not a terminal.\nNothing was sent. Repeat it with --yes, or look first with ${look}.`,
    );
  return async (question) => {
    if (yes || !ask) return;
    const agreed = await ask(typeof question === "string" ? question : await question());
    if (!agreed) throw new CommandError(EXIT.rejected, "Cancelled: nothing was changed.");
  };
}
