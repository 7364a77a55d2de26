import { formatAddress } from "../../domain/address.ts";
import { formatCidr } from "../../domain/cidr.ts";
import type { NetworkOfAddress } from "../../domain/pool-network.ts";

/** Returns the network of an address as answers write it; nothing if it is not known. */
export const addressNetwork = (address: string, network: NetworkOfAddress | undefined) =>
  network && {
    cidr: `${address}/${network.prefixLength}`,
    ...(network.gateway && { gateway: formatAddress(network.gateway) }),
    ...(network.routes && {
      routes: network.routes.map(({ dst, gw }) => ({
        dst: formatCidr(dst),
        gw: formatAddress(gw),
      })),
    }),
    ...(network.dns && { dns: network.dns.map(formatAddress) }),
    ...(network.domain !== undefined && { domain: network.domain }),
    ...(network.vlan !== undefined && { vlan: network.vlan }),
    ...(network.mtu !== undefined && { mtu: network.mtu }),
    ...(network.labels && { labels: network.labels }),
  };
