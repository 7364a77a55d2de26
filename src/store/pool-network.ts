import { formatAddress } from "../domain/address.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { NetworkSettings, Route } from "../domain/pool-network.ts";
import { listOf, numberOf, textOf } from "./attribute.ts";
import type { Item, Value } from "./item.ts";
import { labelsFrom, labelsItem } from "./labels.ts";
import { addressText, cidrText } from "./text.ts";

/** Returns the attributes of a pool's item that say what a workload needs beside its address. */
export const networkItem = ({ gateway, routes, dns, labels, ...pool }: NetworkSettings) => ({
  ...(pool.prefixLength !== undefined && { prefixLength: pool.prefixLength }),
  ...(gateway && { gateway: formatAddress(gateway) }),
  ...(routes && {
    routes: routes.map(({ dst, gw }) => ({ dst: formatCidr(dst), gw: formatAddress(gw) })),
  }),
  ...(dns && { dns: dns.map(formatAddress) }),
  ...(pool.domain !== undefined && { domain: pool.domain }),
  ...(pool.vlan !== undefined && { vlan: pool.vlan }),
  ...(pool.mtu !== undefined && { mtu: pool.mtu }),
  ...(labels && { labels: labelsItem(labels) }),
});

/** Reads these attributes. Inverse of `networkItem`. */
export const networkFrom = (item: Item): NetworkSettings => ({
  ...(item.prefixLength !== undefined && { prefixLength: numberOf(item, "prefixLength") }),
  ...(item.gateway !== undefined && { gateway: addressText(item.gateway) }),
  ...(item.routes !== undefined && { routes: listOf(item, "routes").map(routeFrom) }),
  ...(item.dns !== undefined && { dns: listOf(item, "dns").map(addressText) }),
  ...(item.domain !== undefined && { domain: textOf(item, "domain") }),
  ...(item.vlan !== undefined && { vlan: numberOf(item, "vlan") }),
  ...(item.mtu !== undefined && { mtu: numberOf(item, "mtu") }),
  ...(item.labels !== undefined && { labels: labelsFrom(item) }),
});

function routeFrom(route: Value): Route {
  const { dst, gw } = route as Readonly<Record<string, Value>>;
  return { dst: cidrText(dst), gw: addressText(gw) };
}
