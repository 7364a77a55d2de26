import { printable } from "./text.ts";

/**
 * Exit codes, for scripts. A code other than 0 has its reason on stderr.
 */
export const EXIT = {
  done: 0,
  /**
   * The API, or a gateway before it, rejected the request, and stderr has the code of the problem; or the person did
   * not confirm.
   */
  rejected: 1,
  /** The command line, or a file that it names, is invalid; nothing was sent, or nothing written. */
  usage: 2,
  /**
   * The API is out of reach, or failed, or another server answered. stderr says whether the request may have happened. Or
   * stdout cannot be written.
   */
  unreachable: 3,
  /** `check` has findings, or the brake of `collect` is on; stdout has the details. */
  found: 4,
  /** The time of `--timeout` is over; the job continues. */
  timedOut: 5,
  /** The exit code of Ctrl-C in shells: 128 plus the number of SIGINT. */
  interrupted: 130,
} as const;

/**
 * Ends the command with a message on stderr. The first line names the mistake, with the field and the value; the
 * following lines say what to do.
 */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exit: number;

  constructor(exit: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exit = exit;
  }
}

/** Returns the text on stderr for an error. A finding of a check is no error of the command. */
export const errorText = ({ exit, message }: CommandError): string =>
  `${exit === EXIT.found ? "Warning" : "Error"}: ${printable(message, "\n").trimEnd().replaceAll("\n", "\n  ")}\n`;

/** Returns the text with a capital letter at its start. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Makes the error of a rejection: a sentence with the reason, what to do, and the code of the problem for programs. */
export const rejectionError = (code: string, sentence: string, ...more: readonly string[]) =>
  new CommandError(EXIT.rejected, [sentence, ...more, `code: ${code}`].join("\n"));

/** Makes the error of invalid input; the message names the input and the valid values. */
export const usageError = (message: string) => new CommandError(EXIT.usage, message);

const PROBLEMS_SHOWN_MAX = 10;

/** Makes the error of one or more mistakes: the message has the first of them, and the number of the others. */
export function usageErrors(problems: readonly string[]): CommandError {
  const more = problems.length - PROBLEMS_SHOWN_MAX;
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX);
  return usageError([...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"));
}
