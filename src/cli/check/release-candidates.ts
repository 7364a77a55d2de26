import type * as v from "valibot";
import { RELEASES_PER_REQUEST_MAX } from "../../domain/limits.ts";
import type { released } from "../../edge/answers.ts";
import { type Client, path } from "../client.ts";
import type { Candidate } from "./candidates.ts";

/** What became of a candidate. `skipped`: somebody else has it, or it is not as it was; nothing was done to it. */
export interface Outcome {
  readonly address: string;
  readonly handle: string;
  readonly status: "released" | "not_assigned" | "skipped";
  readonly detail?: string;
}

type Results = Extract<v.InferOutput<typeof released>, { readonly results: unknown }>;

/** Releases each under its generation, so that nothing but this very assignment can be freed, whatever happened since. */
export async function releaseCandidates(
  client: Client,
  candidates: readonly Candidate[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let from = 0; from < candidates.length; from += RELEASES_PER_REQUEST_MAX) {
    const batch = candidates.slice(from, from + RELEASES_PER_REQUEST_MAX);
    const { body } = await client.call<Results>({
      method: "POST",
      path: path`/v1/release`,
      body: { addresses: batch.map(({ address, generation }) => ({ address, generation })) },
    });
    outcomes.push(
      ...body.results.map(({ status, detail, code }, i) => {
        const { address, handle } = batch[i] as Candidate;
        if (status !== "conflict") return { address, handle, status };
        return { address, handle, status: "skipped" as const, detail: detail ?? code ?? "" };
      }),
    );
  }
  return outcomes;
}
