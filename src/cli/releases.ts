import type * as v from "valibot";
import { RELEASES_PER_REQUEST_MAX } from "../domain/limits.ts";
import type { released } from "../edge/answers.ts";
import { type Client, path } from "./client.ts";
import { CommandError, EXIT } from "./exit.ts";

/** Each looks through blocks for some seconds, in an order of its own. */
const FRUITLESS_REQUESTS_MAX = 8;

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

/** All that a handle has. */
export async function releaseHandle(client: Client, handle: string): Promise<readonly string[]> {
  const { body } = await client.call<Extract<Released, { readonly handle: string }>>({
    method: "POST",
    path: path`/v1/release`,
    body: { handle },
  });
  return body.released;
}

export type HostReleased = Extract<Released, { readonly complete: boolean }>;

/**
 * All that a host has, as far as each request comes, until nothing is left. Blocks that cannot be read keep a release from
 * being complete: where nothing else is found for a while, what their answers say is the end of it.
 */
export async function* releaseHost(
  client: Client,
  host: { readonly host: string; readonly affinityType?: string | undefined },
): AsyncGenerator<HostReleased> {
  let fruitless = 0;
  let last: HostReleased | undefined;
  while (fruitless < FRUITLESS_REQUESTS_MAX) {
    const { body } = await client.call<HostReleased>({
      method: "POST",
      path: path`/v1/release`,
      body: host,
    });
    yield body;
    if (body.complete) return;
    last = body;
    fruitless = body.released.length > 0 ? 0 : fruitless + 1;
  }
  if (last?.unreadable.length) return;
  throw new CommandError(
    EXIT.unreachable,
    `${FRUITLESS_REQUESTS_MAX} requests in a row found nothing more of ${host.host} in their time; the same line goes on.`,
  );
}
