import type { Problem } from "./types.ts";

/** A rejection of the API, or the absence of its answer. */
export class Rejection extends Error {
  /** The status of HTTP; 0 if no answer came. */
  readonly status: number;
  /** The problem as the API sent it; absent if the answer was something else. */
  readonly problem: Problem | undefined;

  constructor(status: number, message: string, problem?: Problem) {
    super(message);
    this.status = status;
    this.problem = problem;
  }

  /** The stable code of the problem, or a word of the console for an answer without one. */
  get code(): string {
    return this.problem?.code ?? (this.status === 0 ? "unreachable" : "not_understood");
  }
}

/** Returns the rejection that an answer is. A gateway that gave up on a change does not know whether it was made. */
export async function rejectionIn(response: Response, isChange: boolean): Promise<Rejection> {
  const { status } = response;
  const body = await response.json().catch(() => undefined);
  if (isProblem(body)) return new Rejection(status, body.detail, body);
  // API Gateway writes its message, and IAM its Message.
  const said: unknown = body?.message ?? body?.Message;
  const told = typeof said === "string" ? `: ${said}` : "";
  const outcome = isChange && status >= SERVER_ERROR ? ` ${UNKNOWN}` : "";
  return new Rejection(
    status,
    `The answer has the status ${status} and does not come from Plat${told}.${outcome}`,
  );
}

const SERVER_ERROR = 500;
const UNKNOWN = "The change may have been made. Read again before you repeat it.";

/** Returns the rejection for a change without an answer. */
export const unanswered = (): Rejection => new Rejection(0, `The API does not answer. ${UNKNOWN}`);

const isProblem = (body: unknown): body is Problem =>
  typeof body === "object" && body !== null && "code" in body && "detail" in body;

/** Returns the rejection for an error that a call threw. */
export const rejectionOf = (error: unknown): Rejection =>
  error instanceof Rejection
    ? error
    : new Rejection(0, "The API does not answer. It has stopped, or this browser cannot reach it.");

/** Returns nothing if the API rejects a read with one of these statuses, by default because there is no such thing. */
export async function unlessAbsent<T>(
  reading: Promise<T>,
  statuses: readonly number[] = [404],
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Rejection && statuses.includes(error.status)) return undefined;
    throw error;
  }
}
