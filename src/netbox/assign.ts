import type * as v from "valibot";
import { shortDigest } from "../api/http/body.ts";
import { type Event, type HttpAnswer, withTenant } from "../api/http/event.ts";
import { parseIdempotencyKey } from "../api/http/parameters.ts";
import { Problem, type ProblemCode } from "../api/schema/problem.ts";
import { RELEASES_PER_REQUEST_MAX } from "../base/limits.ts";
import { type Address, formatAddress } from "../net/address.ts";
import type { assignedAddress, assignment } from "../nouns/address/contract/assignment-answer.ts";
import type { batchDone } from "../nouns/address/contract/batch-answer.ts";
import type { addressesReleased } from "../nouns/address/contract/release-answer.ts";
import { type Around, addressBody } from "./address-body.ts";
import { dryRunFirst, keptOf, keptUnderKey, problemFrom, told } from "./all-or-none.ts";
import {
  type HeldAddress,
  inWordsOfNetbox,
  NETBOX_HANDLES,
  NETBOX_HOST,
  type Said,
  toAssign,
  withOwnTenant,
  wordedAsSent,
} from "./fields.ts";
import type { Plat } from "./plat.ts";
import type { DialectRequest } from "./request.ts";

type Assigned = v.InferOutput<typeof assignedAddress>;

/** A wanted address: a specific one, or the next free one of pools. */
export interface AddressWanted {
  readonly said: Said;
  readonly wanted:
    | { readonly address: Address }
    | { readonly pools: readonly string[]; readonly family: 4 | 6 };
}

/**
 * Assigns what the objects of a request want: all, or none. Each address has a handle of its own, which the dialect makes unless the
 * object names one. A repeat under the same Idempotency-Key gets the same addresses.
 */
export async function assignAll(
  plat: Plat,
  { event }: DialectRequest,
  { space }: Pick<Around, "space">,
  all: readonly AddressWanted[],
): Promise<readonly HeldAddress[]> {
  const named: AddressWanted[] = [];
  for (const { said, wanted } of all) {
    // The answer shows the tenant too, which Plat adds to the attributes.
    const attributes = withTenant(event, withOwnTenant(plat, toAssign(said.attributes)), "tenant");
    named.push({ said: { ...said, attributes }, wanted });
  }
  const [first] = named;
  const keys = keysIn(event, named.length);
  if (first && named.length === 1) {
    const [key] = keys;
    const headers = key === undefined ? {} : { "idempotency-key": key };
    const body = bodyOf(first, plat, key);
    const done = await plat
      .call<v.InferOutput<typeof assignment>>("POST /v1/assign", { space, headers, body })
      .catch(inWordsOfNetbox);
    return heldOf(done, body);
  }
  return assignSeveral(plat, space, named, keys);
}

/**
 * Returns the keys of the objects of a request under its Idempotency-Key: the one object has the key itself, and each of several has a
 * key by its place. Without the header there are none.
 */
export function keysIn(event: Event, objects: number): readonly string[] {
  const key = parseIdempotencyKey(event);
  if (key === undefined) return [];
  if (objects === 1) return [`"${key.replaceAll(/["\\]/g, "\\$&")}"`];
  return Array.from({ length: objects }, (_, n) => shortDigest(`${key}\0${n}`));
}

async function assignSeveral(
  plat: Plat,
  space: string,
  all: readonly AddressWanted[],
  keys: readonly string[],
): Promise<readonly HeldAddress[]> {
  const bodies = all.map((each, n) => bodyOf(each, plat, keys[n]));
  const requests = bodies.map((assign, n) => ({ assign, idempotencyKey: keys[n] ?? plat.fresh() }));
  const send = async (there: Plat) => {
    const body = { requests };
    const { results } = await there.call<BatchDone>("POST /v1/batch", { space, body });
    const problems = results.flatMap(({ problem }) => problem ?? []);
    return {
      results,
      problems,
      failed: problems.find(({ retryable }) => !retryable) ?? problems[0],
    };
  };
  await dryRunFirst(plat, async (there) => {
    const { failed } = await send(there);
    if (failed) throw problemIn(failed);
  });
  const { results, problems, failed } = await send(plat);
  const held = results.flatMap(({ assigned }, n) =>
    assigned ? heldOf(assigned, bodies[n] as AssignBody) : [],
  );
  if (!failed) return held;
  // An earlier request under the key may have got some of them.
  if (keys.length > 0)
    throw told(problemIn(failed), keptUnderKey(held.length, all.length, "addresses"));
  const left = await release(plat, space, held).catch(problemFrom);
  // Nobody knows what became of a write that the database did not answer.
  const isKnown = problems.every(({ status }) => status < 429);
  throw told(problemIn(failed), keptOf("addresses", left !== undefined || !isKnown));
}

type BatchDone = v.InferOutput<typeof batchDone>;

/** Returns the problem of one request of a batch. */
function problemIn(body: NonNullable<BatchDone["results"][number]["problem"]>): Problem {
  const { type: _, title: __, status: ___, requestId: ____, code, detail, ...members } = body;
  return wordedAsSent(new Problem(code as ProblemCode, detail, members));
}

/**
 * Releases addresses by their generations.
 *
 * @param released gets each address that is no longer assigned
 * @throws {Problem} why one of them is still assigned
 */
export async function release<Held extends Pick<HeldAddress, "address" | "generation">>(
  plat: Plat,
  space: string,
  held: readonly Held[],
  released: (held: Held) => void = () => undefined,
): Promise<void> {
  for (let from = 0; from < held.length; from += RELEASES_PER_REQUEST_MAX)
    await releaseFew(plat, space, held.slice(from, from + RELEASES_PER_REQUEST_MAX), released);
}

async function releaseFew<Held extends Pick<HeldAddress, "address" | "generation">>(
  plat: Plat,
  space: string,
  held: readonly Held[],
  released: (held: Held) => void,
): Promise<void> {
  const addresses = held.map(({ address, generation }) => ({ address, generation }));
  const body = { addresses };
  const done = await plat.call<v.InferOutput<typeof addressesReleased>>("POST /v1/release", {
    ...{ space, body },
  });
  const isLeft = ({ status }: { readonly status: string }) =>
    status === "conflict" || status === "unfinished";
  for (const [n, result] of done.results.entries()) if (!isLeft(result)) released(held[n] as Held);
  const failed = done.results.find(isLeft);
  if (!failed) return;
  const code = failed.status === "conflict" ? "generation_conflict" : "unavailable";
  throw new Problem(code, failed.detail ?? `${failed.address} is still assigned.`);
}

type AssignBody = ReturnType<typeof bodyOf>;

/** Returns the body of an assign. With a key of the client, Plat makes the handle of the key, so that a repeat has the same. */
function bodyOf({ said, wanted }: AddressWanted, { fresh }: Plat, key?: string) {
  const { handle = key === undefined ? `${NETBOX_HANDLES}${fresh()}` : undefined, host } = said;
  return {
    ...(host === undefined ? { host: NETBOX_HOST, affinityType: "virtual" } : { host }),
    ...(handle !== undefined && { handle }),
    attributes: said.attributes,
    ...("address" in wanted
      ? { address: formatAddress(wanted.address) }
      : { pools: wanted.pools, ...(wanted.family === 4 ? { ipv4: 1 } : { ipv6: 1 }) }),
  };
}

/** Returns addresses as a read right after the assign would. */
function heldOf(
  { handle, addresses }: { readonly handle: string; readonly addresses: readonly Assigned[] },
  { host, attributes }: Pick<AssignBody, "host" | "attributes">,
): readonly HeldAddress[] {
  return addresses.map((address) => ({ ...address, state: "assigned", handle, host, attributes }));
}

/** Answers with the addresses that a request assigned, in the form of its body. One without an id is released again. */
export async function createdAnswer(
  plat: Plat,
  around: Around,
  held: readonly HeldAddress[],
  isList: boolean,
): Promise<HttpAnswer> {
  const bodies = held.flatMap((each) => addressBody(each, around) ?? []);
  if (bodies.length < held.length) {
    await release(plat, around.space, held);
    throw WITHOUT_ID;
  }
  const location = "/api/ipam/ip-addresses/";
  return { status: 201, location, body: isList ? bodies : (bodies[0] ?? {}) };
}

/** Says of an address that the dialect cannot assign it, as the end of a sentence. */
export const NO_ID =
  "has no id, because it is not among the first 2^24 addresses of its IPv6 pool; use POST /v1/assign there";

const WITHOUT_ID = new Problem("invalid_request", `An address ${NO_ID}.`);
