import { type Outcome, UnavailableError } from "../../domain/outcome.ts";

/** The result of an operator's write. */
export interface Written<T> {
  readonly value: T;
  readonly created: boolean;
  /** From when on every function acts on it, in milliseconds since the epoch. */
  readonly effectiveAtMs: number;
}

/** An operator whose write is of unknown outcome is told so, and reads before writing again. */
export async function knownOutcome<T>(write: Promise<Outcome<T>>) {
  const result = await write;
  if (result.outcome === "unknown")
    throw new UnavailableError(
      "the database did not say whether the change was made; read before trying again",
    );
  return result;
}
