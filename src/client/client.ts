import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { SPACE_DEFAULT } from "../contract/routes/space-path.ts";
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
  return clientOver(callOver(endpoint, space, access, { ...WORLD, ...world }), space);
}

/** Makes a client over a function that calls the API. */
export const clientOver = (call: Call, space = SPACE_DEFAULT): PlatClient => ({
  space,
  call,
  ...operationsOver(call, randomUUID),
});

const WORLD: World = {
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
  random: Math.random,
};
