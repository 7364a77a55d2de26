import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { SPACE_DEFAULT } from "../api/route.ts";
import { type BatchResult, inBatches } from "./batches.ts";
import type { BatchedRequest } from "./cut-batches.ts";
import { callOver, type Waiting, type World, waitingIn } from "./http.ts";
import { type Operations, operationsOver, type Paged } from "./operations.ts";
import type { Call } from "./request.ts";
import type { Access } from "./signing.ts";

/** The API of Plat in one address space. Every failure is thrown as a `PlatError`. */
export interface PlatClient extends Operations {
  /** The address space in which the client acts. */
  readonly space: string;
  /** The operations with long answers, as async iterators over their pages. */
  readonly pages: Paged;
  /**
   * Carries out any number of assigns and releases in batches, some side by side, and yields the result of each in their order. An
   * assign without a key gets one that is the same whenever the same requests are sent. After a failure it yields the results that
   * there are, and throws.
   */
  readonly inBatches: (
    requests: Iterable<BatchedRequest> | AsyncIterable<BatchedRequest>,
    signal?: AbortSignal,
  ) => AsyncGenerator<BatchResult, void, undefined>;
  /** Sends a request to a path that no operation has a name for. */
  readonly call: Call;
}

/** The API to call, and what its requests carry. */
export interface PlatOptions extends Access {
  /** The URL of the API, with the stage that its path may need. */
  readonly endpoint: string;
  /** The address space; `default` if left out. */
  readonly space?: string | undefined;
  /**
   * The time in which a call begins another try, in milliseconds; 30,000 if left out, and 600,000 at most. A wait that does not fit
   * what is left is not begun.
   */
  readonly retryMs?: number | undefined;
}

/**
 * Makes a client of the API. It sends nothing before its first call.
 *
 * @throws InvalidCall if the endpoint is no URL of HTTP, the space has no valid name, or the time of its tries is too long
 */
export function platClient(
  { endpoint, space, retryMs, ...access }: PlatOptions,
  world: Partial<World> = {},
): PlatClient {
  const whole = { ...WORLD, ...world };
  const waiting = waitingIn(whole, retryMs);
  return clientOver(callOver(endpoint, space, access, whole, waiting), space, waiting);
}

/**
 * Makes a client of the API that reads its token anew for each call, because somebody may replace it in the meantime.
 *
 * @throws InvalidCall as `platClient` does
 */
export function clientWithToken(
  readToken: () => Promise<string>,
  options: PlatOptions,
  world: Partial<World> = {},
): PlatClient {
  const { space } = platClient(options, world);
  return clientOver(
    async (request) => platClient({ ...options, token: await readToken() }, world).call(request),
    space,
    waitingIn({ ...WORLD, ...world }, options.retryMs),
  );
}

/** Makes a client over a function that calls the API. */
export function clientOver(
  call: Call,
  space = SPACE_DEFAULT,
  waiting: Waiting = waitingIn(WORLD),
): PlatClient {
  const operations = operationsOver(call, randomUUID);
  return {
    space,
    call,
    ...operations,
    inBatches: (requests, signal) =>
      inBatches({ send: operations.sendBatch, ...waiting }, requests, signal),
  };
}

const WORLD: World = {
  sleep: (ms, signal) =>
    setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
      // The timer throws an error of its own.
      signal?.throwIfAborted();
      throw error;
    }),
  random: Math.random,
  now: () => performance.now(),
};
