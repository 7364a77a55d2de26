import { type Family, formatAddress, parseAddress } from "../../net/address.ts";
import { formatCidr, parseNetwork } from "../../net/cidr.ts";
import type { NodeReport } from "../node/node-report.ts";

/** The addresses of a node, as its Node object says. */
export interface FromNode {
  /** The prefixes, the IPv4 one first; none until the Node has all that are wanted. */
  readonly podCidrs: readonly string[];
  /** The families of which it has none. */
  readonly missing: readonly Family[];
  /** The addresses of Cilium's own interface on the host. */
  readonly internal: readonly string[];
  /** The addresses of the health endpoint, by family. */
  readonly health: Readonly<Partial<Record<Family, string>>>;
}

/**
 * Reads the prefixes of a node from its Node object: `spec.podCIDRs`, else the annotations of Cilium in their newer or older spelling. Reads
 * its own addresses from annotations (Cilium, pkg/k8s/node.go, pkg/annotation/k8s.go).
 */
export function fromNode(report: NodeReport | undefined, families: readonly Family[]): FromNode {
  const annotation = (family: Family, name: string): string | undefined => {
    const names = [
      `network.cilium.io/ipv${family}-${name}`,
      `io.cilium.network.ipv${family}-${name}`,
    ];
    return names
      .map((each) => report?.annotations.find(([key]) => key === each)?.[1])
      .find((value) => value !== undefined);
  };
  const networkOf = (family: Family): string | undefined => {
    const said = [...(report?.podCidrs ?? []), annotation(family, "pod-cidr") ?? ""];
    const read = said.map(parseNetwork).flatMap((each) => (each.ok ? [each.value] : []));
    const own = read.find((cidr) => cidr.family === family);
    return own && formatCidr(own);
  };
  const addressOf = (family: Family, name: string): string | undefined => {
    const read = parseAddress(annotation(family, name) ?? "");
    return read.ok && read.value.family === family ? formatAddress(read.value) : undefined;
  };
  const podCidrs = families.map(networkOf);
  const missing = families.filter((_, n) => podCidrs[n] === undefined);
  const [health4, health6] = [addressOf(4, "health-ip"), addressOf(6, "health-ip")];
  return {
    podCidrs: missing.length > 0 ? [] : podCidrs.flatMap((cidr) => cidr ?? []),
    missing,
    internal: [addressOf(4, "cilium-host"), addressOf(6, "cilium-host")].flatMap((ip) => ip ?? []),
    health: { ...(health4 && { 4: health4 }), ...(health6 && { 6: health6 }) },
  };
}
