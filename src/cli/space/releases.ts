import { RELEASES_PER_REQUEST_MAX } from "../../base/limits.ts";
import {
  type Answer,
  ApiError,
  mayBeDone,
  type PlatClient,
  PlatError,
} from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { counted } from "../output/count.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { commandErrorOf } from "../shell/failed-call.ts";

/** The maximum of requests without progress. Each request works for some seconds, in a random order. */
const FRUITLESS_REQUESTS_MAX = 8;

type Released = Answer<"release">;
type AddressesReleased = Extract<Released, { readonly results: unknown }>;

/** The result of a release by handle or host. */
export type AllReleased = Extract<Released, { readonly complete: unknown; released: unknown }>;

/** An address to release, with the proof that it is the caller's. */
export interface ReleaseEntry {
  readonly address: string;
  readonly handle?: string | undefined;
  readonly generation?: string | undefined;
}

type Result = AddressesReleased["results"][number];

/** The result for one address. */
export type FinishedRelease = Result & { readonly status: Exclude<Result["status"], "unfinished"> };

/**
 * Releases addresses by generation, as many per request as fit, and repeats those for which a request had no time. It
 * yields the results of each request.
 *
 * @param keep true if instances of workloads keep their addresses for their next uid
 */
export async function* releaseAddresses(
  client: PlatClient,
  entries: readonly ReleaseEntry[],
  keep = false,
): AsyncGenerator<readonly FinishedRelease[]> {
  for (let from = 0; from < entries.length; from += RELEASES_PER_REQUEST_MAX) {
    let left = entries.slice(from, from + RELEASES_PER_REQUEST_MAX);
    for (let fruitless = 0; left.length > 0; ) {
      const addresses = left;
      const proven = addresses.every(({ generation }) => generation !== undefined);
      const repeat = proven || "plat address get IP";
      const { results } = await release<AddressesReleased>(
        client,
        { addresses, ...(keep && { keep }) },
        repeat,
      );
      const done = results.filter(isFinished);
      if (done.length > 0) yield done;
      fruitless = done.length > 0 ? 0 : fruitless + 1;
      if (fruitless === FRUITLESS_REQUESTS_MAX)
        throw stuck(counted(left.length, "address", "addresses"));
      left = addresses.filter((_, i) => results[i]?.status === "unfinished");
    }
  }
}

const isFinished = (result: Result): result is FinishedRelease => result.status !== "unfinished";

/** Releases all addresses of a handle, request by request, until none is left. */
export const releaseHandle = (client: PlatClient, handle: string): AsyncGenerator<AllReleased> =>
  releaseAll(client, handle, { handle }, `plat handle get ${handle}`);

/** The result of a release of an instance of a workload. */
type InstanceReleased = Exclude<Released, AddressesReleased | AllReleased>;

/** Releases or keeps what an instance has under its uid. A repeat changes nothing, because a later uid has its own. */
export const releaseInstance = (client: PlatClient, named: object): Promise<InstanceReleased> =>
  release(client, named, true);

/** Releases all addresses of a host, request by request, until none is left. */
export const releaseHost = (
  client: PlatClient,
  host: { readonly host: string; readonly affinityType?: AffinityType | undefined },
): AsyncGenerator<AllReleased> =>
  releaseAll(client, host.host, host, `plat block get --host ${host.host}`);

/**
 * Repeats a release until it is complete. Unreadable items prevent that, so it ends after two answers in a row without
 * progress that name the same items. One such answer is not enough, because it may have tried other items.
 */
async function* releaseAll(
  client: PlatClient,
  name: string,
  whose: object,
  look: string,
): AsyncGenerator<AllReleased> {
  let before: AllReleased | undefined;
  for (let fruitless = 0; fruitless < FRUITLESS_REQUESTS_MAX; ) {
    const answer = await release<AllReleased>(client, whose, look);
    yield answer;
    if (answer.complete || (before && isTheEnd(before, answer))) return;
    fruitless = answer.progressed ? 0 : fruitless + 1;
    before = answer;
  }
  throw stuck(name);
}

/** Returns true if neither of two answers made progress, and both name the same unreadable items. */
function isTheEnd(before: AllReleased, answer: AllReleased): boolean {
  const items = itemsOf(answer);
  return !before.progressed && !answer.progressed && items !== "[]" && items === itemsOf(before);
}

const itemsOf = ({ unreadable = [] }: AllReleased): string =>
  JSON.stringify(unreadable.map(({ item }) => item).sort());

const stuck = (what: string): CommandError =>
  new CommandError(
    EXIT.unreachable,
    `${FRUITLESS_REQUESTS_MAX} requests in a row released nothing more of ${what}.\nRepeat the command to continue.`,
  );

/**
 * Sends one release.
 *
 * @param repeat true if each repeat can release only assignments that the caller has seen. Otherwise the command that
 * shows the current addresses: a repeat would also release later assignments, so a person decides
 */
async function release<Body>(
  client: PlatClient,
  body: object,
  repeat: true | string,
): Promise<Body> {
  if (repeat === true) return (await client.release({ body })).body as Body;
  try {
    return (await client.release({ body })).body as Body;
  } catch (error) {
    if (!(error instanceof PlatError && mayBeDoneInPart(error))) throw error;
    throw new CommandError(
      EXIT.unreachable,
      `${commandErrorOf(error)?.message}\nAll or part of it may have been released. The command does not retry, because a retry would also release what was assigned since.\nLook with \`${repeat}\`. To release all of that, repeat the command.`,
    );
  }
}

/** Returns true if all or a part of a release may be done, because Plat releases in parts. */
const mayBeDoneInPart = (error: PlatError): boolean =>
  mayBeDone(error) || (error instanceof ApiError && error.problem.retryable);
