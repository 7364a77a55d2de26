/**
 * Returns the numbers of the calls that a test interrupts, at least one. Tests with successive numbers take successive
 * calls, so that together they try every call.
 *
 * @param of one in this number of calls
 */
export function callsToTry(calls: readonly string[], test: number, of: number): readonly number[] {
  const step = Math.min(of, calls.length);
  return calls.flatMap((_, at) => (at % step === test % step ? [at] : []));
}

/** Returns the size of the step from a tried call to the next: `npm test` and `npm run test:long` take a sample, and a test file by itself all. */
export const oneIn = (sampled: number): number =>
  process.env.SAMPLED_CALLS === "true" ? sampled : 1;
