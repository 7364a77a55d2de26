import type * as v from "valibot";
import { type HttpAnswer, withTenant } from "../api/http/event.ts";
import { Problem, thrownProblem } from "../api/schema/problem.ts";
import { RELEASES_PER_REQUEST_MAX } from "../base/limits.ts";
import { type Address, formatAddress } from "../net/address.ts";
import type { assignedAddress, assignment } from "../nouns/address/contract/assignment-answer.ts";
import type { batchDone } from "../nouns/address/contract/batch-answer.ts";
import type { addressesReleased } from "../nouns/address/contract/release-answer.ts";
import { type Around, addressBody } from "./address-body.ts";
import { type HeldAddress, NETBOX_HANDLES, NETBOX_HOST, type Said, toAssign } from "./fields.ts";
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
 * object names one. If one is rejected, the others are released, and the answer says why.
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
    const attributes = withTenant(event, toAssign(said.attributes), "tenant");
    named.push({ said: { ...said, attributes }, wanted });
  }
  const [first] = named;
  if (first && named.length === 1) {
    const key = event.headers["idempotency-key"];
    const headers = key === undefined ? {} : { "idempotency-key": key };
    const body = bodyOf(first, plat, key);
    const done = await plat.call<v.InferOutput<typeof assignment>>("POST /v1/assign", {
      ...{ space, headers, body },
    });
    return heldOf(done, body);
  }
  return assignSeveral(plat, space, named);
}

async function assignSeveral(
  plat: Plat,
  space: string,
  all: readonly AddressWanted[],
): Promise<readonly HeldAddress[]> {
  const bodies = all.map((each) => bodyOf(each, plat));
  const requests = bodies.map((assign) => ({ assign, idempotencyKey: plat.fresh() }));
  const body = { requests };
  const done = await plat.call<v.InferOutput<typeof batchDone>>("POST /v1/batch", { space, body });
  const held = done.results.flatMap(({ assigned }, n) =>
    assigned ? heldOf(assigned, bodies[n] as AssignBody) : [],
  );
  const failed = done.results.find(({ problem }) => problem);
  if (!failed?.problem) return held;
  const left = await release(plat, space, held).catch(thrownProblem);
  const { code, detail } = failed.problem;
  // Nobody knows what became of a write that the database did not answer.
  const isKnown = done.results.every(({ problem }) => !problem || problem.status < 429);
  const rest =
    left || !isKnown
      ? "Some of its addresses may stay assigned; search for them by what the request said of them."
      : "No address of this request stays assigned.";
  throw new Problem(code, `${detail} ${rest}`);
}

/** Releases addresses by their generations. @throws {Problem} why one of them is still assigned */
export async function release(
  plat: Plat,
  space: string,
  held: readonly Pick<HeldAddress, "address" | "generation">[],
): Promise<void> {
  for (let from = 0; from < held.length; from += RELEASES_PER_REQUEST_MAX)
    await releaseFew(plat, space, held.slice(from, from + RELEASES_PER_REQUEST_MAX));
}

async function releaseFew(
  plat: Plat,
  space: string,
  held: readonly Pick<HeldAddress, "address" | "generation">[],
): Promise<void> {
  const addresses = held.map(({ address, generation }) => ({ address, generation }));
  const body = { addresses };
  const done = await plat.call<v.InferOutput<typeof addressesReleased>>("POST /v1/release", {
    ...{ space, body },
  });
  const failed = done.results.find(
    ({ status }) => status === "conflict" || status === "unfinished",
  );
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
