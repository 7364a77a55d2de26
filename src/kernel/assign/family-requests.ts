import { Rejection, together } from "../../base/outcome.ts";
import { type Address, type Family, formatAddress } from "../../net/address.ts";
import { parseCidr } from "../../net/cidr.ts";
import { whyNeverAssigned } from "../../net/special-ranges.ts";
import { type InterfaceAsked, interfaceOfApplication } from "../../nouns/pool/application-pools.ts";
import { noneUnread, type SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { poolWithAddress } from "../../nouns/pool/of-address.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { capOf } from "../../nouns/settings/settings.ts";
import {
  acquirePools,
  isMeant,
  meansName,
  type PoolsAsked,
  poolsNamed,
  ruleFor,
} from "../../selection/acquire-pools.ts";
import { isShut, whyShut } from "../../selection/closed-by-reservations.ts";
import type { Requester } from "../../selection/requester.ts";
import {
  type Considered,
  candidateOf,
  considered,
  leftOut,
  NOT_NAMED,
  numbered,
  type PoolCandidate,
  type PoolCriteria,
  poolForbidden,
  selectPools,
  whyNot,
} from "../../selection/selection.ts";
import type { Unfit } from "../../selection/unfit.ts";
import { affinityTypeOf, hostName, reservedOf } from "../values/host.ts";
import type { StatedAddress } from "../values/stated-address.ts";
import {
  type AssignRequest,
  countFieldOf,
  eachWanted,
  ofInterface,
  specificFor,
  totalOf,
} from "./assignment.ts";
import {
  poolOfPrefix,
  poolOfSpecificPrefix,
  poolWithPrefix,
  whyNotSpecific,
} from "./pool-of-prefix.ts";
import type { ApplicationAsked, FamilyRequest, StatedPlaces } from "./selection.ts";

/** The parts of a request that decide which pools can serve it, and the block limit of its host. */
export type PoolRequest = Pick<
  AssignRequest,
  | "space"
  | "host"
  | "workload"
  | "namespace"
  | "wanted"
  | "interfaces"
  | "addresses"
  | "stated"
  | "prefixes"
  | "use"
  | "pools"
  | "poolsByFamily"
  | "applicationOnly"
  | "defaultPools"
  | "network"
  | "labels"
  | "hostLabels"
  | "namespaceLabels"
  | "allowPartial"
  | "hostReserved"
  | "maxBlocksPerHost"
  | "assignedBy"
> &
  Partial<Pick<AssignRequest, "attributes">> &
  InterfaceAsked;

/** The family requests of a request, one for each served family of each interface. */
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
  const { space, host, allowPartial = false, maxBlocksPerHost, hostReserved } = request;
  const rejected =
    oversize(request, configuration) ??
    unasked(request, configuration) ??
    unregistered(request, configuration, requester);
  if (rejected) return rejected;
  refuseUnread(request, requester, configuration);
  const { assignedBy, attributes } = request;
  const claiming = { assignedBy, attributes, quotas: configuration.quotas };
  const familyRequests: FamilyRequest[] = [];
  const unserved: Rejection[] = [];
  for (const { one, family, count } of eachWanted(request)) {
    const ofApplication = applicationFor(one, requester);
    const address = specificFor(request, family);
    const { stated: statedPrefixes = [], specific } = request.prefixes ?? {};
    const stated = statedPrefixes.find((cidr) => cidr.family === family);
    const ofFamily = request.stated?.filter((each) => each.address.family === family);
    const places = ofFamily && placesOf(configuration, ofFamily, request, requester);
    const pools = stated
      ? poolOfPrefix(configuration, space, stated, request.assignedBy)
      : specific
        ? poolOfSpecificPrefix(configuration, specific, request, requester)
        : places
          ? poolsOfPlaces(places)
          : address && !ofApplication
            ? listOf(poolOfAddress(configuration, address, request, requester))
            : poolsServing(one, configuration, requester, family);
    if (pools instanceof Rejection) {
      // A pool that cannot be read might have served.
      noneUnread(configuration);
      const { code, detail, members } = pools;
      const missing = count > 0 ? [{ family, count, code }] : [];
      const rejection = new Rejection(code, detail, { ...members, missing });
      unserved.push(ofInterface(one.interface, rejection));
      continue;
    }
    familyRequests.push({
      space,
      host,
      family,
      ...(one.interface !== undefined && { interface: one.interface }),
      ...(ofApplication && { ofApplication }),
      ...(places && { stated: places }),
      count,
      pools,
      configuration,
      claiming,
      leftOut: () =>
        stated || specific || address || places
          ? []
          : leftOut(configuration.pools, poolCriteria(one, requester, family)),
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

const listOf = (pool: Pool | Rejection) => (pool instanceof Rejection ? pool : [pool]);

/** Returns the pools of stated addresses; or the rejections, if no pool can serve any. */
function poolsOfPlaces({ places, unfit }: StatedPlaces): readonly Pool[] | Rejection {
  const [first, ...others] = unfit;
  if (places.length === 0 && first) return together(first, ...others);
  return [...new Set(places.map(({ pool }) => pool))];
}

/** Returns the pools that may serve a family of a request, in order; or the rejection. */
export const poolsServing = (
  request: PoolRequest,
  { pools }: Pick<SpaceConfiguration, "pools">,
  requester: Requester,
  family: Family,
): readonly Pool[] | Rejection => selectPools(pools, poolCriteria(request, requester, family));

/**
 * Checks that the list that gives a request its pools means no unreadable one: by its name or a pattern, or by a CIDR that
 * may be its.
 *
 * @throws {CorruptItemError}
 */
function refuseUnread(
  request: PoolRequest,
  requester: Requester,
  configuration: SpaceConfiguration,
): void {
  const { pools, unreadablePools } = configuration;
  if (unreadablePools.length === 0) return;
  const listed = eachWanted(request).flatMap(
    ({ one, family }) => ruleFor(poolCriteria(one, requester, family)).texts ?? [],
  );
  for (const text of listed) {
    const unread = unreadablePools.find(({ name }) => meansName(text, name));
    if (unread) throw unread.unreadable;
    const known = pools.some((pool) => isMeant(pool, [text]));
    if (!known && parseCidr(text).ok) noneUnread(configuration);
  }
}

/** Returns the rule that gives a family its pools, and every pool that is considered, with its place or why it has none. */
export function consideredPools(
  request: PoolRequest,
  configuration: SpaceConfiguration,
  requester: Requester,
  family: Family,
): Considered {
  const { prefixes } = request;
  const address = specificFor(request, family);
  if (prefixes?.specific)
    return ofOnePool(poolWithPrefix(configuration, prefixes.specific), (pool) =>
      whyNotSpecific(pool, request, requester),
    );
  if (!address || applicationFor(request, requester)) {
    const criteria = poolCriteria(request, requester, family);
    const { rule, pools } = considered(configuration.pools, criteria);
    const isOpen = rule === "application";
    const told = pools.map((each) =>
      each.kept && !isOpen ? unlessShut(each, configuration) : each,
    );
    return { rule, pools: numbered(told) };
  }
  return ofOnePool(poolWithAddress(configuration, address), (pool) =>
    whyNotFor(pool, request, requester),
  );
}

/** Returns the pool of what a request names as the only candidate: a request that names an address or a prefix names its pool. */
function ofOnePool(pool: Pool | undefined, whyNot: (pool: Pool) => Unfit | undefined): Considered {
  const rule = "pools";
  if (!pool) return { rule, pools: [] };
  const candidate = candidateOf(pool.cidr.family, { name: pool.name, pool, unfit: whyNot(pool) });
  return { rule, pools: numbered([candidate]) };
}

/** Returns the application whose addresses alone an interface of a request gets, and its interface. */
export function applicationFor(
  asked: InterfaceAsked,
  { application }: Requester,
): ApplicationAsked | undefined {
  const of = interfaceOfApplication(application, asked);
  return application && of !== undefined ? { application, interface: of } : undefined;
}

/**
 * Returns true if a request means a pool, before any filter. One that names no pool means the Automatic ones; if it names its address,
 * it means the pool of that.
 */
export function means(
  request: PoolRequest & InterfaceAsked,
  { pools }: SpaceConfiguration,
  requester: Requester,
  meant: Pool,
): boolean {
  const { family } = meant.cidr;
  if (specificFor(request, family) && !applicationFor(request, requester))
    return isNamed(meant, request);
  const { rule, candidates } = acquirePools(pools, poolCriteria(request, requester, family));
  return (
    (rule !== "automatic" || meant.assignmentMode === "Automatic") &&
    candidates.some(({ name }) => name === meant.name)
  );
}

/** Returns true if a request names no pool of the pool's family, or means this one. */
function isNamed(pool: Pool, request: PoolsAsked): boolean {
  const named = poolsNamed(request, pool.cidr.family);
  return !named || isMeant(pool, named);
}

/** Marks a pool as unfit for an explanation if reservations cover it. By the rules it serves, and it has no address. */
function unlessShut(candidate: PoolCandidate, configuration: SpaceConfiguration): PoolCandidate {
  const { pools, unreadableReservations } = configuration;
  const pool = pools.find(({ name }) => name === candidate.pool);
  if (!pool || unreadableReservations.length > 0 || !isShut(pool, configuration)) return candidate;
  const { score: _, ...dropped } = candidate;
  return { ...dropped, kept: false, ...whyShut(pool, configuration) };
}

function poolCriteria(request: PoolRequest, requester: Requester, family: Family): PoolCriteria {
  const { pools, poolsByFamily, applicationOnly, defaultPools, network } = request;
  return {
    family,
    isDual: request.wanted.length > 1,
    use: request.use ?? "Workload",
    ...(request.prefixes && { wantsPrefixes: true }),
    ...(request.prefixes?.length !== undefined && { prefixLength: request.prefixes.length }),
    pools,
    ...(poolsByFamily && { poolsByFamily }),
    ...(applicationOnly && { applicationOnly }),
    ...(defaultPools && { defaultPools }),
    ...(network !== undefined && { network }),
    ...(request.interface !== undefined && { interface: request.interface }),
    ...(request.isOnly && { isOnly: true }),
    requester,
    hostReserved: reservedOf(request.hostReserved, family),
  };
}

/** Returns true if the host must be registered. A load balancer (as in Calico) and a virtual owner are no machines. */
export const mustBeRegistered = (
  { host, use }: PoolRequest,
  { settings }: SpaceConfiguration,
): boolean =>
  settings.requireRegisteredHosts && use !== "LoadBalancer" && affinityTypeOf(host) === "host";

/** Returns the rejection of a host that must be registered and is not. */
export function unregistered(
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

/** Rejects a request for too many addresses, so that one call cannot drain a pool. */
function oversize(request: PoolRequest, { settings }: SpaceConfiguration): Rejection | undefined {
  const { wanted, prefixes, stated, addresses } = request;
  if (prefixes || stated) return undefined;
  const total = totalOf(wanted);
  const most = settings.maxAddressesPerRequest;
  if (total <= most) return undefined;
  const fields = addresses
    ? [
        {
          field: "addresses",
          value: addresses.map(formatAddress),
          problem: `must be at most ${most} (maxAddressesPerRequest)`,
        },
      ]
    : wanted.map((each) => ({
        field: countFieldOf(request, each),
        value: each.count,
        problem: `must be at most ${most} with all others (maxAddressesPerRequest)`,
      }));
  return new Rejection(
    "invalid_request",
    `${total} addresses are asked for; a request may ask for ${most} (maxAddressesPerRequest).`,
    { fields },
  );
}

/** The parts of a request that decide whether the pool of an address can serve it. */
type AddressRequest = PoolsAsked & Pick<AssignRequest, "space" | "use" | "hostReserved">;

/** Returns the pool of a specific address if it can serve, or the rejection. */
function poolOfAddress(
  configuration: SpaceConfiguration,
  address: Address,
  request: AddressRequest,
  requester: Requester,
): Pool | Rejection {
  const text = formatAddress(address);
  const pool = poolWithAddress(configuration, address);
  if (!pool)
    return new Rejection(
      "no_pool_available",
      `Address ${text} is in no pool of space ${request.space}.`,
      {
        address: text,
        pools: [],
      },
    );
  const unfit = whyNotFor(pool, request, requester);
  if (!unfit) return pool;
  const { name } = pool;
  const members = {
    address: text,
    pools: [candidateOf(address.family, { name, pool, unfit })],
  };
  if (unfit.code === "principal") return poolForbidden(pool, unfit, members);
  return new Rejection(
    "no_pool_available",
    `Address ${text} lies in pool ${name}, which ${unfit.reason}.`,
    members,
  );
}

/** Returns the reason why the pool of a specific address cannot serve, or nothing if it can. */
function whyNotFor(pool: Pool, request: AddressRequest, requester: Requester): Unfit | undefined {
  const { family } = pool.cidr;
  if (!isNamed(pool, request)) return NOT_NAMED;
  return whyNot(pool, "pools", {
    family,
    use: request.use ?? pool.allowedUses[0] ?? "Workload",
    requester,
    ...(request.network !== undefined && { network: request.network }),
    hostReserved: reservedOf(request.hostReserved, family),
  });
}

/** Returns the pools of the addresses that a host says it has, and the rejections of those that no pool can serve. */
function placesOf(
  configuration: SpaceConfiguration,
  stated: readonly StatedAddress[],
  request: AddressRequest,
  requester: Requester,
): StatedPlaces {
  const found = stated.map((each) => ({
    ...each,
    pool: neverAssigned(each) ?? poolOfAddress(configuration, each.address, request, requester),
  }));
  const unfit = found.flatMap(({ pool }) => (pool instanceof Rejection ? [pool] : []));
  if (unfit.length > 0) noneUnread(configuration);
  const places = found.flatMap(({ pool, ...each }) =>
    pool instanceof Rejection ? [] : [{ ...each, pool }],
  );
  return { places, unfit };
}

/** Rejects an address that no host can have. */
function neverAssigned({ address }: StatedAddress): Rejection | undefined {
  const problem = whyNeverAssigned(address);
  if (!problem) return undefined;
  const value = formatAddress(address);
  return new Rejection("invalid_request", `address ${value} ${problem}.`, {
    fields: [{ field: "address", value, problem }],
  });
}
