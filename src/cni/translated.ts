import { CommandError } from "../cli/shell/exit.ts";
import { ApiError, InvalidCall, NotPlat, NotSent, PlatError, Unanswered } from "../client/index.ts";
import { CniError, CODE } from "./error.ts";

/** Returns an error as the runtime sees it. A runtime repeats after `tryAgainLater`. */
export function translated(error: unknown): CniError {
  if (error instanceof CniError) return error;
  if (error instanceof ApiError) return rejection(error);
  if (error instanceof NotSent) return later(error, "Nothing was sent.");
  if (error instanceof Unanswered)
    return later(error, "The request may have been carried out. A repeat takes no second address.");
  if (error instanceof InvalidCall) return withFirstLine(CODE.invalidConfiguration, error);
  if (error instanceof NotPlat && error.isDenied) return withFirstLine(CODE.rejected, error);
  if (error instanceof PlatError || error instanceof CommandError)
    return withFirstLine(CODE.tryAgainLater, error);
  if (error instanceof Error && error.name === "TimeoutError")
    return new CniError(CODE.tryAgainLater, "Plat did not answer in time.");
  return new CniError(CODE.internal, `Unexpected ${String(error)}`);
}

function rejection({ problem }: ApiError): CniError {
  const { code, detail, retryable, status, requestId, fields = [] } = problem;
  const isLater = retryable || status >= 500;
  const values = fields
    .filter(({ value }) => value !== undefined)
    .map(({ field, value }) => `${field} = ${JSON.stringify(value)}`);
  return new CniError(
    code === "invalid_request"
      ? CODE.invalidConfiguration
      : isLater
        ? CODE.tryAgainLater
        : CODE.rejected,
    detail,
    [...values, `code: ${code}`, `request: ${requestId}`].join("\n"),
  );
}

const later = (error: Error, details: string) =>
  new CniError(CODE.tryAgainLater, firstLine(error), details);

const withFirstLine = (code: CniError["code"], error: Error) =>
  new CniError(code, firstLine(error));

/** The first line names the mistake. Those after it advise the user of the command. */
const firstLine = ({ message }: Error): string => message.replace(/\n.*/s, "");
