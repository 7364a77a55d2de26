import type * as v from "valibot";
import type { Answer } from "../api/http/event.ts";
import { invalid, Problem, thrownProblem } from "../api/schema/problem.ts";
import { shortened } from "../api/schema/schema.ts";
import { ADDRESSES_PER_PAGE_MAX, NETBOX_LIST_MS_MAX, NETBOX_PER_PAGE_MAX } from "../base/limits.ts";
import { type Address, formatAddress, parseAddress } from "../net/address.ts";
import { formatCidr, parseNetwork } from "../net/cidr.ts";
import type { addressesRead } from "../nouns/address/contract/answer.ts";
import { type Around, addressBody, isAssigned } from "./address-body.ts";
import { parseNetboxAddress } from "./contract/address-text.ts";
import { currentOf, fieldOf, type HeldAddress, tagsOf } from "./fields.ts";
import { networksOf, placeOf } from "./networks.ts";
import { pageAnswer, readPage } from "./paging.ts";
import type { Plat } from "./plat.ts";
import { type Asked, type Operation, rejectUnknownFilters } from "./request.ts";
import { noSuch, spaceOfQuery } from "./vrfs.ts";

/** Lists the assigned addresses of a space, by NetBox's filters. */
export const listAddresses: Operation = async (asked, plat) => {
  const { query } = asked;
  const isKnown = (name: string) => ADDRESS_FILTERS.has(name) || name.startsWith(CUSTOM_FIELD);
  rejectUnknownFilters(query, isKnown);
  const space = await spaceOfQuery(asked, plat);
  const networks = await networksOf(plat, space);
  const around = { space, networks, base: asked.base };
  const single = singleIn(query);
  return single ? listOne(asked, plat, around, single) : listMore(asked, plat, around);
};

/** Reads an assigned address by its id. */
export const readAddress: Operation = async (asked, plat) => {
  const found = await assignedAt(asked, plat);
  return answerWith(found.held, found.around, asked.id);
};

/** An assigned address, and what its answer needs. */
export interface Found {
  readonly held: HeldAddress;
  readonly around: Around;
}

/** Finds the assigned address with the id in the path. */
export async function assignedAt({ id, base }: Asked, plat: Plat): Promise<Found> {
  const place = await placeOf(plat, id);
  const { space, address } = place;
  const held = await heldAt(plat, space, address);
  if (!held) throw noSuch("IP address", id);
  const networks = await networksOf(plat, space);
  return { held, around: { space, networks, base } };
}

/** Returns the answer with an address as NetBox has it. */
export function answerWith(held: HeldAddress, around: Around, id: number): Answer {
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

/** A filter that names one address. */
interface Single {
  readonly address: Address;
  readonly prefixLength?: number;
}

/** Returns the one address that a query can mean: that of `address`, or of `q` if it is one. */
function singleIn({ address, q }: Asked["query"]): Single | undefined {
  if (address !== undefined) {
    const read = parseNetboxAddress(address);
    if (read.ok) return read.value;
    throw invalid({ field: "?address", value: shortened(address), problem: read.problem });
  }
  const read = q === undefined ? undefined : parseAddress(q);
  return read?.ok ? { address: read.value } : undefined;
}

async function listOne(
  asked: Asked,
  plat: Plat,
  around: Around,
  { address, prefixLength }: Single,
): Promise<Answer> {
  const page = readPage(asked);
  const isWanted = addressFilter({ ...asked.query, q: undefined });
  const held = await heldAt(plat, around.space, address);
  const isSame = held && (prefixLength === undefined || held.cidr?.endsWith(`/${prefixLength}`));
  const body = held && isSame && isWanted(held) ? addressBody(held, around) : undefined;
  const all = body ? [body] : [];
  const results = all.slice(page.offset, page.offset + page.limit);
  return pageAnswer(asked, page, { results, count: all.length });
}

/**
 * Answers a page of a search. It goes through pages of Plat's search, from the cursor of the link `next` on. It counts some of what comes
 * after the page. If there is more, the count is one more than what it has seen, so that a client goes on.
 */
async function listMore(asked: Asked, plat: Plat, around: Around): Promise<Answer> {
  const page = readPage(asked);
  const isWanted = addressFilter(asked.query);
  const within = networkIn(asked.query.parent);
  const resumed = resumedAt(asked.query.cursor);
  const startedAtMs = plat.now();
  const results: object[] = [];
  const unreadable: object[] = [];
  let { seen, cursor } = resumed;
  let next: Readonly<Record<string, string>> | undefined;
  const end = page.offset + page.limit;
  do {
    const left = end - seen;
    const query = {
      ...within,
      limit: String(left > 0 ? Math.min(left, ADDRESSES_PER_PAGE_MAX) : ADDRESSES_PER_PAGE_MAX),
      ...(cursor !== undefined && { cursor }),
    };
    const { space } = around;
    const found = await plat.call<Listed>("GET /v1/addresses", { space, query });
    const wanted = found.addresses.filter((held) => isAssigned(held) && isWanted(held));
    for (const body of wanted.flatMap((held) => addressBody(held, around) ?? [])) {
      if (seen >= page.offset && results.length < page.limit) results.push(body);
      seen++;
    }
    unreadable.push(...(found.unreadable ?? []));
    cursor = found.next;
    // What comes after the page is counted only.
    if (left > 0 && cursor !== undefined) next = { cursor: `${seen}.${cursor}` };
  } while (
    cursor !== undefined &&
    seen < end + NETBOX_PER_PAGE_MAX &&
    plat.now() - startedAtMs < NETBOX_LIST_MS_MAX
  );
  const isWhole = cursor === undefined;
  const isLast = isWhole && seen <= end;
  return pageAnswer(asked, page, {
    results,
    unreadable,
    count: isWhole ? seen : seen + 1,
    ...(!isLast && { next: next ?? {} }),
  });
}

type Listed = v.InferOutput<typeof addressesRead>;

/** Reads the position of a link `next`: how many addresses came before it, and Plat's cursor. */
function resumedAt(text: string | undefined): { seen: number; cursor: string | undefined } {
  const [, seen, cursor] = /^(\d{1,9})\.(.+)$/.exec(text ?? "") ?? [];
  return { seen: Number(seen ?? 0), cursor: cursor ?? text };
}

function networkIn(parent: string | undefined): { readonly cidr?: string } {
  if (parent === undefined) return {};
  const read = parseNetwork(parent);
  if (read.ok) return { cidr: formatCidr(read.value) };
  throw invalid({ field: "?parent", value: shortened(parent), problem: read.problem });
}

/** The start of the filters on custom fields. */
const CUSTOM_FIELD = "cf_";

const TEXTS = ["description", "dns_name", "comments", "role", "status"] as const;

/** The filters of IP addresses besides those on custom fields. */
const ADDRESS_FILTERS: ReadonlySet<string> = new Set([
  ...["limit", "offset", "cursor", "vrf_id", "vrf", "address", "parent", "q", "family", "tag"],
  ...TEXTS.flatMap((name) => [name, `${name}__ic`]),
]);

/**
 * Returns a function that tells whether an address passes the filters on its fields. As in NetBox, `__ic` compares a part of the text, in
 * any case, and values with commas between them are alternatives.
 */
function addressFilter(
  query: Readonly<Record<string, string | undefined>>,
): (held: HeldAddress) => boolean {
  const { family, tag, q } = query;
  if (family !== undefined && family !== "4" && family !== "6")
    throw invalid({ field: "?family", value: shortened(family), problem: "must be 4 or 6" });
  const custom = Object.entries(query).filter(([name]) => name.startsWith(CUSTOM_FIELD));
  return (held) => {
    const current = currentOf(held);
    const isIn = (name: string, wanted: string | undefined) =>
      wanted === undefined || wanted.split(",").includes(fieldOf(current, name));
    const hasPart = (name: string, part: string | undefined) =>
      part === undefined || fieldOf(current, name).toLowerCase().includes(part.toLowerCase());
    return (
      (family === undefined || String(held.family) === family) &&
      (tag === undefined || tag.split(",").every((slug) => tagsOf(current).includes(slug))) &&
      TEXTS.every((name) => isIn(name, query[name]) && hasPart(name, query[`${name}__ic`])) &&
      custom.every(([name, value]) => isIn(name.slice(CUSTOM_FIELD.length), value)) &&
      (q === undefined || hasPart("description", q) || hasPart("dns_name", q))
    );
  };
}
