import { handleHash } from "../../src/base/hash.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import { type Address, parseAddress } from "../../src/net/address.ts";
import { addressAt, formatCidr, sizeOf } from "../../src/net/cidr.ts";
import { drawLabels, NAMESPACES, type Scenario, valueIn } from "./scenario.ts";

export const SPACE = "default";
/** Another space, which comes first in the order of spaces. */
export const ASIDE = "aside";
/** The space that gets its first pool during the run; it is in the shard of `SPACE`. */
export const FOUNDED = "founded";
export const SPACES: readonly string[] = [SPACE, ASIDE, FOUNDED];
const REQUESTS_PER_CLIENT = 4;
/** An owner that is no machine, so no operator registers it. */
const VIRTUAL = hostId("virtual", "balancer");
/**
 * The numbers of IPv4 and IPv6 addresses: for one block, for more blocks, and for both families.
 */
const WANTED = [
  [1, 0],
  [1, 0],
  [1, 0],
  [2, 0],
  [3, 0],
  [5, 0],
  [1, 1],
  [2, 1],
  [0, 1],
] as const;

/** A request as its client sends it, and as it repeats it under the same key. */
export interface Ask {
  readonly key: string | undefined;
  readonly request: AssignRequest;
}

/** Draws the requests of one client in a run; the same client always sends the same ones. */
export function drawRequests(random: Random, scenario: Scenario, number: number): readonly Ask[] {
  const chance = (share: number) => random.fraction() < share;
  const pick = <T>(choices: readonly T[]) =>
    choices[Math.floor(random.fraction() * choices.length)] as T;
  const client = scenario.clients[number] as Scenario["clients"][number];
  return Array.from({ length: REQUESTS_PER_CLIENT }, (_, n) => {
    const most = client.limit ?? Number.POSITIVE_INFINITY;
    const [ipv4, ipv6] = pick(WANTED).map((count) => Math.min(count, most)) as [number, number];
    const key = number === 0 || chance(0.6) ? `key-${number}-${n}` : undefined;
    const address = chance(0.25) ? drawAddress(random, scenario) : undefined;
    const wanted = address
      ? [{ family: address.family, count: 1 }]
      : [
          { family: 4 as const, count: ipv4 },
          { family: 6 as const, count: ipv6 },
        ].filter(({ count }) => count > 0);
    const isLimited = client.limit !== undefined && chance(0.9);
    const allowPartial = chance(number === 0 ? 0.4 : 0.25);
    const namespace = [...NAMESPACES, undefined][(number + n) % (NAMESPACES.length + 1)];
    const host = chance(0.9) ? client.host : pick([...scenario.hosts, VIRTUAL]);
    const isByInterface = !address && !isLimited && number % 2 === 1 && n % 2 === 1;
    const ofInterfaces = isByInterface && byInterface(wanted, scenario);
    const request: AssignRequest = {
      space: SPACE,
      host,
      wanted,
      handle: client.handle,
      attributes: {},
      pools: chance(0.15) ? drawPools(random, scenario) : [],
      ...(allowPartial && { allowPartial }),
      ...(address && { addresses: [address] }),
      ...(namespace && { namespace }),
      ...(chance(0.1) && { use: "Tunnel" as const }),
      ...(chance(0.15) && { maxBlocksPerHost: 1 }),
      ...(chance(0.35) && { leaseSeconds: pick([5, 40, 120]) }),
      ...(host === scenario.hosts[0] &&
        scenario.hostReserved && { hostReserved: scenario.hostReserved }),
      ...(isLimited && { limitPerHandle: client.limit }),
      ...(chance(0.1) && {
        pools: [],
        poolsByFamily: {
          4: drawPools(random, scenario),
          ...(!chance(0.5) && { 6: ["pool-5"] }),
        },
      }),
      ...(chance(0.15) && { hostLabels: drawLabels(random) }),
      ...(chance(0.15) && { namespaceLabels: drawLabels(random) }),
      ...(number % 2 === 0 && { assignedBy: `caller-${number}` }),
      ...(key && { keyId: handleHash(`${client.handle}/${key}`) }),
      digest: `${number} ${n}`,
    };
    if (!ofInterfaces) return { key, request };
    const { allowPartial: _partial, poolsByFamily: _lists, ...whole } = request;
    return { key, request: { ...whole, ...ofInterfaces } };
  });
}

/** Returns a request's counts for two interfaces, the second of which asks for one address in the last pool. */
function byInterface(
  wanted: AssignRequest["wanted"],
  { pools }: Scenario,
): Pick<AssignRequest, "wanted" | "interfaces" | "pools"> {
  const last = pools.at(-1) as Scenario["pools"][number];
  return {
    wanted: [
      ...wanted.map((each) => ({ ...each, interface: "eth0" })),
      { family: last.cidr.family, count: 1, interface: "net1" },
    ],
    pools: [],
    interfaces: [
      { name: "eth0", pools: [] },
      { name: "net1", pools: [last.name] },
    ],
  };
}

/** Lets some requests that name an address name one of the other family as well. */
export function asDual(random: Random, scenario: Scenario, asked: AssignRequest): AssignRequest {
  const [named] = asked.addresses ?? [];
  const pools = scenario.pools.filter(({ cidr }) => cidr.family !== named?.family);
  if (!named || pools.length === 0 || random.fraction() < 0.5) return asked;
  const { allowPartial: _, ...whole } = asked;
  const addresses = [named, drawAddress(random, { pools })].toSorted((a, b) => a.family - b.family);
  // One that lies in no pool may be of the same family.
  return addresses[0]?.family === addresses[1]?.family
    ? asked
    : { ...whole, addresses, wanted: addresses.map(({ family }) => ({ family, count: 1 })) };
}

export function drawAddress(random: Random, { pools }: Pick<Scenario, "pools">): Address {
  if (pools.length === 0 || random.fraction() < 0.1) return valueIn(parseAddress("192.0.2.1")); // in no pool
  const { cidr } = pools[Math.floor(random.fraction() * pools.length)] as Scenario["pools"][number];
  const size = Math.min(Number(sizeOf(cidr)), 128);
  return addressAt(cidr, Math.floor(random.fraction() * size));
}

function drawPools(random: Random, { pools }: Scenario): readonly string[] {
  const names = pools.map(({ name, cidr }) => (random.fraction() < 0.5 ? name : formatCidr(cidr)));
  if (random.fraction() < 0.15) return ["nowhere"];
  if (random.fraction() < 0.3) return ["wanted-0"];
  return random.fraction() < 0.5 ? names : names.slice(-1);
}
