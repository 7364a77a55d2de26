import { isMeant } from "../../domain/acquire-pools.ts";
import type { Family } from "../../domain/address.ts";
import { nameOfApplication } from "../../domain/application.ts";
import { poolsOfTarget } from "../../domain/application-interface.ts";
import { REASONS_IN_DETAIL_MAX } from "../../domain/limits.ts";
import type { Pool, SpaceConfiguration } from "../../domain/pool.ts";
import { isPattern } from "../../domain/pool-pattern.ts";
import type { Requester } from "../../domain/requester.ts";
import { applicationFor, type PoolRequest } from "./family-requests.ts";
import { eachWanted } from "./interfaces.ts";

/**
 * Returns what a request names, in a list or in an annotation, beside the pools from which its application has addresses. An instance
 * gets these addresses alone, whatever it names.
 *
 * @returns a sentence for each family of each interface that names other pools, subnets or names of none
 */
export function passedOver(
  request: PoolRequest,
  { pools }: Pick<SpaceConfiguration, "pools">,
  requester: Requester,
): readonly string[] {
  if (!requester.application) return [];
  return eachWanted(request).flatMap(({ one, family }) => {
    const asked = applicationFor(one, requester);
    if (!asked) return [];
    const ids = poolsOfTarget(asked.application, { interface: asked.interface, family });
    const own = pools.filter(({ id }) => ids.includes(id));
    const others = (one.poolsByFamily?.[family] ?? one.pools)
      .filter((text) => !own.some((pool) => isMeant(pool, [text])))
      .flatMap((text) => othersOf(text, pools, family));
    if (others.length === 0) return [];
    const told = others.slice(0, REASONS_IN_DETAIL_MAX).join(", ");
    const more = others.length > REASONS_IN_DETAIL_MAX ? " and more" : "";
    const names = own.slice(0, REASONS_IN_DETAIL_MAX).map(({ name }) => name);
    const of = one.interface === undefined ? "" : ` of interface ${one.interface}`;
    return [
      `The IPv${family} addresses${of} are those of application ${nameOfApplication(asked.application)}, in ${names.join(", ")}. The request also names ${told}${more}, and gets none of that.`,
    ];
  });
}

/** Returns the text if it means a pool of the family, or none at all; nothing if it means pools of the other family. */
function othersOf(text: string, pools: readonly Pool[], family: Family): readonly string[] {
  const meant = pools.filter((pool) => isMeant(pool, [text]));
  if (meant.length === 0) return [isPattern(text) ? text : `${text} (does not exist)`];
  return meant.some(({ cidr }) => cidr.family === family) ? [text] : [];
}
