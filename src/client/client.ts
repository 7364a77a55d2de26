import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { SPACE_DEFAULT } from "../contract/routes/space-path.ts";
import { type BatchResult, inBatches } from "./batches.ts";
import type { BatchedRequest } from "./cut-batches.ts";
import { callOver, type World } from "./http.ts";
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
}

/**
 * Makes a client of the API. It sends nothing before its first call.
 *
 * @throws InvalidCall if the endpoint is no URL of HTTP, or the space has no valid name
 */
export function platClient(
  { endpoint, space, ...access }: PlatOptions,
  world: Partial<World> = {},
): PlatClient {
  const whole = { ...WORLD, ...world };
  return clientOver(callOver(endpoint, space, access, whole), space, whole.sleep);
}

/** Makes a client over a function that calls the API. */
export function clientOver(
  call: Call,
  space = SPACE_DEFAULT,
  sleep: World["sleep"] = WORLD.sleep,
): PlatClient {
  const operations = operationsOver(call, randomUUID);
  return {
    space,
    call,
    ...operations,
    inBatches: (requests, signal) =>
      inBatches({ send: operations.sendBatch, sleep }, requests, signal),
  };
}

const WORLD: World = {
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
  random: Math.random,
};
