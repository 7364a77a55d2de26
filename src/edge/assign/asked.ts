import type { AssignRequest } from "../../allocator/assign/assignment.ts";
import type { PoolNames } from "../../contract/schema/pool-names.ts";
import { invalid, Problem } from "../../contract/schema/problem.ts";
import type { PodAnnotations } from "../../contract/schema/spiderpool-annotations.ts";
import type { PoolsAsked } from "../../domain/acquire-pools.ts";
import {
  isOfSubnets,
  itemsOfInterfaces,
  type PoolAnnotation,
} from "../../domain/spiderpool-annotations.ts";
import { poolsAsked } from "../pools/pools-asked.ts";

/** What one interface asks for, beside its counts. */
export type InterfaceAsked = PoolsAsked & Pick<AssignRequest, "cleanGateway">;

/** The interface of a request that names none, as in Spiderpool. */
const INTERFACE_DEFAULT = "eth0";

/** Returns what the interface of a request asks for: with its annotations, or else with its lists. */
export function askedOf({
  annotations,
  ...names
}: PoolNames & { readonly annotations?: PodAnnotations | undefined }): InterfaceAsked | Problem {
  if (!annotations?.pools) return poolsAsked(names);
  const asked = askedByAnnotation(annotations.pools, [INTERFACE_DEFAULT]);
  return asked instanceof Problem ? asked : (asked[0] as InterfaceAsked);
}

/** Returns what an annotation asks for each interface, in their order. */
function askedByAnnotation(
  annotation: PoolAnnotation,
  interfaces: readonly string[],
): readonly InterfaceAsked[] | Problem {
  const items = itemsOfInterfaces(annotation, interfaces);
  if (!items.ok) return invalid({ field: `annotations.${annotation.key}`, problem: items.problem });
  return items.value.map(({ pools, cleanGateway }) => ({
    pools: [],
    ...(isOfSubnets(annotation.key)
      ? { applicationOnly: true as const }
      : { poolsByFamily: pools }),
    ...(cleanGateway && { cleanGateway: true as const }),
  }));
}
