import { type Acquirable, acquirePools } from "./acquire-pools.ts";
import type { Family } from "./address.ts";
import type { AddressesWanted, Target } from "./application.ts";
import { whyClosed } from "./filter-pools.ts";
import { Rejection } from "./outcome.ts";
import { isRanged, narrows, type Pool } from "./pool.ts";
import { excludedBy } from "./pool-conditions.ts";
import type { Requester } from "./requester.ts";
import { candidateOf } from "./selection.ts";
import type { Unfit } from "./unfit.ts";

const FAMILIES: readonly Family[] = [4, 6];

/**
 * Returns the interfaces and families in which an application wants its number: those of the pools that it names. All of these have
 * ranges, and no condition on node, workload or network, because nobody knows which instance will get an address.
 *
 * @param requester the namespace of the application
 */
export function targetsOf(
  pools: readonly Pool[],
  { interfaces }: AddressesWanted,
  requester: Requester,
): readonly Target[] | Rejection {
  const targets: Target[] = [];
  for (const { name, pools: texts } of interfaces) {
    const judged = meantBy(pools, texts).map((each) => ({
      ...each,
      unfit: each.pool ? whyNot(each.pool, requester) : NOT_FOUND,
    }));
    const unfit = judged.filter((each) => each.unfit && !isClosed(each));
    const open = judged.flatMap(({ pool, unfit }) => (pool && !unfit ? [pool] : []));
    if (unfit.length > 0 || open.length === 0) return noPool(unfit.length > 0 ? unfit : judged);
    for (const family of FAMILIES) {
      const own = open.filter(({ cidr }) => cidr.family === family);
      if (own.length > 0)
        targets.push({ interface: name, family, poolIds: own.map(({ id }) => id) });
    }
  }
  return targets;
}

interface Judged extends Acquirable {
  readonly unfit: Unfit | undefined;
}

/** Returns the pools of both families that a list means, each once, and the texts that mean none. */
function meantBy(pools: readonly Pool[], texts: readonly string[]): readonly Acquirable[] {
  const meant = FAMILIES.flatMap(
    (family) =>
      acquirePools(pools, { family, isDual: true, pools: texts, requester: {} }).candidates,
  );
  return [...new Map(meant.map((each) => [each.name, each])).values()];
}

/** A pool that is closed may open again, so that the others serve meanwhile. */
const isClosed = ({ unfit }: Judged): boolean =>
  unfit?.code === "state" || unfit?.code === "disabled";

function whyNot(pool: Pool, requester: Requester): Unfit | undefined {
  const { nodeNames, nodeSelector, podSelector, networks } = pool;
  if (!isRanged(pool))
    return { code: "mode", reason: "has no ranges, and applications get addresses of ranges only" };
  if (nodeNames || narrows(nodeSelector)) return conditional("node", "hosts");
  if (narrows(podSelector)) return conditional("pod", "workloads");
  if (networks) return conditional("network", "networks");
  if (!pool.allowedUses.includes("Workload"))
    return { code: "use", reason: "does not allow the use Workload" };
  return whyClosed(pool) ?? excludedBy(pool, requester, undefined);
}

const conditional = (code: Unfit["code"], whom: string): Unfit => ({
  code,
  reason: `serves only some ${whom}, and it is not known which an instance will have`,
});

const NOT_FOUND: Unfit = { code: "not_found", reason: "does not exist" };

function noPool(judged: readonly Judged[]): Rejection {
  const reasons = judged.map(({ name, unfit }) => `${name} ${unfit?.reason}`);
  const detail =
    judged.length === 0
      ? "No pool matches the patterns of the application."
      : `No pool can serve this application: ${reasons.join("; ")}.`;
  return new Rejection("no_pool_available", detail, {
    rule: "application",
    pools: judged.map((each) => candidateOf(each.pool?.cidr.family ?? 4, each)),
  });
}
