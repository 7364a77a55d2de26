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

  /** True if the request had no credentials, or none that are valid now. */
  get isUnauthenticated(): boolean {
    return this.status === UNAUTHENTICATED;
  }

  /**
   * True for a 403 that does not come from Plat. API Gateway denies so a caller whose policies do not allow the route,
   * and also a signature that is wrong or has expired.
   */
  get isDenied(): boolean {
    return this.status === DENIED && !this.problem;
  }

  /** The stable code of the problem, or a word of the console for an answer without one. */
  get code(): string {
    if (this.problem) return this.problem.code;
    if (this.isDenied) return "forbidden";
    return this.status === 0 ? "unreachable" : "not_understood";
  }
}

const UNAUTHENTICATED = 401;
const DENIED = 403;

/** A rejection that another sign-in can help. */
export class NotSignedIn extends Rejection {
  /** Ends when the user has signed in anew, and the same request may be sent again. */
  readonly signedIn: Promise<void>;

  constructor({ status, message, problem }: Rejection, signedIn: Promise<void>) {
    super(status, message, problem);
    this.signedIn = signedIn;
  }
}

/** Returns the rejection that an answer is. A gateway that gave up on a change does not know whether it was made. */
export async function rejectionIn(response: Response, isChange: boolean): Promise<Rejection> {
  const { status } = response;
  const body = await response.json().catch(() => undefined);
  if (isProblem(body)) return new Rejection(status, body.detail, body);
  // API Gateway writes its message, and IAM its Message.
  const said: unknown = body?.message ?? body?.Message;
  const told = typeof said === "string" ? `: ${said.replace(/\.$/, "")}` : "";
  if (status === UNAUTHENTICATED) {
    const changed = isChange ? " This request changed nothing." : "";
    return new Rejection(status, `The API did not accept your credentials${told}.${changed}`);
  }
  if (status === DENIED)
    return new Rejection(
      status,
      `The API denied the request${told}. Your role does not allow it, or your credentials are wrong or have expired.`,
    );
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
