import { ApiError, NotPlat } from "../../client/index.ts";
import type { World } from "./kind.ts";

/**
 * The time for which a denial is believed to be a new policy that IAM has not spread yet
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency).
 */
const DENIED_MS_MAX = 60_000;
const DENIED_WAIT_MS = 5_000;
/** The wait for a rejection that does not name one. */
const UNTOLD_WAIT_MS = 5_000;

/**
 * Carries out an act, and repeats it after what passes: a denial within the first minute, and a rejection that says so,
 * such as an address that cools. It gives up when the handler must answer before the end of the wait.
 */
export async function patiently<Result>(world: World, act: () => Promise<Result>): Promise<Result> {
  const startMs = world.now();
  for (;;)
    try {
      return await act();
    } catch (error) {
      const waitMs = waitOf(error, world.now() - startMs);
      if (waitMs === undefined || waitMs >= world.remainingMs()) throw error;
      await world.sleep(waitMs);
    }
}

function waitOf(error: unknown, passedMs: number): number | undefined {
  if (error instanceof NotPlat)
    return error.status === 403 && passedMs < DENIED_MS_MAX ? DENIED_WAIT_MS : undefined;
  if (!(error instanceof ApiError && error.problem.retryable)) return undefined;
  const seconds = error.problem.retryAfterSeconds;
  return seconds === undefined ? UNTOLD_WAIT_MS : seconds * 1_000;
}
