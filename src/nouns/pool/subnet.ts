import { COOLDOWN_SECONDS_MAX } from "../../base/limits.ts";
import { formatCidr } from "../../net/cidr.ts";
import { noneUnread, type SpaceConfiguration } from "./configuration.ts";
import { cooldownMsOf, hasHosts, isRanged, type Pool, subnetIdOf } from "./pool.ts";

/** Returns the readable pools of a subnet by name. A pool without ranges is its own subnet. */
export const poolsOfSubnet = (
  { pools }: Pick<SpaceConfiguration, "pools">,
  subnetId: string,
): readonly Pool[] =>
  pools
    .filter((pool) => subnetIdOf(pool) === subnetId)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Returns a pool of a subnet, if there is one. @throws {CorruptItemError} if it may be one that cannot be read */
export const poolOfSubnet = (
  configuration: SpaceConfiguration,
  subnetId: string,
): Pool | undefined => poolsOfSubnet(configuration, subnetId)[0] ?? noneUnread(configuration);

/** Returns true if no host owns a block, because it lies in a ranged pool or is a prefix. Nobody borrows from it. */
export const isShared = (
  configuration: Pick<SpaceConfiguration, "pools">,
  { poolId }: { readonly poolId: string },
): boolean => poolsOfSubnet(configuration, poolId).some((pool) => !hasHosts(pool));

/** Returns one pool of each subnet, the first by name, so that a walk visits the blocks of each once. */
export function onePerSubnet<T extends SubnetMember>(members: readonly T[]): readonly T[] {
  const nameOf = ({ name = "", pool = name }: SubnetMember) => pool;
  const seen = new Set<string>();
  return members
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .filter(({ space = "", subnetId }) => {
      const subnet = `${space} ${subnetId}`;
      const isFirst = subnetId === undefined || !seen.has(subnet);
      seen.add(subnet);
      return isFirst;
    });
}

/** A pool whose blocks a walk visits. */
interface Visited {
  readonly pool: Pool;
  /** The place at which a walk can continue: a pool's name, or after all names the subnet of ranged pools, whichever of them exist. */
  readonly place: string;
}

/** Returns the pools whose blocks a walk visits from a place on, in order: one of each subnet, or the named one alone. */
export function walkOrder(
  pools: readonly Pool[],
  { only, from = "" }: { readonly only?: string | undefined; readonly from?: string | undefined },
): readonly Visited[] {
  if (only !== undefined)
    return pools.filter(({ name }) => name === only).map((pool) => ({ pool, place: only }));
  return onePerSubnet(pools)
    .map((pool) => ({
      pool,
      place: isRanged(pool) ? `~${formatCidr(pool.cidr)} ${subnetIdOf(pool)}` : pool.name,
    }))
    .filter(({ place }) => place >= from)
    .toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** A pool, or its entry in the address plan of one space. */
type SubnetMember = Pick<Pool, "subnetId"> & {
  readonly space?: string;
  readonly name?: string;
  readonly pool?: string;
};

/** Returns when the addresses of a block have cooled, whichever pool of the subnet had them: the longest of its cooldowns. */
export const cooldownMsOfSubnet = (configuration: SpaceConfiguration, subnetId: string): number => {
  const pools = poolsOfSubnet(configuration, subnetId);
  const { settings, unreadablePools } = configuration;
  if (pools.length === 0) return cooldownMsOf(undefined, settings);
  // A pool that cannot be read may be one of the subnet.
  if (pools.some(isRanged) && unreadablePools.length > 0) return 1000 * COOLDOWN_SECONDS_MAX;
  return Math.max(...pools.map((pool) => cooldownMsOf(pool, settings)));
};
