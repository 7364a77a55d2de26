import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import type { Address } from "../../src/net/address.ts";
import { type AddressSet, unionOf } from "../../src/net/address-set.ts";
import { addressAt } from "../../src/net/cidr.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import { cidrOf, type Scenario, selectorOf } from "./scenario.ts";

/** The ranged pools of a run. They share one CIDR, and split its blocks. */
export interface RangedPools {
  /** Those that exist at the start. */
  readonly pools: Scenario["pools"];
  /** The names of all pools that operators create and delete. */
  readonly names: readonly string[];
  /** The addresses that the pools split. Their CIDR may have more. */
  readonly addresses: readonly Address[];
}

/** The share of runs with ranged pools. */
const SHARE = 0.3;

/** CIDRs with their block sizes, and the ordinals of the addresses that the pools split. */
const SUBNETS = [
  ["10.4.0.0/28", 30, upTo(16)],
  ["10.4.0.0/28", 28, upTo(16)],
  ["10.4.0.0/29", 31, upTo(8)],
  ["10.4.0.0/28", 32, upTo(12)],
  ["2001:db8:4::/125", 127, upTo(8)],
  // Four block groups, of each of which the pools have a little.
  ["10.4.0.0/24", 32, [0, 1, 2, 64, 65, 66, 130, 131, 132, 254, 255]],
] as const;

/** Draws the ranged pools of a run, or none. They are drawn apart, so that the other runs stay as they are. */
export function drawRangedPools(random: Random, scenario: Scenario): RangedPools | undefined {
  const chance = (share: number) => random.fraction() < share;
  const below = (n: number) => Math.floor(random.fraction() * n);
  if (!chance(SHARE)) return undefined;
  const [text, blockSize, ordinals] = SUBNETS[below(SUBNETS.length)] as (typeof SUBNETS)[number];
  const cidr = cidrOf(text);
  const addresses = ordinals.map((ordinal) => addressAt(cidr, ordinal));
  // Before or after the other pools in the order in which a request tries them.
  const kind = chance(0.5) ? "near" : "spare";
  const names = ["a", "b", "c", "d"].map((letter) => `${kind}-${letter}`);
  const specOf = (set: AddressSet): PoolSpec => ({
    cidr,
    blockSize,
    ranges: set,
    disabled: false,
    assignmentMode: chance(0.2) ? "Manual" : "Automatic",
    allowedUses: chance(0.3) ? ["Workload", "Tunnel"] : ["Workload"],
    borrowing: "allowed",
    ...(chance(0.8) && { cooldownSeconds: scenario.cooldownMs / 1000 }),
    ...(scenario.selects && chance(0.4) && { nodeSelector: selectorOf("zone == 'west'") }),
  });
  // Two or three runs of addresses that no pool shares; at times some are left to add.
  const count = chance(0.6) ? 3 : 2;
  const last = chance(0.5) ? addresses.length : addresses.length - 2;
  const cuts = Array.from({ length: count - 1 }, () => 1 + below(last - 1)).sort((a, b) => a - b);
  const ends = [0, ...cuts, last];
  const pools = Array.from({ length: count }, (_, n) => addresses.slice(ends[n], ends[n + 1]))
    .filter((own) => own.length > 0)
    .map((own, n) => ({ ...specOf(setFrom(own)), name: names[n] as string }));
  return { pools, names, addresses };
}

/** Returns some addresses as a set. */
export const setFrom = (addresses: readonly Address[]): AddressSet =>
  unionOf(addresses.map(({ family, value }) => ({ family, first: value, last: value })));

/** Lets some requests ask for the ranged pools: for an address, for some pools, or for a pool of each interface. */
export function asTenant(
  random: Random,
  { pools, addresses }: RangedPools,
  asked: AssignRequest,
): AssignRequest {
  const below = (n: number) => Math.floor(random.fraction() * n);
  if (random.fraction() < 0.45) return asked;
  const { addresses: _, poolsByFamily: __, ...rest } = asked;
  const { family } = addresses[0] as Address;
  const nameAt = (n: number) => pools[n % pools.length]?.name ?? "";
  const from = below(pools.length);
  if (rest.interfaces) {
    const interfaces = rest.interfaces.map(({ name }, n) => ({ name, pools: [nameAt(from + n)] }));
    const wanted = interfaces.map(({ name }) => ({ family, count: 1 + below(2), interface: name }));
    return { ...rest, interfaces, wanted };
  }
  if (random.fraction() < 0.3) {
    const address = addresses[below(addresses.length)] as Address;
    return { ...rest, pools: [], addresses: [address], wanted: [{ family, count: 1 }] };
  }
  const named = [nameAt(from), ...(below(2) === 0 ? [] : [nameAt(from + 1)])];
  const count = 1 + below(rest.limitPerHandle ?? 4);
  return { ...rest, pools: named, wanted: [{ family, count }] };
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}
