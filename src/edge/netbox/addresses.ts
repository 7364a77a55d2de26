import type * as v from "valibot";
import type { addressesRead } from "../../contract/answers/address.ts";
import { parseNetboxAddress } from "../../contract/netbox/address-text.ts";
import { invalid, Problem } from "../../contract/schema/problem.ts";
import { shortened } from "../../contract/schema/schema.ts";
import { type Address, formatAddress, parseAddress } from "../../domain/address.ts";
import { formatCidr, parseNetwork } from "../../domain/cidr.ts";
import {
  ADDRESSES_PER_PAGE_MAX,
  NETBOX_LIST_MS_MAX,
  NETBOX_PER_PAGE_MAX,
} from "../../domain/limits.ts";
import type { Answer } from "../http/event.ts";
import { type Around, addressBody, isAssigned } from "./address-body.ts";
import { ADDRESS_FILTERS, addressFilter, CUSTOM_FIELD } from "./address-filter.ts";
import type { HeldAddress } from "./fields.ts";
import { networksOf, placeOf } from "./networks.ts";
import { pageAnswer, readPage } from "./paging.ts";
import type { Plat } from "./plat.ts";
import { type Asked, type Operation, unknownFilters } from "./request.ts";
import { noSuch, spaceOfQuery } from "./vrfs.ts";

/** Lists the assigned addresses of a space, by NetBox's filters. */
export const listAddresses: Operation = async (asked, plat) => {
  const { query } = asked;
  const isKnown = (name: string) => ADDRESS_FILTERS.has(name) || name.startsWith(CUSTOM_FIELD);
  const unknown = unknownFilters(query, isKnown);
  if (unknown) return unknown;
  const space = await spaceOfQuery(asked, plat);
  if (space instanceof Problem) return space;
  const networks = await networksOf(plat, space);
  if (networks instanceof Problem) return networks;
  const around = { space, networks, base: asked.base };
  const single = singleIn(query);
  if (single instanceof Problem) return single;
  return single ? listOne(asked, plat, around, single) : listMore(asked, plat, around);
};

/** Reads an assigned address by its id. */
export const readAddress: Operation = async (asked, plat) => {
  const found = await assignedAt(asked, plat);
  return found instanceof Problem ? found : answerWith(found.held, found.around, asked.id);
};

/** An assigned address, and what its answer needs. */
export interface Found {
  readonly held: HeldAddress;
  readonly around: Around;
}

/** Finds the assigned address with the id in the path. */
export async function assignedAt({ id, base }: Asked, plat: Plat): Promise<Found | Problem> {
  const place = await placeOf(plat, id);
  if (place instanceof Problem) return place;
  const { space, address } = place;
  const held = await heldAt(plat, space, address);
  if (held instanceof Problem) return held;
  if (!held) return noSuch("IP address", id);
  const networks = await networksOf(plat, space);
  return networks instanceof Problem ? networks : { held, around: { space, networks, base } };
}

/** Returns the answer with an address as NetBox has it. */
export function answerWith(held: HeldAddress, around: Around, id: number): Answer | Problem {
  const body = addressBody(held, around);
  return body ? { status: 200, body } : noSuch("IP address", id);
}

/** Reads an address; nothing if nobody has it. */
async function heldAt(
  plat: Plat,
  space: string,
  address: Address,
): Promise<HeldAddress | undefined | Problem> {
  const path = { ip: formatAddress(address) };
  const held = await plat.call<HeldAddress>("GET /v1/addresses/{ip}", { space, path });
  if (held instanceof Problem) return held.code === "not_found" ? undefined : held;
  return isAssigned(held) ? held : undefined;
}

/** A filter that names one address. */
interface Single {
  readonly address: Address;
  readonly prefixLength?: number;
}

/** Returns the one address that a query can mean: that of `address`, or of `q` if it is one. */
function singleIn({ address, q }: Asked["query"]): Single | undefined | Problem {
  if (address !== undefined) {
    const read = parseNetboxAddress(address);
    return read.ok
      ? read.value
      : invalid({ field: "?address", value: shortened(address), problem: read.problem });
  }
  const read = q === undefined ? undefined : parseAddress(q);
  return read?.ok ? { address: read.value } : undefined;
}

async function listOne(
  asked: Asked,
  plat: Plat,
  around: Around,
  { address, prefixLength }: Single,
): Promise<Answer | Problem> {
  const page = readPage(asked);
  if (page instanceof Problem) return page;
  const isWanted = addressFilter({ ...asked.query, q: undefined });
  if (isWanted instanceof Problem) return isWanted;
  const held = await heldAt(plat, around.space, address);
  if (held instanceof Problem) return held;
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
async function listMore(asked: Asked, plat: Plat, around: Around): Promise<Answer | Problem> {
  const page = readPage(asked);
  if (page instanceof Problem) return page;
  const isWanted = addressFilter(asked.query);
  if (isWanted instanceof Problem) return isWanted;
  const within = networkIn(asked.query.parent);
  if (within instanceof Problem) return within;
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
    if (found instanceof Problem) return found;
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

function networkIn(parent: string | undefined): { readonly cidr?: string } | Problem {
  if (parent === undefined) return {};
  const read = parseNetwork(parent);
  return read.ok
    ? { cidr: formatCidr(read.value) }
    : invalid({ field: "?parent", value: shortened(parent), problem: read.problem });
}
