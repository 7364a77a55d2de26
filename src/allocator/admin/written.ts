import { type Outcome, Rejection, UnavailableError } from "../../domain/outcome.ts";

/** The result of an operator's write. */
export interface Written<T> {
  readonly value: T;
  readonly created: boolean;
  /** The time from which every function uses the value, in milliseconds since the epoch. */
  readonly effectiveAtMs: number;
}

/**
 * Returns the outcome of an operator's write if it is known.
 *
 * @throws {UnavailableError} if the outcome is unknown; the operator must read before writing again
 */
export async function knownOutcome<T>(write: Promise<Outcome<T>>) {
  const result = await write;
  if (result.outcome === "unknown")
    throw new UnavailableError(
      "the database did not say whether the change was made; read before trying again",
    );
  return result;
}

/** Returns the rejection of a write whose resource another request changed after it was read. */
export const changedMeanwhile = (kind: string, name: string) =>
  new Rejection(
    "precondition_failed",
    `The ${kind} ${name} was changed by another request meanwhile.`,
  );
