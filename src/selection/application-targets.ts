import { Rejection } from "../base/outcome.ts";
import { FAMILIES } from "../net/address.ts";
import type { AddressesWanted, Target } from "../nouns/application/application.ts";
import { isRanged, narrows, type Pool } from "../nouns/pool/pool.ts";
import { type Acquirable, acquirePools } from "./acquire-pools.ts";
import type { Requester } from "./requester.ts";
import { candidateOf, excludedBy, whyClosed } from "./selection.ts";
import type { Unfit } from "./unfit.ts";

/** The interfaces and families in which an application wants its number. */
export interface Resolved {
  readonly targets: readonly Target[];
  /** Interfaces whose pools are all closed, each with the rejection of a request that needs more addresses there. */
  readonly shut: readonly { readonly interface: string; readonly rejection: Rejection }[];
}

/**
 * Returns the interfaces and families in which an application wants its number: those of the pools that it names. All of these have
 * ranges, and no condition on node, workload, network or caller, because nobody knows which instance will get an address. A disabled pool
 * serves nobody new, and the application keeps what it has there. A pool that is being deleted is none of its pools.
 *
 * @param requester the namespace of the application
 */
export function targetsOf(
  pools: readonly Pool[],
  { interfaces }: AddressesWanted,
  requester: Requester,
): Resolved | Rejection {
  const targets: Target[] = [];
  const shut: Resolved["shut"][number][] = [];
  for (const { name, pools: texts } of interfaces) {
    const judged = meantBy(pools, texts).map((each) => ({
      ...each,
      unfit: each.pool ? whyNot(each.pool, requester) : NOT_FOUND,
    }));
    const unfit = judged.filter((each) => each.unfit && !isClosed(each));
    if (unfit.length > 0 || judged.length === 0) return noPool(unfit);
    if (judged.every(isClosed)) shut.push({ interface: name, rejection: noPool(judged) });
    const known = judged.flatMap(({ pool }) => pool ?? []);
    for (const family of FAMILIES) {
      const own = known.filter(({ cidr }) => cidr.family === family);
      const poolIds = own.filter(({ state }) => state === "active").map(({ id }) => id);
      if (own.length > 0) targets.push({ interface: name, family, poolIds });
    }
  }
  return { targets, shut };
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

/** The other pools serve while one is closed. */
const isClosed = ({ unfit }: Judged): boolean =>
  unfit?.code === "state" || unfit?.code === "disabled";

function whyNot(pool: Pool, requester: Requester): Unfit | undefined {
  const { nodeNames, nodeSelector, podSelector, networks, principals } = pool;
  if (!isRanged(pool))
    return { code: "mode", reason: "has no ranges, and applications get addresses of ranges only" };
  if (nodeNames || narrows(nodeSelector)) return conditional("node", "hosts");
  if (narrows(podSelector)) return conditional("pod", "workloads");
  if (networks) return conditional("network", "networks");
  if (principals) return conditional("principal", "callers");
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
