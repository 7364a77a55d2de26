import { ADDRESSES_PER_PAGE_MAX } from "../../base/limits.ts";
import type { Answer, Parameters, PlatClient } from "../../client/index.ts";
import { ATTRIBUTE_PREFIX } from "../../nouns/address/contract/search-request.ts";
import type { Column } from "../output/column.ts";

export type Address = Answer<"readAddress">;

/** The parts of an address in a network, in words. */
export const NETWORK_WORDS = {
  gateway: "gateway",
  network: "network address",
  broadcast: "broadcast address",
} as const satisfies Record<NonNullable<Address["keptOut"]>, string>;

type Found = Answer<"listAddresses">;

/** The conditions of a search. The attributes have their names alone. */
type Search = Omit<Parameters<"listAddresses">, "attributes"> & {
  readonly attributes?: Readonly<Record<string, string>> | undefined;
};

/**
 * Lists the addresses that meet all conditions, up to the last page.
 *
 * @param each told after each page how many addresses and allocations were read
 * @returns the addresses, and what Plat read for all pages
 */
export async function listAddresses(
  client: PlatClient,
  { attributes = {}, ...search }: Search,
  each: (found: number, looked: number) => void,
): Promise<Pick<Required<Found>, "addresses" | "read" | "unreadable">> {
  const addresses: Found["addresses"] = [];
  const unreadable: NonNullable<Found["unreadable"]> = [];
  let read: Found["read"] | undefined;
  const named = Object.entries(attributes).map(([key, value]) => [ATTRIBUTE_PREFIX + key, value]);
  for await (const page of client.pages.listAddresses({
    ...search,
    attributes: Object.fromEntries(named),
    limit: ADDRESSES_PER_PAGE_MAX,
  })) {
    addresses.push(...page.addresses);
    unreadable.push(...(page.unreadable ?? []));
    const { entries, ...pageRead } = page.read;
    read = {
      ...pageRead,
      ...(entries !== undefined && { entries: (read?.entries ?? 0) + entries }),
      blocks: (read?.blocks ?? 0) + page.read.blocks,
      allocations: (read?.allocations ?? 0) + page.read.allocations,
    };
    each(addresses.length, read.allocations);
  }
  return { addresses, read: read as Found["read"], unreadable };
}

export const ADDRESS_COLUMNS: readonly Column<Omit<Address, "requestId">>[] = [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "STATE", value: ({ state }) => state },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "UID", value: ({ workload }) => workload?.uid, wide: true },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "BLOCK", value: ({ block }) => block, wide: true },
  { header: "BORROWED", value: ({ borrowed }) => borrowed, wide: true },
  { header: "ASSIGNED", value: ({ assignedAt }) => assignedAt, wide: true },
  { header: "ASSIGNED BY", value: ({ assignedBy }) => assignedBy, wide: true },
  { header: "EXPIRES", value: ({ expiresAt }) => expiresAt, wide: true },
  { header: "AVAILABLE", value: ({ availableAt }) => availableAt, wide: true },
  {
    header: "QUARANTINED UNTIL",
    value: ({ quarantinedUntil }) => quarantinedUntil,
    wide: true,
  },
  { header: "GENERATION", value: ({ generation }) => generation, wide: true },
];
