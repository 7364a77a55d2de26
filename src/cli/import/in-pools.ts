import { ATTRIBUTE_VALUE_CHARACTERS_MAX, NAME_CHARACTERS_MAX } from "../../base/limits.ts";
import type { PlatClient } from "../../client/index.ts";
import { hostId } from "../../kernel/values/host.ts";
import { type Address, BITS, formatAddress } from "../../net/address.ts";
import { cidrOf, formatCidr } from "../../net/cidr.ts";
import { whyNoPool } from "../../net/special-ranges.ts";
import { counted } from "../output/count.ts";
import { readPools } from "../space/configuration.ts";
import {
  addressConflicts,
  type Conflict,
  type Desired,
  type DesiredAddress,
  type DesiredBlock,
} from "./desired.ts";
import { knownPools, poolAround } from "./plan-pools.ts";

/** An address as another system has it: people chose the names, and the system need not have it once. */
export interface ForeignAddress {
  readonly address: Address;
  readonly handle: string;
  /** The name of the machine that has the address; absent if none has it. */
  readonly machine?: string | undefined;
  /** Empty values are left out. */
  readonly attributes: Readonly<Record<string, string | null | undefined>>;
  /** The place in the source. */
  readonly where: string;
}

/**
 * Returns the desired state of the addresses of another system, in existing pools. What Plat does not take as it is, is
 * changed or left out, and told in the notes:
 *
 * - A machine becomes a host whose name has `-` for each character that no host's name has. The attribute `machine` keeps
 *   the name.
 * - Of entries with the same address, the first one is taken.
 * - Addresses that no pool can have, such as link-local ones, are left out.
 * - Attributes are cut to their maximum.
 *
 * @param system the virtual host of addresses that no machine has
 */
export function desiredFromSystem(
  client: PlatClient,
  system: string,
  entries: readonly ForeignAddress[],
  notes: readonly string[],
): Promise<Desired> {
  const first = new Map<string, ForeignAddress>();
  const twice: string[] = [];
  const inNoPool: string[] = [];
  for (const entry of entries) {
    const name = formatAddress(entry.address);
    if (whyNoPool(cidrOf(entry.address, BITS[entry.address.family]))) {
      inNoPool.push(`${name} (${entry.where})`);
      continue;
    }
    const taken = first.get(name);
    if (taken) twice.push(`${name} (${entry.where}; ${taken.where} is taken)`);
    else first.set(name, entry);
  }
  const kept = [...first.values()];
  const renamed = new Map<string, string>();
  const cut: string[] = [];
  const addresses = kept.map((entry): DesiredAddress => {
    const { address, handle, machine, where } = entry;
    const host = machine === undefined ? undefined : hostNameOf(machine);
    const isRenamed = machine !== undefined && host !== machine;
    if (isRenamed) renamed.set(machine, `${JSON.stringify(machine)} (${host})`);
    const said = { ...entry.attributes, machine: isRenamed ? machine : undefined };
    const texts = Object.entries(said).filter((each): each is [string, string] => Boolean(each[1]));
    for (const [name, text] of texts)
      if (text.length > ATTRIBUTE_VALUE_CHARACTERS_MAX)
        cut.push(`${name} of ${formatAddress(address)}`);
    return {
      address,
      handle,
      host: host === undefined ? hostId("virtual", system) : hostId("host", host),
      attributes: Object.fromEntries(
        texts.map(([name, text]) => [
          name,
          // Not between the two halves of a character.
          text.slice(0, ATTRIBUTE_VALUE_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, ""),
        ]),
      ),
      where,
    };
  });
  return desiredInPools(client, addresses, [
    ...notes,
    ...noteOf("Left out, because no pool can have them", inNoPool),
    ...noteOf("Left out, because another entry has the same address", twice),
    ...noteOf("Named otherwise, because no host can have such a name", [...renamed.values()]),
    ...noteOf(`Cut to ${ATTRIBUTE_VALUE_CHARACTERS_MAX} characters`, cut),
  ]);
}

/** The characters that no name of a host has, as the schema of a new host says. */
const NOT_IN_NAMES = /[^\x21-\x7e]|[#%/?]/g;

const hostNameOf = (machine: string): string =>
  machine.replaceAll(NOT_IN_NAMES, "-").slice(0, NAME_CHARACTERS_MAX);

const TOLD_MAX = 20;

/** Returns a note over a list, with its first entries; none if the list is empty. */
function noteOf(what: string, all: readonly string[]): readonly string[] {
  if (all.length === 0) return [];
  const more = all.length - TOLD_MAX;
  const told = all.slice(0, TOLD_MAX).join(", ");
  return [`${what}: ${told}${more > 0 ? `, and ${counted(more, "other")}` : ""}.`];
}

/**
 * Returns the desired state of addresses in existing pools, for a source that knows no blocks. An existing block keeps its owner; a
 * new one belongs to the host of its first address.
 */
export async function desiredInPools(
  client: PlatClient,
  addresses: readonly DesiredAddress[],
  notes: readonly string[] = [],
): Promise<Desired> {
  const pools = knownPools({ pools: [] }, { pools: await readPools(client) });
  const blocks = new Map<string, DesiredBlock>();
  for (const { address, host } of addresses) {
    const pool = poolAround(pools, address);
    const cidr = pool && cidrOf(address, pool.blockSize);
    if (cidr && !blocks.has(formatCidr(cidr)))
      blocks.set(
        formatCidr(cidr),
        pool.ranges ? { cidr, isShared: true } : { cidr, owner: host, orAnyones: true },
      );
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

/** Returns a conflict for each address of a space that occurs again, with both places. */
export function twice(
  addresses: readonly Pick<DesiredAddress, "address" | "where">[],
): readonly Conflict[] {
  const seen = new Map<string, string>();
  return addresses.flatMap(({ address, where }): Conflict[] => {
    const name = formatAddress(address);
    const before = seen.get(name);
    seen.set(name, where);
    if (before === undefined) return [];
    return [{ kind: "address", name, problem: `occurs twice: ${before}, and ${where}` }];
  });
}
