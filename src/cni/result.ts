import type * as v from "valibot";
import type { assignedAddress } from "../contract/answers/assignment.ts";
import { formatAddress } from "../domain/address.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { Network } from "./network.ts";

export type AssignedAddress = v.InferOutput<typeof assignedAddress>;

interface Route {
  readonly dst: string;
  readonly gw?: string;
}

/**
 * Returns the result of an ADD: addresses with their prefix lengths and gateways, and the routes of the configuration
 * before those of the pools.
 *
 * @param prefixes the prefix length of each pool, by name
 */
export function resultOf(
  { cniVersion, ipam }: Network,
  addresses: readonly AssignedAddress[],
  prefixes: ReadonlyMap<string, number>,
) {
  const configured: readonly Route[] = ipam.routes.map(({ dst, gw }) => ({
    dst: formatCidr(dst),
    ...(gw && { gw: formatAddress(gw) }),
  }));
  const routes = distinct([
    ...configured,
    ...addresses.flatMap(({ routes = [] }) => routes.map(({ dst, gw }) => ({ dst, gw }))),
  ]);
  return {
    cniVersion,
    ips: addresses.map(({ address, family, pool, gateway }) => ({
      // https://www.cni.dev/docs/spec-upgrades/: later versions have no field for the family.
      ...(cniVersion.startsWith("0.") && { version: String(family) }),
      address: `${address}/${prefixes.get(pool)}`,
      ...(gateway !== undefined && { gateway }),
    })),
    ...(routes.length > 0 && { routes }),
    dns: {},
  };
}

const distinct = (routes: readonly Route[]): readonly Route[] => [
  ...new Map(routes.map((route) => [`${route.dst} ${route.gw}`, route])).values(),
];
