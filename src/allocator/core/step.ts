/**
 * The result of one step of an operation: the answer, or the request to make the step again, since what it saw has changed. A rejection is an answer. An infrastructure error is thrown.
 */
export type Step<Answer> =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "retry" };

export const answer = <Answer>(value: Answer) => ({ kind: "answer", answer: value }) as const;

export const RETRY = { kind: "retry" } as const;
