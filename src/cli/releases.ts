import type * as v from "valibot";
import { RELEASES_PER_REQUEST_MAX } from "../domain/limits.ts";
import type { released } from "../edge/answers.ts";
import { type Client, path } from "./client.ts";

type Released = v.InferOutput<typeof released>;

/** An address, and what proves that it is the caller's to give back. */
export interface ReleaseEntry {
  readonly address: string;
  readonly handle?: string | undefined;
  readonly generation?: string | undefined;
}

/** What became of one address. */
export type ReleaseResult = Extract<Released, { readonly results: unknown }>["results"][number];

/** Gives addresses back one by one, as many at once as a request takes; what became of them comes request by request. */
export async function* releaseAddresses(
  client: Client,
  entries: readonly ReleaseEntry[],
): AsyncGenerator<readonly ReleaseResult[]> {
  for (let from = 0; from < entries.length; from += RELEASES_PER_REQUEST_MAX) {
    const addresses = entries.slice(from, from + RELEASES_PER_REQUEST_MAX);
    const { body } = await client.call<Extract<Released, { readonly results: unknown }>>({
      method: "POST",
      path: path`/v1/release`,
      body: { addresses },
    });
    yield body.results;
  }
}
