import type * as v from "valibot";
import { BITS, formatAddress } from "../net/address.ts";
import { formatCidr } from "../net/cidr.ts";
import type { assignedAddress } from "../nouns/address/contract/assignment-answer.ts";
import type { NetworkConfiguration } from "./network.ts";

export type AssignedAddress = v.InferOutput<typeof assignedAddress>;

interface Route {
  readonly dst: string;
  readonly gw?: string;
}

/**
 * Returns the result of an ADD: addresses with their prefix lengths and gateways, the routes of the configuration before
 * those of the pools, and the name servers of the pools.
 */
export function resultOf(
  { cniVersion, ipam }: NetworkConfiguration,
  addresses: readonly AssignedAddress[],
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
    ips: addresses.map(({ address, family, cidr, gateway }) => ({
      // https://www.cni.dev/docs/spec-upgrades/: later versions have no field for the family.
      ...(cniVersion.startsWith("0.") && { version: String(family) }),
      // A pool that Plat could not read has no network.
      address: cidr ?? `${address}/${BITS[family]}`,
      ...(gateway !== undefined && { gateway }),
    })),
    ...(routes.length > 0 && { routes }),
    dns: dnsOf(addresses),
  };
}

/** A result has one domain: that of the first pool that has one. */
function dnsOf(addresses: readonly AssignedAddress[]) {
  const nameservers = [...new Set(addresses.flatMap(({ dns = [] }) => dns))];
  const { domain } = addresses.find((one) => one.domain !== undefined) ?? {};
  return {
    ...(nameservers.length > 0 && { nameservers }),
    ...(domain !== undefined && { domain }),
  };
}

const distinct = (routes: readonly Route[]): readonly Route[] => [
  ...new Map(routes.map((route) => [`${route.dst} ${route.gw}`, route])).values(),
];
