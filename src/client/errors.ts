import type { components } from "./generated/schema.ts";

/** A rejection by Plat, a problem document of RFC 9457. It can have further members, by code. */
export type Problem = components["schemas"]["Problem"] & { readonly [member: string]: unknown };

/** The code of a problem, such as `pool_exhausted`. */
export type ProblemCode = Problem["code"];

/**
 * The reason why a call failed. Its class says what became of the request. The prototypes have the names of the classes, because a trace
 * takes the name that there is before the constructor of the class runs, and a bundle shortens that of the class itself.
 */
export abstract class PlatError extends Error {}

/** Gives the errors of a class its name. */
function named(errors: { readonly prototype: Error }, name: string): void {
  Object.defineProperty(errors.prototype, "name", { value: name, configurable: true });
}

/** Plat rejected the request, or failed; the problem says which, and whether a later repeat may succeed. */
export class ApiError extends PlatError {
  declare readonly name: "ApiError";
  static {
    named(ApiError, "ApiError");
  }
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  /** The code of the problem. */
  get code(): ProblemCode {
    return this.problem.code;
  }
}

/** A request without an answer of Plat: all or a part of it may have been carried out. */
export class Unanswered extends PlatError {
  declare readonly name: "Unanswered";
  static {
    named(Unanswered, "Unanswered");
  }
}

/** The request found no connection, so nothing was sent. */
export class NotSent extends PlatError {
  declare readonly name: "NotSent";
  static {
    named(NotSent, "NotSent");
  }
}

/** A gateway or another server answered in the place of Plat, which did not get the request. */
export class NotPlat extends PlatError {
  declare readonly name: "NotPlat";
  static {
    named(NotPlat, "NotPlat");
  }
  /** The status of the answer. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** True if the gateway denied the request, and a repeat needs other credentials or another endpoint. */
  get isDenied(): boolean {
    return this.status === 401 || this.status === 403 || this.status === 404;
  }
}

/** The call itself is invalid: an endpoint, a name or a token that cannot be sent. Nothing was sent. */
export class InvalidCall extends PlatError {
  declare readonly name: "InvalidCall";
  static {
    named(InvalidCall, "InvalidCall");
  }
}

/** Returns true if Plat rejected the request with one of these codes. */
export const isRejection = (error: unknown, ...codes: readonly ProblemCode[]): error is ApiError =>
  error instanceof ApiError && codes.includes(error.problem.code);

/**
 * Returns true if a failed request may have been carried out. False if there was no connection, because nothing was
 * sent.
 */
export const mayBeDone = (error: PlatError): boolean =>
  error instanceof Unanswered || (error instanceof ApiError && error.problem.status >= 500);

/** Returns the result of a read, or nothing if Plat answers that it does not exist. */
export async function found<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isRejection(error, "not_found")) return undefined;
    throw error;
  }
}
