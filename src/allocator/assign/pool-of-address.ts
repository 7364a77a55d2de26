import { isMeant, type PoolsAsked, poolsNamed } from "../../domain/acquire-pools.ts";
import { type Address, formatAddress } from "../../domain/address.ts";
import { whyNot } from "../../domain/filter-pools.ts";
import { reservedOf } from "../../domain/host-reserved.ts";
import { Rejection } from "../../domain/outcome.ts";
import { noneUnread, type Pool, type SpaceConfiguration } from "../../domain/pool.ts";
import { poolOf } from "../../domain/pool-of-address.ts";
import { poolForbidden } from "../../domain/pool-principals.ts";
import type { Requester } from "../../domain/requester.ts";
import { candidateOf, NOT_NAMED } from "../../domain/selection.ts";
import { whyNeverAssigned } from "../../domain/special-ranges.ts";
import type { StatedAddress } from "../../domain/stated-address.ts";
import type { Unfit } from "../../domain/unfit.ts";
import type { AssignRequest } from "./assignment.ts";
import type { StatedPlaces } from "./selection.ts";

/** The parts of a request that decide whether the pool of an address can serve it. */
type AddressRequest = PoolsAsked & Pick<AssignRequest, "space" | "use" | "hostReserved">;

/** Returns the pool of a specific address if it can serve, or the rejection. */
export function poolOfAddress(
  configuration: SpaceConfiguration,
  address: Address,
  request: AddressRequest,
  requester: Requester,
): Pool | Rejection {
  const text = formatAddress(address);
  const pool = poolOf(configuration, address);
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
export function whyNotFor(
  pool: Pool,
  request: AddressRequest,
  requester: Requester,
): Unfit | undefined {
  const { family } = pool.cidr;
  const named = poolsNamed(request, family);
  if (named && !isMeant(pool, named)) return NOT_NAMED;
  return whyNot(pool, "pools", {
    family,
    use: request.use ?? pool.allowedUses[0] ?? "Workload",
    requester,
    ...(request.network !== undefined && { network: request.network }),
    hostReserved: reservedOf(request.hostReserved, family),
  });
}

/** Returns the pools of the addresses that a host says it has, and the rejections of those that no pool can serve. */
export function placesOf(
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
export function neverAssigned({ address }: { readonly address?: Address }): Rejection | undefined {
  const problem = address && whyNeverAssigned(address);
  if (!problem) return undefined;
  const value = formatAddress(address);
  return new Rejection("invalid_request", `address ${value} ${problem}.`, {
    fields: [{ field: "address", value, problem }],
  });
}
