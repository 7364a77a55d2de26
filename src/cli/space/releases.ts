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
import { lineOf } from "../shell/text.ts";

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
 * Releases addresses, as many per request as fit, and repeats those with a generation for which a request had no time. It
 * yields the results of each request. One without a generation that is unfinished ends it, because it may be done.
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
      const body = { addresses, ...(keep && { keep }) };
      const unproven = addresses.find(({ generation }) => generation === undefined);
      const { results } = await (unproven
        ? release<AddressesReleased>(client, body, ["address", "get", unproven.address])
        : releaseProven<AddressesReleased>(client, body));
      const done = results.filter(isFinished);
      if (done.length > 0) yield done;
      fruitless = done.length > 0 ? 0 : fruitless + 1;
      if (fruitless === FRUITLESS_REQUESTS_MAX)
        throw stuck(counted(left.length, "address", "addresses"));
      left = addresses.filter((_, i) => results[i]?.status === "unfinished");
      if (unproven) throwUnproven(client, left);
    }
  }
}

/** Throws if addresses are left that no generation names. */
function throwUnproven({ space }: PlatClient, left: readonly ReleaseEntry[]): void {
  const unproven = left.filter(({ generation }) => generation === undefined);
  const [first] = unproven;
  if (!first) return;
  const what = counted(unproven.length, "address", "addresses");
  throw unsure(`Plat could not finish ${what}.`, ["address", "get", first.address], space);
}

const isFinished = (result: Result): result is FinishedRelease => result.status !== "unfinished";

/** Releases all addresses of a handle, request by request, until none is left. */
export const releaseHandle = (client: PlatClient, handle: string): AsyncGenerator<AllReleased> =>
  releaseAll(client, handle, { handle }, ["handle", "get", handle]);

/** The result of a release of an instance of a workload. */
type InstanceReleased = Exclude<Released, AddressesReleased | AllReleased>;

/** Releases or keeps what an instance has under its uid. A repeat changes nothing, because a later uid has its own. */
export const releaseInstance = (client: PlatClient, named: object): Promise<InstanceReleased> =>
  releaseProven(client, named);

/** Releases all addresses of a host, request by request, until none is left. */
export const releaseHost = (
  client: PlatClient,
  host: { readonly host: string; readonly affinityType?: AffinityType | undefined },
): AsyncGenerator<AllReleased> =>
  releaseAll(client, host.host, host, [
    ...["block", "get", "--host", host.host],
    ...(host.affinityType === undefined ? [] : ["--affinity-type", host.affinityType]),
  ]);

/**
 * Repeats a release until it is complete. Unreadable items prevent that, so it ends after two answers in a row without
 * progress that name the same items. One such answer is not enough, because it may have tried other items.
 */
async function* releaseAll(
  client: PlatClient,
  name: string,
  whose: object,
  look: readonly string[],
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

/** Sends one release of which each repeat can release only assignments that the caller has seen. */
const releaseProven = async <Body>(client: PlatClient, body: object): Promise<Body> =>
  (await client.release({ body })).body as Body;

/** Sends one release, and says how to look if its outcome is unknown. */
const release = <Body>(client: PlatClient, body: object, look: readonly string[]): Promise<Body> =>
  sayingOutcome(client, releaseProven<Body>(client, body), look);

/**
 * Adds to the error of a release what a person should know before a repeat, which would also release later assignments.
 *
 * @param look the words of the command that shows what is assigned now
 */
export async function sayingOutcome<Result>(
  { space }: PlatClient,
  sent: Promise<Result>,
  look: readonly string[],
): Promise<Result> {
  try {
    return await sent;
  } catch (error) {
    if (!(error instanceof PlatError && mayBeDoneInPart(error))) throw error;
    throw unsure(`${commandErrorOf(error)?.message}`, look, space);
  }
}

const unsure = (why: string, look: readonly string[], space: string): CommandError =>
  new CommandError(
    EXIT.unreachable,
    `${why}\nAll or part of it may have been released. The command does not retry, because a retry would also release what was assigned since.\nLook with \`${lineOf(look, space)}\`. To release all of that, repeat the command.`,
  );

/** Returns true if all or a part of a release may be done, because Plat releases in parts. */
const mayBeDoneInPart = (error: PlatError): boolean =>
  mayBeDone(error) || (error instanceof ApiError && error.problem.retryable);
