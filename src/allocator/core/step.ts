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
