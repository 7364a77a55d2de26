import { type Random, randomBelow } from "../../src/kernel/values/fresh.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt, parseCidr, sizeOf } from "../../src/net/cidr.ts";
import type { Api } from "./api.ts";

export const HOSTS = 16;
/**
 * Small blocks, so that a request for some addresses needs more than one block, and hosts must borrow as the pools
 * fill.
 */
export const BLOCK_ADDRESSES = 8;

export const POOLS = [
  { name: "v4", cidr: "10.0.0.0/23", blockSize: 29 },
  { name: "v6", cidr: "2001:db8::/120", blockSize: 125 },
] as const;

/**
 * The shortest times, so that addresses and blocks change hands often. A cooldown must exist, because it shows a
 * release without an answer that its write succeeded.
 */
const SETTINGS = { cooldownSeconds: 1, blockMinAgeSeconds: 0 };

const RANGES = POOLS.map(({ cidr }) => {
  const range = parseCidr(cidr);
  if (!range.ok) throw new Error(range.problem);
  return range.value;
});

/** The number of addresses of the pools, by family. */
export const [IPV4_ADDRESSES, IPV6_ADDRESSES] = RANGES.map((range) => Number(sizeOf(range))) as [
  number,
  number,
];

/** Creates the pools in a new table. */
export async function prepare(api: Api): Promise<void> {
  await api.put("/v1/config", SETTINGS);
  for (const { name, ...pool } of POOLS) await api.put(`/v1/pools/${name}`, pool);
}

/** Returns any address of any pool, assigned or not. */
export function someAddress(random: Random): string {
  const range = RANGES[randomBelow(RANGES.length, random)] ?? RANGES[0];
  if (!range) throw new Error("there are no pools");
  return formatAddress(addressAt(range, randomBelow(Number(sizeOf(range)), random)));
}

export const hostOf = (index: number): string => `host-${index % HOSTS}`;
