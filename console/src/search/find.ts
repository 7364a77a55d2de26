import { type Api, segment } from "../api/api.ts";
import { allOf } from "../api/pages.ts";
import { unlessAbsent } from "../api/rejection.ts";
import type { AddressRead, Answer, BlockRead, HeldAddress, HostType, Pool } from "../api/types.ts";
import { type Cidr, contains, heldText, readCidr } from "../network/cidr.ts";
import type { Page, Place } from "../state/place.ts";

/** Something that a search found, and its page. */
export interface Find {
  readonly page: Page;
  readonly view?: Place["view"];
  readonly kind: string;
  readonly name: string;
  readonly detail: string;
}

/** Finds what a text is the address, the network or the name of. It throws a `Rejection`. */
export async function find(api: Api, text: string, signal: AbortSignal): Promise<readonly Find[]> {
  const wanted = text.trim();
  if (wanted === "") return [];
  const cidr = readCidr(wanted);
  const named = [
    poolOf(api, wanted, signal),
    host(api, wanted, signal),
    handle(api, wanted, signal),
  ];
  // A name can be an address too, such as that of a node.
  const finds = cidr
    ? [
        address(api, cidr, wanted, signal),
        block(api, wanted, signal),
        pools(api, cidr, wanted, signal),
        ...named,
      ]
    : [...named, allPools(api, signal).then((all) => beginningWith(api, wanted, all, signal))];
  const found = (await Promise.all(finds)).flat();
  // What has the text as its whole name comes first, and its name begins with the text too.
  return found.filter(
    ({ kind, name }, at) => found.findIndex((one) => one.kind === kind && one.name === name) === at,
  );
}

/** The maximum of each kind that a beginning finds. */
const BEGINNING_MAX = 20;

const POOLS_PER_PAGE = 250;

/** Returns what the beginning of a text may mean while it is typed, of the first pools. It throws a `Rejection`. */
export async function suggestionsFor(api: Api, text: string, signal: AbortSignal): Finding {
  const query = { limit: POOLS_PER_PAGE };
  const first = await api.get<Answer<"poolsRead">>("pools", query, signal);
  return beginningWith(api, text, first.pools, signal);
}

const allPools = (api: Api, signal: AbortSignal): Promise<readonly Pool[]> =>
  allOf<Answer<"poolsRead">, Pool>(
    api,
    { path: "pools", query: { limit: POOLS_PER_PAGE }, signal },
    (page) => page.pools,
  );

/**
 * Finds the pools and the handles whose names begin with a text, and the addresses that begin with whole bytes, such as `10.64.`. The API
 * lists no hosts by a beginning.
 */
async function beginningWith(
  api: Api,
  text: string,
  pools: readonly Pool[],
  signal: AbortSignal,
): Finding {
  const [handles, addresses] = await Promise.all([
    known(
      api.get<Answer<"handlesRead">>("handles", { prefix: text, limit: BEGINNING_MAX }, signal),
    ),
    addressesBeginning(api, text, signal),
  ]);
  return [
    ...pools
      .filter(({ name }) => name.startsWith(text))
      .slice(0, BEGINNING_MAX)
      .map(poolFind),
    ...(handles?.handles ?? []).map(({ handle: name }): Find => {
      return { page: { kind: "handle", name }, kind: "Handle", name, detail: "" };
    }),
    ...addresses,
  ];
}

async function addressesBeginning(api: Api, text: string, signal: AbortSignal): Finding {
  const bytes = /^(?:\d{1,3}\.){1,3}$/.test(text) ? text.split(".").slice(0, -1) : [];
  if (bytes.length === 0) return [];
  const cidr = `${[...bytes, 0, 0, 0].slice(0, 4).join(".")}/${8 * bytes.length}`;
  const page = await known(
    api.get<Answer<"addressesRead">>("addresses", { cidr, limit: BEGINNING_MAX }, signal),
  );
  return (page?.addresses ?? []).map(heldFind);
}

type Finding = Promise<readonly Find[]>;

async function address(
  api: Api,
  { bits, length }: Cidr,
  text: string,
  signal: AbortSignal,
): Finding {
  if (length < bits || text.includes("/")) return [];
  const read = await known(api.get<AddressRead>(`addresses/${segment(text)}`, {}, signal));
  if (!read) return [];
  return [addressFind(read)];
}

/** Returns what is held: an address, or a prefix and not its first address. */
const heldFind = (held: HeldAddress): Find => {
  const { prefix: name } = held;
  const found = addressFind(held);
  return name === undefined
    ? found
    : { ...found, page: { kind: "block", name }, kind: "Prefix", name };
};

function addressFind({
  address: name,
  state,
  handle,
  pool,
}: Pick<AddressRead, "address" | "state" | "handle" | "pool">): Find {
  const detail = `${state}${handle ? ` to ${handle}` : ""}, in the pool ${pool}`;
  return { page: { kind: "address", name }, kind: "Address", name, detail };
}

async function block(api: Api, text: string, signal: AbortSignal): Finding {
  if (!text.includes("/")) return [];
  const read = await known(api.get<BlockRead>(`blocks/${segment(text)}`, {}, signal));
  if (!read) return [];
  const { cidr: name, host: of, inUse } = read;
  const detail = `of ${of ?? "no host"}, ${inUse} in use`;
  return [{ page: { kind: "block", name }, kind: "Block", name, detail }];
}

/** Finds the pools that have the network, or a part of it. */
async function pools(api: Api, cidr: Cidr, text: string, signal: AbortSignal): Finding {
  if (!text.includes("/")) return [];
  const all = await allPools(api, signal);
  return all.flatMap((pool) => {
    const range = readCidr(pool.cidr);
    if (!range || !(contains(range, cidr) || contains(cidr, range))) return [];
    return [poolFind(pool)];
  });
}

async function poolOf(api: Api, name: string, signal: AbortSignal): Finding {
  const pool = await known(api.get<Pool>(`pools/${segment(name)}`, {}, signal));
  return pool ? [poolFind(pool)] : [];
}

const poolFind = ({ name, cidr }: Pool): Find => ({
  page: { kind: "pool", name },
  kind: "Pool",
  name,
  detail: cidr,
});

async function host(api: Api, name: string, signal: AbortSignal): Finding {
  const hasBlock = async (affinityType: HostType) => {
    const query = { host: name, affinityType, limit: 1 };
    const page = await known(api.get<Answer<"blocksRead">>("blocks", query, signal));
    return (page?.blocks.length ?? 0) > 0;
  };
  const [isMachine, isVirtual, node] = await Promise.all([
    hasBlock("host"),
    hasBlock("virtual"),
    known(api.get(`nodes/${segment(name)}`, {}, signal)),
  ]);
  const page = { kind: "host", name } as const;
  const detail = node ? "registered" : "not registered";
  return [
    ...(node || isMachine ? [{ page, kind: "Host", name, detail }] : []),
    ...(isVirtual
      ? [{ page, view: { type: "virtual" }, kind: "Virtual host", name, detail: "" }]
      : []),
  ];
}

async function handle(api: Api, name: string, signal: AbortSignal): Finding {
  const query = { limit: 1 };
  const read = await known(
    api.get<Answer<"handleRead">>(`handles/${segment(name)}`, query, signal),
  );
  if (!read || read.addresses.length === 0) return [];
  const [first] = read.addresses;
  const detail = `${first && heldText(first)}${read.next ? " and others" : ""}`;
  return [{ page: { kind: "handle", name }, kind: "Handle", name, detail }];
}

/** Returns nothing for what there is not, and for a text that cannot be the name of it. */
const known = <T>(reading: Promise<T>): Promise<T | undefined> => unlessAbsent(reading, [404, 400]);
