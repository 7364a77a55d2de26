import { Refused } from "./event.ts";

/** The maximum of requests of one release. Each works for some seconds. */
const REQUESTS_MAX = 8;

/**
 * Repeats a release until it is complete.
 *
 * @param release sends one request, and returns true if everything is released
 * @throws {Refused} if it is not complete after 8 requests
 */
export async function untilComplete(release: () => Promise<boolean>): Promise<void> {
  for (let requests = 0; requests < REQUESTS_MAX; requests++) if (await release()) return;
  throw new Refused(`${REQUESTS_MAX} requests did not release everything. Try again.`);
}
