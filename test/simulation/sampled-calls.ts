/** `npm run test:long` tries every fourth call. A test file by itself tries all: `npx vitest run FILE`. */
export const SAMPLED_OF = process.env.SAMPLED_CALLS === "true" ? 4 : 1;

/**
 * Returns the numbers of the calls that a test interrupts, at least one. Tests with successive numbers take successive
 * calls, so that together they try every call.
 *
 * @param of one in how many calls
 */
export function callsToTry(
  calls: readonly string[],
  test: number,
  of: number = SAMPLED_OF,
): readonly number[] {
  const step = Math.min(of, calls.length);
  return calls.flatMap((_, at) => (at % step === test % step ? [at] : []));
}
