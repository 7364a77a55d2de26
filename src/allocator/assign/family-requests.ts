import { type Address, type Family, formatAddress } from "../../domain/address.ts";
import { contains, formatCidr, parseCidr } from "../../domain/cidr.ts";
import { isShut, whyShut } from "../../domain/closed-by-reservations.ts";
import { affinityTypeOf, hostName } from "../../domain/host.ts";
import { reservedOf } from "../../domain/host-reserved.ts";
import { Rejection, together } from "../../domain/outcome.ts";
import {
  capOf,
  noneUnread,
  type Pool,
  poolNamed,
  type SpaceConfiguration,
} from "../../domain/pool.ts";
import {
  type Candidate,
  candidateOf,
  considered,
  isNamed,
  NOT_NAMED,
  numbered,
  type PoolCriteria,
  type Requester,
  selectPools,
  type Unfit,
  whyNot,
} from "../../domain/selection.ts";
import { whyNeverAssigned } from "../../domain/special-ranges.ts";
import { type AssignRequest, type PoolsAsked, totalOf } from "./assignment.ts";
import type { FamilyRequest } from "./selection.ts";

/** The parts of a request that decide which pools can serve it, and the block limit of its host. */
export type PoolRequest = Pick<
  AssignRequest,
  | "space"
  | "host"
  | "namespace"
  | "wanted"
  | "address"
  | "use"
  | "pools"
  | "poolsByFamily"
  | "hostLabels"
  | "namespaceLabels"
  | "allowPartial"
  | "hostReserved"
  | "maxBlocksPerHost"
>;

/** The family requests of a request, one for each served family. */
export interface FamilyRequests {
  readonly familyRequests: readonly FamilyRequest[];
  /** The reason why no pool serves the other family, for a request that accepts a part. */
  readonly unserved?: Rejection;
}

/** Returns the family requests of a request under a configuration, or the rejection. */
export function familyRequestsOf(
  request: PoolRequest,
  configuration: SpaceConfiguration,
  requester: Requester,
): FamilyRequests | Rejection {
  const { space, host, address, allowPartial = false, maxBlocksPerHost, hostReserved } = request;
  const rejected =
    neverAssigned(request) ??
    oversize(request, configuration) ??
    unasked(request, configuration) ??
    unregistered(request, configuration, requester);
  if (rejected) return rejected;
  refuseUnread(request, configuration);
  const familyRequests: FamilyRequest[] = [];
  const unserved: Rejection[] = [];
  for (const { family, count } of request.wanted) {
    const pools = address
      ? poolOf(configuration, address, request)
      : selectPools(configuration.pools, poolCriteria(request, configuration, requester, family));
    if (pools instanceof Rejection) {
      // A pool that cannot be read might have served.
      noneUnread(configuration);
      const { code, detail, members } = pools;
      const missing = count > 0 ? [{ family, count, code }] : [];
      unserved.push(new Rejection(code, detail, { ...members, missing }));
      continue;
    }
    familyRequests.push({
      space,
      host,
      family,
      count,
      pools,
      configuration,
      blocksMax: Math.min(
        capOf(configuration.settings),
        maxBlocksPerHost ?? Number.POSITIVE_INFINITY,
      ),
      hostReserved: reservedOf(hostReserved, family),
      allowPartial,
    });
  }
  const [first, ...others] = unserved;
  if (!first) return { familyRequests };
  const rejection = together(first, ...others);
  return allowPartial && familyRequests.length > 0
    ? { familyRequests, unserved: rejection }
    : rejection;
}

/** Checks that a request names no unreadable pool, by its name or by a CIDR that may be its. @throws {CorruptItemError} */
function refuseUnread(
  { pools, poolsByFamily = { 4: [], 6: [] } }: PoolRequest,
  configuration: SpaceConfiguration,
): void {
  for (const name of [...pools, ...poolsByFamily[4], ...poolsByFamily[6]]) {
    const known = configuration.pools.some((pool) => isNamed(pool, [name]));
    if (!known && !poolNamed(configuration, name) && parseCidr(name).ok) noneUnread(configuration);
  }
}

/** Returns every pool that is considered for a family, with its place in the order or the reason why it cannot serve. */
export function consideredPools(
  request: AssignRequest,
  configuration: SpaceConfiguration,
  requester: Requester,
  family: Family,
): readonly Candidate[] {
  const { address } = request;
  if (!address) {
    const familyRequest = poolCriteria(request, configuration, requester, family);
    const all = considered(configuration.pools, familyRequest);
    return numbered(all.map((each) => (each.kept ? unlessShut(each, configuration) : each)));
  }
  const pool = poolAround(configuration, address);
  if (!pool) return [];
  const unfit = whyNotFor(pool, request);
  return numbered([candidateOf(family, { name: pool.name, pool, unfit })]);
}

/** Marks a pool as unfit for an explanation if reservations cover it. By the rules it serves, and it has no address. */
function unlessShut(candidate: Candidate, configuration: SpaceConfiguration): Candidate {
  const { pools, unreadableReservations } = configuration;
  const pool = pools.find(({ name }) => name === candidate.pool);
  if (!pool || unreadableReservations.length > 0 || !isShut(pool, configuration)) return candidate;
  return { ...candidate, kept: false, ...whyShut(pool, configuration) };
}

function poolCriteria(
  request: PoolRequest,
  configuration: SpaceConfiguration,
  requester: Requester,
  family: Family,
): PoolCriteria {
  const { use = "Workload" } = request;
  return {
    family,
    use,
    pools: ownOf(request, configuration, family),
    requester,
    hostReserved: reservedOf(request.hostReserved, family),
  };
}

/** Returns the pools that a request names for a family, or for both. */
export const namedFor = ({ pools, poolsByFamily }: PoolsAsked, family: Family): readonly string[] =>
  poolsByFamily?.[family] ?? pools;

/** Returns the named pools of one family, if one list names pools of both. */
function ownOf(
  request: PoolRequest,
  { pools }: SpaceConfiguration,
  family: Family,
): readonly string[] {
  const named = namedFor(request, family);
  if (request.wanted.length < 2 || request.poolsByFamily || named.length === 0) return named;
  const others = new Set(
    pools
      .filter(({ cidr }) => cidr.family !== family)
      .flatMap(({ name, cidr }) => [name, formatCidr(cidr)]),
  );
  const own = named.filter((name) => !others.has(name));
  return own.length > 0 ? own : named;
}

/** Returns the pool around a specific address if it can serve, or the rejection. */
function poolOf(
  configuration: SpaceConfiguration,
  address: Address,
  request: PoolRequest,
): readonly Pool[] | Rejection {
  const text = formatAddress(address);
  const pool = poolAround(configuration, address);
  if (!pool)
    return new Rejection(
      "no_pool_available",
      `Address ${text} is in no pool of space ${request.space}.`,
      {
        address: text,
        pools: [],
      },
    );
  const unfit = whyNotFor(pool, request);
  if (!unfit) return [pool];
  const { name } = pool;
  return new Rejection(
    "no_pool_available",
    `Address ${text} lies in pool ${name}, which ${unfit.detail}.`,
    { address: text, pools: [candidateOf(address.family, { name, pool, unfit })] },
  );
}

/** Returns the pool around an address. It may be a deleting one, so that the rejection says so. */
function poolAround({ pools }: SpaceConfiguration, address: Address): Pool | undefined {
  const around = pools.filter(({ cidr }) => contains(cidr, address));
  const inState = (state: Pool["state"]) => around.find((pool) => pool.state === state);
  return inState("active") ?? inState("deleting");
}

/** Returns the reason why the pool of a specific address cannot serve, or nothing if it can. */
function whyNotFor(pool: Pool, request: PoolRequest): Unfit | undefined {
  const { family } = pool.cidr;
  if (!isNamed(pool, namedFor(request, family))) return NOT_NAMED;
  return whyNot(pool, {
    family,
    use: request.use ?? pool.allowedUses[0] ?? "Workload",
    pools: [pool.name],
    requester: NOBODY,
    hostReserved: reservedOf(request.hostReserved, family),
  });
}

/** The requester of a named pool, which does not select by labels. */
const NOBODY: Requester = { host: undefined, namespace: undefined };

/** Returns true if the host must be registered. A load balancer (as in Calico) and a virtual owner are no machines. */
export const mustBeRegistered = (
  { host, use }: PoolRequest,
  { settings }: SpaceConfiguration,
): boolean =>
  settings.requireRegisteredHosts && use !== "LoadBalancer" && affinityTypeOf(host) === "host";

function unregistered(
  request: PoolRequest,
  configuration: SpaceConfiguration,
  { host }: Requester,
): Rejection | undefined {
  if (host || !mustBeRegistered(request, configuration)) return undefined;
  const name = hostName(request.host);
  return new Rejection(
    "host_not_registered",
    `Host ${name} is not registered, and space ${request.space} assigns to registered hosts only (requireRegisteredHosts); PUT /v1/spaces/${request.space}/nodes/${name} registers it.`,
    { host: name },
  );
}

/** Rejects host labels in a request if hosts must be registered: then only operators set them. */
function unasked(request: PoolRequest, configuration: SpaceConfiguration): Rejection | undefined {
  if (!request.hostLabels || !mustBeRegistered(request, configuration)) return undefined;
  const name = hostName(request.host);
  const problem = `is not taken in space ${request.space}, whose hosts must be registered (requireRegisteredHosts); PUT /v1/spaces/${request.space}/nodes/${name} says its labels`;
  return new Rejection("invalid_request", `hostLabels ${problem}.`, {
    fields: [{ field: "hostLabels", problem }],
  });
}

/** Rejects an address that no host can have. */
function neverAssigned({ address }: PoolRequest): Rejection | undefined {
  const problem = address && whyNeverAssigned(address);
  if (!problem) return undefined;
  const value = formatAddress(address);
  return new Rejection("invalid_request", `address ${value} ${problem}.`, {
    fields: [{ field: "address", value, problem }],
  });
}

/** Rejects a request for too many addresses, so that one call cannot drain a pool. */
function oversize(
  { wanted }: PoolRequest,
  { settings }: SpaceConfiguration,
): Rejection | undefined {
  const total = totalOf(wanted);
  const most = settings.maxAddressesPerRequest;
  if (total <= most) return undefined;
  const fields = wanted.map(({ family, count }) => ({
    field: `ipv${family}`,
    value: count,
    problem: `must be at most ${most} with all others (maxAddressesPerRequest)`,
  }));
  return new Rejection(
    "invalid_request",
    `${total} addresses are asked for; a request may ask for ${most} (maxAddressesPerRequest).`,
    { fields },
  );
}
