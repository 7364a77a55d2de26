import {
  ApiError,
  InvalidCall,
  NotPlat,
  NotSent,
  PlatError,
  type Problem,
} from "../../client/index.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { ADVICE } from "./advice.ts";

/** Returns the error of the command for a failed call of the API, or the error of a command itself; else nothing. */
export function commandErrorOf(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  return error instanceof PlatError
    ? new CommandError(exitOf(error), sentencesOf(error), { cause: error })
    : undefined;
}

function exitOf(error: PlatError): number {
  if (error instanceof InvalidCall) return EXIT.usage;
  const isRejected =
    (error instanceof ApiError && !(error.problem.status >= 500)) ||
    (error instanceof NotPlat && error.isDenied);
  return isRejected ? EXIT.rejected : EXIT.unreachable;
}

function sentencesOf(error: PlatError): string {
  if (error instanceof ApiError) return sentencesOfProblem(error.problem);
  return error instanceof NotSent
    ? `${error.message}\nThe option --endpoint names the endpoint, or PLAT_ENDPOINT.`
    : error.message;
}

/**
 * Returns the detail, the invalid fields with their values, whether a repeat may help, and the id of the request in the
 * log.
 */
function sentencesOfProblem(problem: Problem): string {
  const { code, detail, fields = [], retryable, retryAfterSeconds: after, requestId } = problem;
  const { handle } = problem;
  const advice = ADVICE[code];
  const wait = after === undefined ? "" : `, after ${after} s`;
  return [
    detail,
    ...(advice !== undefined ? [advice] : []),
    ...fields
      .filter(({ value }) => value !== undefined)
      .map(({ field, value }) => `field: ${field} = ${JSON.stringify(value)}`),
    // The handle under which a caller can release the addresses of an interrupted assign.
    ...(typeof handle === "string" ? [`handle: ${handle}`] : []),
    ...(retryable ? [`retryable: yes${wait}`] : []),
    `code: ${code}`,
    `request: ${requestId}`,
  ].join("\n");
}

/** Adds a line to what a failed call says. */
export function addedTo(error: PlatError, line: string): CommandError {
  const { exit, message } = commandErrorOf(error) as CommandError;
  return new CommandError(exit, `${message}\n${line}`);
}
