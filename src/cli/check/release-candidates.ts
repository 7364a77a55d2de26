import type { PlatClient } from "../../client/index.ts";
import { type ReleaseResult, releaseAddresses } from "../space/releases.ts";
import type { Candidate } from "./candidates.ts";

/** The result for a candidate. `skipped` means that the owner or the assignment has changed, and nothing was done. */
export interface Outcome {
  readonly address: string;
  readonly handle: string;
  readonly status: Exclude<ReleaseResult["status"], "conflict"> | "skipped";
  readonly detail?: string;
}

/**
 * Releases each candidate under its generation, so that only this assignment can be released. It yields the results of
 * each request.
 */
export async function* releaseCandidates(
  client: PlatClient,
  candidates: readonly Candidate[],
): AsyncGenerator<readonly Outcome[]> {
  const entries = candidates.map(({ address, generation }) => ({ address, generation }));
  const handles = new Map(candidates.map(({ address, handle }) => [address, handle]));
  for await (const results of releaseAddresses(client, entries))
    yield results.map(({ address, status, detail }) => ({
      address,
      handle: handles.get(address) ?? "",
      status: status === "conflict" ? "skipped" : status,
      ...(detail !== undefined && { detail }),
    }));
}
