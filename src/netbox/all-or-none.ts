import { Problem, problemOf } from "../api/schema/problem.ts";
import type { Plat } from "./plat.ts";

/** Writes of one request. It calls `written` with the id of each object of which something is written. */
type Writes<Result> = (plat: Plat, written: (id: number) => void) => Promise<Result>;

/**
 * Carries out several writes of one request: all, or none. They are tried first, on a table that keeps them to itself. Only another
 * request or the database can stop them after that, and then the problem has the ids of the objects that are written.
 *
 * @throws {Problem} why one of them is not possible
 */
export async function allOrNone<Result>(plat: Plat, writes: Writes<Result>): Promise<Result> {
  await dryRunFirst(plat, (there) => writes(there, () => undefined));
  const written = new Set<number>();
  return writes(plat, (id) => written.add(id)).catch((error) => {
    const problem = problemFrom(error);
    if (written.size === 0) throw problem;
    const objects = written.size === 1 ? "1 object" : `${written.size} objects`;
    const sentence = `${objects} of this request changed before: written has the ids.`;
    throw told(problem, sentence, { written: [...written] });
  });
}

/** Tries writes on a table that keeps them to itself. @throws {Problem} why they are not possible */
export async function dryRunFirst(
  plat: Plat,
  writes: (plat: Plat) => Promise<unknown>,
): Promise<void> {
  if (!plat.dryRun) return;
  await writes(plat.dryRun()).catch((error) => {
    const problem = problemFrom(error);
    // What was tried holds nothing, so there is no handle to release.
    const { handle: _, ...members } = problem.members;
    throw told(new Problem(problem.code, problem.detail, members), "This request changed nothing.");
  });
}

/** Returns the problem of an error, for the `catch` of a promise. An unexpected error passes through. */
export function problemFrom(error: unknown): Problem {
  const problem = problemOf(error);
  if (problem.code === "internal_error") throw error;
  return problem;
}

/** Says what a request under a key has got that fails after its dry run. */
export const keptUnderKey = (got: number, wanted: number, what: string): string =>
  `This request has ${got} of its ${wanted} ${what} so far. Send it again under the same Idempotency-Key for the others.`;

/** Says whether a request without a key that fails after its dry run has got something. */
export const keptOf = (what: string, isLeft: boolean): string =>
  isLeft
    ? `Some ${what} of this request may stay assigned; search for them by what it said of them.`
    : `This request keeps no ${what}.`;

/** Returns a problem with one more sentence. */
export const told = (
  { code, detail, members }: Problem,
  sentence: string,
  more: Readonly<Record<string, unknown>> = {},
): Problem => new Problem(code, `${detail} ${sentence}`, { ...members, ...more });
