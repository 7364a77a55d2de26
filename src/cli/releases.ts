import type * as v from "valibot";
import { RELEASES_PER_REQUEST_MAX } from "../domain/limits.ts";
import type { released } from "../edge/answers.ts";
import { ApiError, type Client, path, Unanswered } from "./client.ts";
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
    const { results } = await release<Extract<Released, { readonly results: unknown }>>(
      client,
      { addresses },
      addresses.every(({ generation }) => generation !== undefined) || "plat address get IP",
    );
    yield results;
  }
}

/** All that a handle has. */
export async function releaseHandle(client: Client, handle: string): Promise<readonly string[]> {
  const { released } = await release<Extract<Released, { readonly handle: string }>>(
    client,
    { handle },
    `plat handle get ${handle}`,
  );
  return released;
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
    const answer = await release<HostReleased>(client, host, `plat block get --host ${host.host}`);
    yield answer;
    if (answer.complete) return;
    last = answer;
    fruitless = answer.released.length > 0 ? 0 : fruitless + 1;
  }
  if (last?.unreadable.length) return;
  throw new CommandError(
    EXIT.unreachable,
    `${FRUITLESS_REQUESTS_MAX} requests in a row found nothing more of ${host.host} in their time; the same line goes on.`,
  );
}

/**
 * Sends one release.
 *
 * @param repeat true where only what was seen can be freed by it, however often it is sent. Otherwise the command that shows
 *   what there is to free: whatever was assigned under the name since would go with it, so a person decides
 */
async function release<Body>(client: Client, body: object, repeat: true | string): Promise<Body> {
  const request = { method: "POST", path: path`/v1/release`, body } as const;
  if (repeat === true) return (await client.call<Body>({ ...request, isRepeatable: true })).body;
  try {
    return (await client.call<Body>(request)).body;
  } catch (error) {
    if (!(error instanceof CommandError && mayBeDone(error))) throw error;
    throw new CommandError(
      EXIT.unreachable,
      `${error.message}\nHow much of it is released is not known, and it is not sent again: what was assigned anew since would go too. See \`${repeat}\`; if all of that is to go, the same line goes on.`,
    );
  }
}

/** All of it, or some. */
const mayBeDone = (error: CommandError): boolean =>
  error instanceof Unanswered ||
  (error instanceof ApiError && (error.problem.retryable || error.problem.status >= 500));
