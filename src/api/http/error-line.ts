import {
  CorruptItemError,
  DeadlineError,
  Rejection,
  ThrottledError,
  UnavailableError,
} from "../../base/outcome.ts";

/** An error in a log line. No field has a name of a caller, or another value of a request or an item. */
export interface ErrorLine {
  readonly name: string;
  /** The message, only of an error whose messages never have names. */
  readonly message?: string;
  /** The kind of the unreadable item. The answer to the caller, and `plat check`, name the item. */
  readonly kind?: string;
  /** The reason why the item is unreadable. */
  readonly problem?: string;
  /** The code of a rejection. */
  readonly code?: string;
  /** The status and the request id of the answer of an AWS service. */
  readonly httpStatusCode?: number;
  readonly awsRequestId?: string;
  /** The places in the code, without the message that begins a stack of V8. */
  readonly stack?: string;
  readonly cause?: ErrorLine;
}

/**
 * Returns what a log line says of an error. A message may quote a name or a value, such as that of `JSON.parse`, so it
 * is left out unless its class is known to have none. The stack names the place instead.
 */
export function errorLine(error: unknown): ErrorLine {
  if (error instanceof Rejection) return { name: "Rejection", code: error.code };
  if (!(error instanceof Error)) return { name: "UnknownError" };
  const stack = placesIn(error);
  return {
    name: error.name,
    ...(hasPlainMessage(error) && { message: error.message }),
    ...(error instanceof CorruptItemError && { kind: error.kind, problem: error.problem }),
    ...answerOf(error),
    ...(stack && { stack }),
    ...(error.cause instanceof Error && { cause: errorLine(error.cause) }),
  };
}

/** The errors whose messages an operator needs: those of AWS have ARNs of this account only, and that of the probe its own names. */
const PLAIN_ERRORS: ReadonlySet<string> = new Set([
  "AccessDeniedException",
  "ResourceNotFoundException",
  "ProbeFailed",
]);

const hasPlainMessage = (error: Error): boolean =>
  error instanceof ThrottledError ||
  error instanceof UnavailableError ||
  error instanceof DeadlineError ||
  PLAIN_ERRORS.has(error.name);

function answerOf(error: Error): Pick<ErrorLine, "httpStatusCode" | "awsRequestId"> {
  const { $metadata } = error as {
    $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  };
  const { httpStatusCode, requestId } = $metadata ?? {};
  return {
    ...(httpStatusCode !== undefined && { httpStatusCode }),
    ...(requestId !== undefined && { awsRequestId: requestId }),
  };
}

/** A line of a stack that names a place: file, line and column. */
const PLACE = /^ +at .*:\d+:\d+\)?$/;

function placesIn({ stack, message }: Error): string | undefined {
  if (stack === undefined) return undefined;
  // A message may have lines that look like places.
  const after = stack.slice(Math.max(stack.indexOf(message), 0) + message.length);
  return after
    .split("\n")
    .filter((line) => PLACE.test(line))
    .join("\n");
}
