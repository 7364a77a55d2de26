import { type Family, type Parsed, parsed, unreadable } from "../net/address.ts";

/**
 * The annotations of a pod that choose its pools, the one that counts first, as in Spiderpool (docs/reference/annotation.md). Plat
 * reads only the first of them that is there.
 */
export const POOL_ANNOTATIONS = [
  "ipam.spidernet.io/subnets",
  "ipam.spidernet.io/subnet",
  "ipam.spidernet.io/ippools",
  "ipam.spidernet.io/ippool",
] as const;

export type PoolAnnotationKey = (typeof POOL_ANNOTATIONS)[number];

/** An annotation with its items. One in the singular has one, which holds for every interface. */
export interface PoolAnnotation {
  readonly key: PoolAnnotationKey;
  readonly items: readonly AnnotationItem[];
}

/** The request of one item: pools, or the subnets from which an application has its addresses. */
export interface AnnotationItem {
  /** The name of its interface. */
  readonly interface?: string;
  /** The pools or subnets of each family; a family without any has an empty list. */
  readonly pools: Readonly<Record<Family, readonly string[]>>;
  /** True if the interface needs no gateway. */
  readonly cleanGateway: boolean;
}

/** Returns true for an annotation with an array of items. */
export const isPlural = (key: PoolAnnotationKey): boolean => key.endsWith("s");

/** Returns true for an annotation that names subnets instead of pools. */
export const isOfSubnets = (key: PoolAnnotationKey): boolean =>
  key === "ipam.spidernet.io/subnets" || key === "ipam.spidernet.io/subnet";

/**
 * Returns the item of each interface, in their order: by its name, or by its position if no item has a name. Named items of
 * other interfaces are ignored, because another request can ask for those.
 *
 * @param interfaces the names of the request's interfaces, each once
 * @see getPoolFromPodAnnoPools in https://github.com/spidernet-io/spiderpool/blob/main/pkg/ipam/pool_selections.go
 */
export function itemsOfInterfaces(
  { key, items }: PoolAnnotation,
  interfaces: readonly string[],
): Parsed<readonly AnnotationItem[]> {
  const named = items.flatMap((item) => (item.interface === undefined ? [] : [item.interface]));
  if (named.length === 0) return byPosition(key, items, interfaces);
  if (named.length < items.length)
    return unreadable("must have an interface in each of its items or in none");
  const repeated = named.find((name, i) => named.indexOf(name) !== i);
  if (repeated !== undefined) return unreadable(`has two items for the interface ${repeated}`);
  const missing = interfaces.find((name) => !named.includes(name));
  if (missing !== undefined) return unreadable(`has no item for the interface ${missing}`);
  return parsed(interfaces.flatMap((name) => items.filter((item) => item.interface === name)));
}

function byPosition(
  key: PoolAnnotationKey,
  items: readonly AnnotationItem[],
  interfaces: readonly string[],
): Parsed<readonly AnnotationItem[]> {
  if (!isPlural(key)) return parsed(interfaces.flatMap(() => items));
  if (items.length === interfaces.length) return parsed(items);
  return unreadable(
    `has ${items.length === 1 ? "one item" : `${items.length} items`} without an interface for the ${interfaces.length} of the request; name the interface in each, or send one item for each`,
  );
}
