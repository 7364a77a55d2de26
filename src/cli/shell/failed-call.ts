import {
  ApiError,
  InvalidCall,
  NotPlat,
  NotSent,
  PlatError,
  type Problem,
  type ProblemCode,
} from "../../client/index.ts";
import { CommandError, EXIT } from "./exit.ts";

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
    ? `${error.message}\nSet the endpoint with --endpoint, PLAT_ENDPOINT or a context of \`plat config\`.`
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

/** Advice about a problem, by its code: the API cannot name the commands that help. */
const ADVICE: Readonly<Partial<Record<ProblemCode, string>>> = {
  forbidden: "An operator of the API grants roles.",
  unauthenticated: "Set PLAT_TOKEN to the token of the server.",
  no_pool_available: "`plat pool get` lists the pools.",
  pool_exhausted: "`plat show` lists the free addresses of each pool.",
  host_not_registered: "Register the host with `plat node apply -f FILE`.",
  precondition_failed: "It changed in the meantime. Look at it, and repeat the command.",
  request_in_progress: "Repeat the command when the other request has ended.",
  idempotency_mismatch: "Use another --idempotency-key for another request.",
  unreadable: "`plat check` names the items that cannot be read.",
  internal_error: "The log of the server shows the cause, under the id of the request.",
};
