import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { parseAddress } from "../../src/net/address.ts";
import { someHandle } from "./drawn.ts";
import { type Cloud, type Execution, LambdaFunction } from "./lambda.ts";

/** Returns a request for one IPv4 address for a workload of a host. */
export function requestOf(
  space: string,
  host: HostId,
  changes: Partial<AssignRequest> = {},
): AssignRequest {
  return {
    space,
    host,
    wanted: [{ family: 4, count: 1 }],
    handle: someHandle(),
    attributes: { pod: "web-0", namespace: "shop" },
    pools: [],
    digest: "digest",
    ...changes,
  };
}

/** Assigns by a function that has just started. */
export const assignCold = (
  cloud: Cloud,
  request: AssignRequest,
): Promise<Execution<Assignment | Rejection>> =>
  new LambdaFunction(cloud).request((context) => assign(context, request));

export const isServed = (tried: Execution<Assignment | Rejection>): boolean =>
  tried.ended === "answered" && !(tried.value instanceof Rejection);

/** Returns true if the answer says that a retry is useless. @throws Error if there is no answer */
export function isFinal(tried: Execution<Assignment | Rejection>): boolean {
  if (tried.ended !== "answered") throw new Error(`no answer: ${JSON.stringify(tried)}`);
  return tried.value instanceof Rejection && tried.value.members.retryable !== true;
}

/** The pause of a caller before it retries. */
const PAUSE_MS = 1_000;

/**
 * Returns how many tries a host needs until it is served, each by another function; one more than the maximum if it
 * never is.
 */
export async function triesUntilServed(
  cloud: Cloud,
  request: AssignRequest,
  most = 6,
): Promise<number> {
  for (let tries = 1; tries <= most; tries++) {
    if (isServed(await assignCold(cloud, request))) return tries;
    await cloud.clock.sleep(PAUSE_MS);
  }
  return most + 1;
}

/** Assigns, and expects an answer without a rejection. @throws {Error} if there is none */
export async function expectServed(lambda: LambdaFunction, request: AssignRequest) {
  const ended = await lambda.request((context) => assign(context, request));
  if (ended.ended !== "answered" || ended.value instanceof Rejection)
    throw new Error(`a request was not served: ${JSON.stringify(ended)}`);
  return { ...ended, value: ended.value };
}

/** Returns the first address of an assignment, as a release names it. */
export function addressIn({ addresses: [first] }: Assignment) {
  const address = parseAddress(first?.address ?? "");
  const generation = parseGeneration(first?.generation ?? "");
  if (!address.ok || !generation.ok) throw new Error("an answer without an address");
  return { address: address.value, generation: generation.value };
}

/** Returns the number of calls of a request that is not rejected. @throws {Error} if it is, or has no answer */
export async function callsOf(
  lambda: LambdaFunction,
  work: (context: Context) => Promise<unknown>,
): Promise<number> {
  const ended = await lambda.request(work);
  if (ended.ended !== "answered" || ended.value instanceof Rejection)
    throw new Error(`an operation failed: ${JSON.stringify(ended)}`);
  return ended.calls;
}
