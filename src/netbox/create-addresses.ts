import type * as v from "valibot";
import type { HttpAnswer } from "../api/http/event.ts";
import { invalid, Problem } from "../api/schema/problem.ts";
import { rejectDeep } from "../api/schema/schema.ts";
import { formatAddress } from "../net/address.ts";
import { dryRunFirst } from "./all-or-none.ts";
import { type AddressWanted, assignAll, createdAnswer, NO_ID } from "./assign.ts";
import { netboxAddress, netboxAvailable, oneOrMore } from "./contract/bodies.ts";
import { networkIn } from "./create-prefixes.ts";
import { saidIn } from "./fields.ts";
import { addressId } from "./ids.ts";
import { lengthAt, type Network, networksOf, networkWith } from "./networks.ts";
import { inPlaceOf, type Plat } from "./plat.ts";
import { prefixWith } from "./prefixes.ts";
import { rangeWith } from "./ranges.ts";
import { asClause, type DialectRequest, type Operation, parseNetboxBody } from "./request.ts";
import { spaceOfBody } from "./vrfs.ts";

const AVAILABLE = oneOrMore(netboxAvailable);
const SPECIFIC = oneOrMore(netboxAddress);

/** Assigns the next free addresses of a prefix, one for each object of the body. */
export const createAvailable: Operation = async (asked, plat) => {
  const item = await prefixWith(asked, plat);
  const create = async (there: Plat) => {
    const network = item.held ? await networkIn(there, item) : item.network;
    const networks = await networksOf(there, network.space);
    return createFrom(asked, there, { network, networks });
  };
  // A request that is not possible makes no pool of the prefix.
  if (item.held) await dryRunFirst(plat, create);
  return create(plat);
};

async function createFrom(
  asked: DialectRequest,
  plat: Plat,
  { network, networks }: { readonly network: Network; readonly networks: readonly Network[] },
): Promise<HttpAnswer> {
  const body = parseNetboxBody(asked, AVAILABLE);
  const pools = servingIn(network);
  const all: AddressWanted[] = [];
  for (const item of body.items) {
    const said = saidIn(item);
    all.push({ said, wanted: { pools, family: network.cidr.family } });
  }
  const { space } = network;
  const held = await assignAll(plat, asked, { space }, all);
  return createdAnswer(plat, { space, networks, base: asked.base }, held, body.isList);
}

/** Assigns the next free addresses of a range, which must be the only one of its pool. */
export const createInRange: Operation = async (asked, plat) => {
  const found = await rangeWith(asked, plat);
  const { network, networks, pool } = found;
  if ((pool.ranges ?? []).length !== 1)
    throw invalid({
      field: "id",
      value: asked.id,
      problem: `is one of the ranges of the pool ${pool.name}, which assigns from all of them: use the prefix`,
    });
  const around = { ...network, pools: [pool] };
  return createFrom(asked, plat, { network: around, networks });
};

/** Assigns specific addresses. All of a request are in one VRF. */
export const createAddresses: Operation = async (asked, plat) => {
  const body = parseNetboxBody(asked, SPECIFIC);
  const space = await spaceOfItems(body.items, plat);
  const networks = await networksOf(plat, space);
  const all: AddressWanted[] = [];
  for (const item of body.items) {
    rejectForeign(item.address, networks, space);
    const said = saidIn(item);
    all.push({ said, wanted: { address: item.address.address } });
  }
  // NetBox calls a duplicate a mistake in the request, and its clients take 409 for a prefix without room.
  const held = await assignAll(plat, asked, { space }, all).catch(
    inPlaceOf("already_assigned", ({ detail }) =>
      invalid({ field: "address", problem: `is already assigned: ${asClause(detail)}` }),
    ),
  );
  return createdAnswer(plat, { space, networks, base: asked.base }, held, body.isList);
};

type Item = v.InferOutput<typeof netboxAddress>;

async function spaceOfItems(items: readonly Item[], plat: Plat): Promise<string> {
  for (const { vrf } of items) rejectDeep("vrf", vrf);
  const texts = new Set(items.map(({ vrf }) => JSON.stringify(vrf ?? null)));
  if (texts.size > 1)
    throw invalid({ field: "vrf", problem: "must be the same in all objects of one request" });
  return spaceOfBody(items[0]?.vrf, plat);
}

/** Rejects an address that cannot be assigned under this text, before Plat is asked for it. */
function rejectForeign(
  { address, prefixLength }: Item["address"],
  networks: readonly Network[],
  space: string,
): void {
  const text = formatAddress(address);
  const network = networkWith(networks, address);
  if (!network)
    throw invalid({
      field: "address",
      value: text,
      problem: `is in no prefix of ${space === "default" ? "the global table" : `the VRF ${space}`}; Plat assigns addresses of its pools only`,
    });
  // Nothing is assigned or claimed for it: the host would get its next addresses from a block without ids.
  if (addressId(space, network.cidr, address) === undefined)
    throw invalid({ field: "address", value: text, problem: NO_ID });
  const length = lengthAt(network, address);
  if (prefixLength === undefined || prefixLength === length) return;
  const value = `${text}/${prefixLength}`;
  const problem = `must have the prefix length of its network: ${text}/${length}`;
  throw invalid({ field: "address", value, problem });
}

/** Returns the names of the pools that can serve a request for the next free address of a network. */
function servingIn({ pools }: Network): readonly string[] {
  const serving = pools.filter(({ assign }) => assign === "addresses");
  if (serving.length > 0) return serving.map(({ name }) => name);
  throw new Problem(
    "invalid_request",
    "The pool assigns prefixes, not addresses: send the request to available-prefixes.",
  );
}
