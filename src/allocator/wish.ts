import { type Address, type Family, formatAddress } from "../domain/address.ts";
import { contains, formatCidr } from "../domain/cidr.ts";
import { Refusal } from "../domain/outcome.ts";
import type { Pool, SpaceConfiguration } from "../domain/pool.ts";
import { selectPools, whyNot } from "../domain/selection.ts";
import { type AssignRequest, totalOf } from "./assignment.ts";
import type { Wish } from "./pick.ts";

/** What a request comes to under a configuration: a wish for each family, or why it cannot be served. */
export function wishesOf(
  request: AssignRequest,
  configuration: SpaceConfiguration,
): readonly Wish[] | Refusal {
  const { space, host, address, use, allowPartial = false, maxBlocksPerHost } = request;
  const cap = configuration.settings.maxBlocksPerHost;
  const tooMany = oversize(request, configuration);
  if (tooMany) return tooMany;
  const wishes: Wish[] = [];
  for (const { family, count } of request.wanted) {
    const pools = address
      ? poolOf(configuration, address, request)
      : selectPools(configuration.pools, {
          family,
          use: use ?? "Workload",
          pools: poolsOfFamily(request.pools, configuration, family, request.wanted.length > 1),
        });
    if (pools instanceof Refusal) return pools;
    const blocksMax = Math.min(cap, maxBlocksPerHost ?? cap);
    wishes.push({ space, host, family, count, pools, configuration, blocksMax, allowPartial });
  }
  return wishes;
}

/** Where both families are asked for, each is served by the named pools of its own. */
function poolsOfFamily(
  named: readonly string[],
  { pools }: SpaceConfiguration,
  family: Family,
  both: boolean,
): readonly string[] {
  if (!both) return named;
  const isOther = (name: string) =>
    pools.some(
      (pool) =>
        (pool.name === name || formatCidr(pool.cidr) === name) && pool.cidr.family !== family,
    );
  const own = named.filter((name) => !isOther(name));
  return own.length > 0 ? own : named;
}

/** The one pool a specific address lies in, if it may serve. */
function poolOf(
  { pools }: SpaceConfiguration,
  address: Address,
  { use, pools: asked }: AssignRequest,
): readonly Pool[] | Refusal {
  const text = formatAddress(address);
  const pool = pools.find(({ cidr, state }) => state === "active" && contains(cidr, address));
  if (!pool)
    return new Refusal("no_pool_available", `Address ${text} lies in no pool.`, { address: text });
  const named =
    asked.length === 0 || asked.some((one) => one === pool.name || one === formatCidr(pool.cidr));
  const reason = named
    ? whyNot(pool, {
        family: address.family,
        use: use ?? pool.allowedUses[0] ?? "Workload",
        pools: [pool.name],
      })
    : "is not among the pools asked for";
  return reason === undefined
    ? [pool]
    : new Refusal(
        "no_pool_available",
        `Address ${text} lies in pool ${pool.name}, which ${reason}.`,
        { address: text, pools: [{ pool: pool.name, reason }] },
      );
}

/** One call must not drain a pool. */
function oversize(
  { wanted }: AssignRequest,
  { settings }: SpaceConfiguration,
): Refusal | undefined {
  const total = totalOf(wanted);
  const most = settings.maxAddressesPerRequest;
  if (total <= most) return undefined;
  const fields = wanted.map(({ family, count }) => ({
    field: `ipv${family}`,
    value: count,
    problem: `must be at most ${most} with all others (maxAddressesPerRequest)`,
  }));
  return new Refusal(
    "invalid_request",
    `${total} addresses are asked for; a request may ask for ${most} (maxAddressesPerRequest).`,
    { fields },
  );
}
