import type { PlatClient } from "../../client/index.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { type Cidr, cidrOf, contains, formatCidr, parseCidr } from "../../net/cidr.ts";
import { readPools } from "../space/configuration.ts";
import {
  addressConflicts,
  type Conflict,
  type Desired,
  type DesiredAddress,
  type DesiredBlock,
} from "./desired.ts";

/**
 * Returns the desired state of addresses in existing pools, for a source that knows no blocks. An existing block keeps its owner; a
 * new one belongs to the host of its first address.
 */
export async function desiredInPools(
  client: PlatClient,
  addresses: readonly DesiredAddress[],
  notes: readonly string[] = [],
): Promise<Desired> {
  const current = await readPools(client);
  const pools = current.flatMap(({ cidr, blockSize }) => {
    const read = parseCidr(cidr);
    return read.ok ? [{ cidr: read.value, blockSize }] : [];
  });
  const blocks = new Map<string, DesiredBlock>();
  for (const { address, host } of addresses) {
    const cidr = blockAround(pools, address);
    if (cidr && !blocks.has(formatCidr(cidr)))
      blocks.set(formatCidr(cidr), { cidr, owner: host, orAnyones: true });
  }
  return {
    pools: [],
    reservations: [],
    labelled: [],
    blocks: [...blocks.values()],
    addresses,
    conflicts: [...twice(addresses), ...addresses.flatMap(addressConflicts)],
    notes,
  };
}

function blockAround(
  pools: readonly { readonly cidr: Cidr; readonly blockSize: number }[],
  address: Address,
): Cidr | undefined {
  const pool = pools.find(({ cidr }) => contains(cidr, address));
  return pool && cidrOf(address, pool.blockSize);
}

function twice(addresses: readonly DesiredAddress[]): Conflict[] {
  const seen = new Map<string, string>();
  return addresses.flatMap(({ address, where }): Conflict[] => {
    const name = formatAddress(address);
    const before = seen.get(name);
    seen.set(name, where);
    if (before === undefined) return [];
    return [{ kind: "address", name, problem: `occurs twice: ${before}, and ${where}` }];
  });
}
