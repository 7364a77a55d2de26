import type { Client } from "../client.ts";
import { releaseAddresses } from "../releases.ts";
import type { Candidate } from "./candidates.ts";

/** What became of a candidate. `skipped`: somebody else has it, or it is not as it was; nothing was done to it. */
export interface Outcome {
  readonly address: string;
  readonly handle: string;
  readonly status: "released" | "not_assigned" | "skipped";
  readonly detail?: string;
}

/** Releases each under its generation, so that nothing but this very assignment can be freed, whatever happened since. */
export async function releaseCandidates(
  client: Client,
  candidates: readonly Candidate[],
): Promise<readonly Outcome[]> {
  const entries = candidates.map(({ address, generation }) => ({ address, generation }));
  const outcomes: Outcome[] = [];
  for await (const results of releaseAddresses(client, entries))
    for (const { status, detail } of results) {
      const { address, handle } = candidates[outcomes.length] as Candidate;
      outcomes.push({
        address,
        handle,
        status: status === "conflict" ? "skipped" : status,
        ...(detail !== undefined && { detail }),
      });
    }
  return outcomes;
}
