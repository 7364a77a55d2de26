import { ContentionError, type Outcome, UnavailableError } from "../../base/outcome.ts";
import { SWAP_TRIES_MAX } from "../values/limits.ts";

/**
 * Changes an item by compare-and-swap. A try reads the item, decides, and writes on condition that the item is
 * unchanged.
 * A try that finds it changed asks for another: with the item that the failed condition returned, or after a read.
 *
 * @param what the name of the item for the error, such as "the address plan"
 * @param attempt one try; it gets the number of tries before it
 * @throws {ContentionError} after `SWAP_TRIES_MAX` tries: other callers were faster each time
 */
export function compareAndSwap<Answer>(
  what: string,
  attempt: (before: number) => Promise<Step<Answer>>,
): Promise<Answer> {
  const exhausted = () => new ContentionError(`${what} kept changing, in ${SWAP_TRIES_MAX} tries`);
  return untilAnswered({ triesMax: SWAP_TRIES_MAX, exhausted }, attempt);
}

/** The most tries of a step, and what it comes to if none of them answers: an answer, or an error that is thrown. */
interface Tries<Answer> {
  readonly triesMax: number;
  exhausted(): Answer | Error;
}

/**
 * Repeats a step until it answers. `compareAndSwap` and `untilKnown` are this with a maximum and an error of their own.
 *
 * @param attempt one try; it gets the number of tries before it
 * @throws what `exhausted` returns, if that is an error
 */
export async function untilAnswered<Answer>(
  { triesMax, exhausted }: Tries<NoInfer<Answer>>,
  attempt: (before: number) => Promise<Step<Answer>>,
): Promise<Answer> {
  for (let before = 0; before < triesMax; before++) {
    const step = await attempt(before);
    if (step.kind === "answer") return step.answer;
  }
  const end = exhausted();
  if (end instanceof Error) throw end;
  return end;
}

/**
 * Repeats a write that may be made twice until its outcome is known: a fence, an entry of a set.
 *
 * @param what what the write does, for the error: "a block was fenced"
 * @throws {UnavailableError} after `SWAP_TRIES_MAX` writes without a known outcome
 */
export function untilKnown<T>(
  what: string,
  write: () => Promise<Outcome<T>>,
): Promise<KnownOutcome<T>> {
  const exhausted = () => new UnavailableError(`the database did not say whether ${what}`);
  return untilAnswered({ triesMax: SWAP_TRIES_MAX, exhausted }, async () => {
    const written = await write();
    return written.outcome === "unknown" ? RETRY : answer(written);
  });
}

export type KnownOutcome<T> = Exclude<Outcome<T>, { readonly outcome: "unknown" }>;

/**
 * The result of one step of an operation. It is the answer; or the request to make the step again, since what it saw has changed;
 * or what the next step needs. A rejection is an answer. An infrastructure error is thrown.
 */
export type Step<Answer, Next = never> =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "retry" }
  | { readonly kind: "proceed"; readonly next: Next };

export const answer = <Answer>(value: Answer) => ({ kind: "answer", answer: value }) as const;

export const RETRY = { kind: "retry" } as const;

export const proceed = <Next>(next: Next) => ({ kind: "proceed", next }) as const;
