import * as v from "valibot";
import type { Event, HttpAnswer } from "../api/http/event.ts";
import { parseQuery } from "../api/http/parameters.ts";
import { cidr, wholeText } from "../api/schema/field.ts";
import { invalid, Problem, thrownProblem } from "../api/schema/problem.ts";
import { shortened } from "../api/schema/schema.ts";
import { ADDRESSES_PER_PAGE_MAX, NETBOX_AT_ONCE_MAX } from "../base/limits.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { type Address, formatAddress, parseAddress } from "../net/address.ts";
import { type Cidr, contains, formatCidr, parseNetwork } from "../net/cidr.ts";
import type { addressesRead } from "../nouns/address/contract/answer.ts";
import type { AddressCount, CountWanted } from "../nouns/address/operations/count-addresses.ts";
import { cursorAt } from "../nouns/address/serve/list.ts";
import {
  type AddressBody,
  type Around,
  addressBody,
  addressOf,
  isAssigned,
} from "./address-body.ts";
import { type NetboxAddress, parseNetboxAddress } from "./contract/address-text.ts";
import { ADDRESS_FIELDS } from "./contract/bodies.ts";
import { ADDRESS_ROLES, ADDRESS_STATUSES } from "./contract/choices.ts";
import { currentOf, fieldOf, type HeldAddress, isCustom, tagSlugsOf, tenantOf } from "./fields.ts";
import {
  type FilterField,
  type FilterFields,
  fieldNames,
  isFilterOn,
  matching,
  onlyIn,
  ordered,
  type QueryValues,
} from "./filter.ts";
import { V6_PLACES_MAX } from "./ids.ts";
import type { ListOf } from "./list.ts";
import { networksOf, networksOnce, type Place, placeOf } from "./networks.ts";
import { NETBOX_LIST_MS_MAX, onPage, PAGING, pageAnswer, parsePage } from "./paging.ts";
import { type Plat, pagesOf } from "./plat.ts";
import { type DialectRequest, type Operation, rejectUnknownFilters } from "./request.ts";
import { noSuch, spaceOfQuery } from "./vrfs.ts";

/** Ids and addresses that one list of the dialect can name. Each is a read of its own. */
const NETBOX_NAMED_MAX = 256;
/** Addresses that a list of the dialect puts in order. */
const NETBOX_ORDERED_MAX = 10_000;

/** Lists the assigned addresses of a space, by NetBox's filters. */
export const listIpAddresses: Operation = async (asked, plat) => {
  const { query, base } = asked;
  const fields = addressFields(query);
  rejectUnknownFilters(query, (name) => OTHERS.has(name) || isFilterOn(fields, name));
  const space = await spaceOfQuery(asked, plat);
  const named = namedIn(query);
  if (named) return listNamed(asked, plat, named, fields);
  const networks = await networksOf(plat, space);
  const around = { space, networks, base };
  return query.has("ordering")
    ? listOrdered(asked, plat, around, fields)
    : listMore(asked, plat, around, fields);
};

/** Reads an assigned address by its id. */
export const readIpAddress: Operation = async (asked, plat) => {
  const found = await assignedAt(asked, plat);
  return answerWith(found.held, found.around, asked.id);
};

/** An assigned address, and what its answer needs. */
export interface FoundAddress {
  readonly held: HeldAddress;
  readonly around: Around;
}

/** Finds the assigned address with the id in the path. */
export async function assignedAt(
  { id, base }: DialectRequest,
  plat: Plat,
  networksIn = networksOnce(plat),
): Promise<FoundAddress> {
  const place = await placeOf(plat, id, networksIn);
  const { space, address } = place;
  const held = await heldAt(plat, space, address);
  if (!held) throw noSuch("IP address", id);
  const networks = await networksIn(space);
  return { held, around: { space, networks, base } };
}

/** Returns the answer with an address as NetBox has it. */
export function answerWith(held: HeldAddress, around: Around, id: number): HttpAnswer {
  const body = addressBody(held, around);
  if (!body) throw noSuch("IP address", id);
  return { status: 200, body };
}

/** Reads an address; nothing if nobody has it. */
async function heldAt(
  plat: Plat,
  space: string,
  address: Address,
): Promise<HeldAddress | undefined> {
  const path = { ip: formatAddress(address) };
  const held = await plat
    .call<HeldAddress>("GET /v1/addresses/{ip}", { space, path })
    .catch(thrownProblem);
  if (!(held instanceof Problem)) return isAssigned(held) ? held : undefined;
  if (held.code === "not_found") return undefined;
  throw held;
}

/** Addresses that a query names, each by a test of its own besides. */
interface NamedAddresses {
  readonly ids?: readonly number[] | undefined;
  readonly addresses?: readonly NetboxAddress[] | undefined;
}

/** Returns the addresses that a query can mean: those of `id` or `address`, or of `q` if it is one. */
function namedIn(query: QueryValues): NamedAddresses | undefined {
  const ids = fewIn(query, "id")?.map((text) => {
    if (/^\d{1,16}$/.test(text)) return Number(text);
    throw invalid({ field: "?id", value: shortened(text), problem: "must be a whole number" });
  });
  const addresses = fewIn(query, "address")?.map((text) => {
    const read = parseNetboxAddress(text);
    if (read.ok) return read.value;
    throw invalid({ field: "?address", value: shortened(text), problem: read.problem });
  });
  if (ids || addresses) return { ids, addresses };
  const q = onlyIn(query, "q");
  const read = q === undefined ? undefined : parseAddress(q);
  return read?.ok ? { addresses: [{ address: read.value }] } : undefined;
}

/** Returns the values of a filter that costs a read for each. */
function fewIn(query: QueryValues, name: string): readonly string[] | undefined {
  const values = query.get(name);
  if (!values || values.length <= NETBOX_NAMED_MAX) return values;
  const problem = `must be given at most ${NETBOX_NAMED_MAX} times, not ${values.length}`;
  throw invalid({ field: `?${name}`, problem });
}

async function listNamed(
  asked: DialectRequest,
  plat: Plat,
  { ids, addresses }: NamedAddresses,
  fields: FilterFields<ListedAddress>,
): Promise<HttpAnswer> {
  const { query, base } = asked;
  const passes = matching(query, fields);
  const asSpace = await spaceOfQuery(asked, plat);
  const isOfVrf = query.has("vrf") || query.has("vrf_id");
  const networksIn = networksOnce(plat);
  const byId = async (id: number): Promise<Place | undefined> => {
    const place = await placeOf(plat, id, networksIn).catch(thrownProblem);
    if (place instanceof Problem && place.code !== "not_found") throw place;
    // An id says its VRF by itself.
    return place instanceof Problem || (isOfVrf && place.space !== asSpace) ? undefined : place;
  };
  const isIn = parentsIn(query);
  const isFound = textTest(query);
  const itemAt = async (place: Place | undefined): Promise<ListedAddress | undefined> => {
    const { space = "", address } = place ?? {};
    const held = address && (await heldAt(plat, space, address));
    if (!held || !isIn(held)) return undefined;
    if (addresses && !addresses.some((wanted) => isAt(held, address, wanted))) return undefined;
    const networks = await networksIn(space);
    const item = listed(held, { space, networks, base });
    return item.body && passes(item) && isFound(item) ? item : undefined;
  };
  const items = await (ids
    ? inParallel([...new Set(ids)], NETBOX_AT_ONCE_MAX, async (id) => itemAt(await byId(id)))
    : inParallel(distinct(addresses), NETBOX_AT_ONCE_MAX, (address) =>
        itemAt({ space: asSpace, address }),
      ));
  const found = items.filter((item) => item !== undefined);
  return onPage(
    asked,
    ordered(query, ORDERED, found).map(({ body }) => body ?? {}),
  );
}

/** Returns each of the named addresses once. */
const distinct = (named: readonly NetboxAddress[] = []): readonly Address[] => [
  ...new Map(named.map(({ address }) => [formatAddress(address), address])).values(),
];

const isAt = (held: HeldAddress, address: Address, wanted: NetboxAddress): boolean =>
  formatAddress(wanted.address) === formatAddress(address) &&
  (wanted.prefixLength === undefined || held.cidr?.endsWith(`/${wanted.prefixLength}`) === true);

/** The key of a read that Plat's own routes do not have. It requires the role of any read in the space. */
export const COUNT = "GET /v1/addresses/count";

const COUNTED = { cidr: v.optional(cidr), skip: v.optional(wholeText(0, 999_999_999)) };

/** Parses which addresses a request of the dialect counts. */
export const parseCount = (event: Event): CountWanted => ({
  ...parseQuery(event, COUNTED),
  placesMax: V6_PLACES_MAX,
});

/** Answers with the count, and with the cursor of a search behind the skipped addresses. */
export const countAnswer = (
  { position, ...count }: AddressCount,
  _: string,
  { space, cidr }: CountWanted,
): HttpAnswer => ({
  status: 200,
  body: {
    ...count,
    ...(position && { cursor: cursorAt({ space, cidr, attributes: {}, limit: 0 }, position) }),
  },
});

interface Counted extends Omit<AddressCount, "position"> {
  readonly cursor?: string;
}

/** The position of a walk: how many addresses of the list came before it, and Plat's cursor. */
interface Position {
  readonly seen: number;
  readonly cursor?: string | undefined;
  /** The number of addresses of the list, if an earlier page has counted them. */
  readonly count?: number | undefined;
  /** True if an earlier page had no time to count them: then no later one tries. */
  readonly isUncounted?: boolean | undefined;
}

/** Stands for the count in a link of a list that was not counted. */
const UNCOUNTED = "-";

/**
 * Answers a page of a search. It goes through pages of Plat's search, from the cursor of the link `next` on. A list by blocks alone is
 * counted from them, and any other by going on to its end, once: the link carries the count, or that there was no time for it. Then the
 * count is one more than what was seen, so that a client goes on.
 */
async function listMore(
  asked: DialectRequest,
  plat: Plat,
  around: Around,
  fields: FilterFields<ListedAddress>,
): Promise<HttpAnswer> {
  const { query } = asked;
  const { space } = around;
  const page = parsePage(asked);
  const isIn = parentsIn(query);
  const passes = matching(query, fields);
  const isFound = textTest(query);
  const within = cidrIn(query);
  const startedAtMs = plat.now();
  const isByBlocks =
    [...query.keys()].every((name) => OF_BLOCKS.has(name) || OF_PAGES.has(name)) &&
    (query.get("parent") ?? []).length < 2;
  const start = resumedAt(query);
  const counted =
    isByBlocks && start.count === undefined && !start.isUncounted
      ? await plat.call<Counted>(COUNT, {
          ...{ space, query: { ...within, skip: String(page.offset) } },
        })
      : undefined;
  const isSkipped = counted?.cursor !== undefined && start.cursor === undefined;
  let { seen, cursor, count }: Position = {
    ...(isSkipped ? { seen: page.offset, cursor: counted.cursor } : start),
    count: counted?.isWhole ? counted.ipv4 + counted.ipv6 : start.count,
  };
  const isUncounted = start.isUncounted === true || counted?.isWhole === false;
  const end = page.offset + page.limit;
  const results: object[] = [];
  const unreadable: object[] = [];
  let next: Position | undefined;
  let isOver = false;
  do {
    const from: Position = { seen, cursor };
    const left = isByBlocks ? Math.max(1, end - seen) : ADDRESSES_PER_PAGE_MAX;
    const limit = String(Math.min(left, ADDRESSES_PER_PAGE_MAX));
    const found = await plat.call<Listed>("GET /v1/addresses", {
      ...{ space, query: { ...within, limit, ...(cursor !== undefined && { cursor }) } },
    });
    for (const held of found.addresses) {
      const item = listed(held, around);
      if (!isAssigned(held) || !isIn(held) || !passes(item) || !isFound(item)) continue;
      const { body } = item;
      if (!body) continue;
      if (seen >= end) next ??= from;
      else if (seen >= page.offset) results.push(body);
      seen++;
    }
    unreadable.push(...(found.unreadable ?? []));
    cursor = found.next;
    if (cursor !== undefined && seen >= end) next ??= { seen, cursor };
    isOver = plat.now() - startedAtMs >= NETBOX_LIST_MS_MAX;
  } while (
    cursor !== undefined &&
    !isOver &&
    (seen < end || (count === undefined && !isUncounted))
  );
  if (cursor === undefined) count = seen;
  else next ??= { seen, cursor };
  const told = count ?? UNCOUNTED;
  return pageAnswer(asked, page, {
    ...{ results, unreadable },
    count: count ?? seen + 1,
    ...(next && { next: { cursor: `${next.seen}.${told}.${next.cursor ?? ""}` } }),
  });
}

/** Answers a page of a list in the order that the query names. It reads the whole list, which must not be long. */
async function listOrdered(
  asked: DialectRequest,
  plat: Plat,
  around: Around,
  fields: FilterFields<ListedAddress>,
): Promise<HttpAnswer> {
  const { query } = asked;
  const { space } = around;
  ordered(query, ORDERED, []);
  const isIn = parentsIn(query);
  const passes = matching(query, fields);
  const isFound = textTest(query);
  const startedAtMs = plat.now();
  const items: ListedAddress[] = [];
  const unreadable: object[] = [];
  const limit = String(ADDRESSES_PER_PAGE_MAX);
  const wanted = { space, query: { ...cidrIn(query), limit } };
  for await (const found of pagesOf<Listed>(plat, "GET /v1/addresses", wanted)) {
    for (const held of found.addresses) {
      const item = listed(held, around);
      if (isAssigned(held) && isIn(held) && passes(item) && isFound(item) && item.body)
        items.push(item);
    }
    unreadable.push(...(found.unreadable ?? []));
    const isOver = plat.now() - startedAtMs >= NETBOX_LIST_MS_MAX;
    if (items.length > NETBOX_ORDERED_MAX || (isOver && found.next !== undefined)) throw TOO_LONG;
  }
  const bodies = ordered(query, ORDERED, items).map(({ body }) => body ?? {});
  return onPage(asked, bodies, unreadable);
}

const TOO_LONG = invalid({
  field: "?ordering",
  problem: `cannot order this list, which has more than ${NETBOX_ORDERED_MAX} addresses or takes more than ${NETBOX_LIST_MS_MAX / 1_000} s to read: narrow it with parent, or leave ordering out`,
});

type Listed = v.InferOutput<typeof addressesRead>;

/** Reads the position of a link `next`. */
function resumedAt(query: QueryValues): Position {
  const text = onlyIn(query, "cursor");
  if (text === undefined) return { seen: 0 };
  const [, seen, count, cursor] = /^(\d{1,9})\.(\d{1,9}|-)\.(.*)$/.exec(text) ?? [];
  if (seen === undefined) {
    const problem = "must be that of a link next";
    throw invalid({ field: "?cursor", value: shortened(text), problem });
  }
  return {
    seen: Number(seen),
    ...(count === UNCOUNTED ? { isUncounted: true } : { count: Number(count) }),
    ...(cursor && { cursor }),
  };
}

function networkOf(text: string): Cidr {
  const read = parseNetwork(text);
  if (read.ok) return read.value;
  throw invalid({ field: "?parent", value: shortened(text), problem: read.problem });
}

/** Returns the network to which `parent` narrows a search; nothing if it names none, or several. */
function cidrIn(query: QueryValues): { readonly cidr?: string } {
  const [parent, ...more] = (query.get("parent") ?? []).map(networkOf);
  return parent && more.length === 0 ? { cidr: formatCidr(parent) } : {};
}

function parentsIn(query: QueryValues): (held: HeldAddress) => boolean {
  const parents = query.get("parent")?.map(networkOf);
  return (held) => !parents || parents.some((parent) => contains(parent, addressOf(held)));
}

/** Returns a function that tells whether `q` is an address, or is at its beginning or in a text about it. */
function textTest(query: QueryValues): (item: ListedAddress) => boolean {
  const q = onlyIn(query, "q")?.toLowerCase();
  if (q === undefined) return () => true;
  const read = parseAddress(q);
  if (read.ok) return ({ held }) => isAt(held, addressOf(held), { address: read.value });
  return ({ held, body }) => {
    const current = currentOf(held);
    return (
      body?.address.startsWith(q) ||
      ["description", "dns_name"].some((name) => fieldOf(current, name).toLowerCase().includes(q))
    );
  };
}

/** An address of a list, in Plat's words and in NetBox's. */
interface ListedAddress {
  readonly held: HeldAddress;
  /** Absent if it has no id. */
  readonly body: AddressBody | undefined;
}

/** Returns an address of a list. Its body is made for a filter that looks at it, or once it passes. */
function listed(held: HeldAddress, around: Around): ListedAddress {
  let body: AddressBody | undefined;
  return {
    held,
    get body() {
      body ??= addressBody(held, around);
      return body;
    },
  };
}

/** The start of the filters on custom fields. */
const CUSTOM_FIELD = "cf_";

const TEXTS = ["description", "dns_name", "comments", "role", "status"] as const;

const OF_PAGES: ReadonlySet<string> = new Set([...PAGING, "cursor"]);
/** The filters that blocks answer, without a look at what callers say of the addresses. */
const OF_BLOCKS: ReadonlySet<string> = new Set(["vrf_id", "vrf", "parent"]);

/** The filters of IP addresses that are not about one of their fields. */
const OTHERS: ReadonlySet<string> = new Set([
  ...[...OF_PAGES, ...OF_BLOCKS, "address", "ordering", "q"],
]);

const FIELDS: FilterFields<ListedAddress> = {
  id: { kind: "number", of: ({ body }) => body?.id },
  family: { kind: "number", of: ({ held }) => held.family },
  mask_length: { kind: "number", of: ({ body }) => Number(body?.address.split("/")[1]) },
  ...Object.fromEntries(
    TEXTS.map((name) => [
      name,
      {
        kind: "text",
        of: ({ held }) => fieldOf(currentOf(held), name),
      } as FilterField<ListedAddress>,
    ]),
  ),
  tag: { kind: "slugs", of: ({ held }) => tagSlugsOf(currentOf(held)) },
  tenant: { kind: "text", of: ({ held }) => tenantOf(currentOf(held))?.slug ?? "", isSlug: true },
  tenant_id: { kind: "number", of: ({ held }) => tenantOf(currentOf(held))?.id },
  created: { kind: "time", of: ({ held }) => held.assignedAt },
  last_updated: { kind: "time", of: ({ held }) => held.assignedAt },
};

/** The fields by which a list can be ordered. */
const ORDERED: FilterFields<ListedAddress> = {
  ...FIELDS,
  address: {
    kind: "text",
    of: ({ held }) => held.address,
    placeOf: ({ held }) => addressOf(held).value,
  },
};

/** The list of addresses, as it tells of itself. */
export const ADDRESS_LIST: ListOf = {
  name: "IP Address",
  filters: [...OTHERS, ...fieldNames(FIELDS)].filter((name) => name !== "cursor"),
  fields: ADDRESS_FIELDS,
  choices: { status: ADDRESS_STATUSES, role: ADDRESS_ROLES },
};

/** Returns the fields by which a query can filter: those of any address, and the custom fields that the query names. */
function addressFields(query: QueryValues): FilterFields<ListedAddress> {
  const custom = [...query.keys()]
    .map((name) => name.split("__")[0] ?? "")
    .filter((field) => field.startsWith(CUSTOM_FIELD) && isCustom(field.slice(CUSTOM_FIELD.length)))
    .map((field): [string, FilterField<ListedAddress>] => {
      const key = field.slice(CUSTOM_FIELD.length);
      const of = ({ body }: ListedAddress) =>
        textIn(new Map(Object.entries(body?.custom_fields ?? {})).get(key));
      return [field, { kind: "text", of }];
    });
  return { ...FIELDS, ...Object.fromEntries(custom) };
}

/** Returns the value of a custom field as a text: other values as JSON. */
const textIn = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");
