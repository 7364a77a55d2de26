import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * Returns the network configuration of cloud-init, version 2, for the machine that got an answer of Plat's assign. All
 * of it is in the answer. An address of a request without interfaces is for `eth0`.
 *
 * @param answer the body of the answer
 */
export function networkConfig({ addresses }) {
  const ethernets = {};
  const vlans = {};
  for (const address of addresses) {
    const { interface: link = "eth0", vlan } = address;
    ethernets[link] ??= {};
    if (vlan === undefined) add(ethernets[link], address);
    else {
      // A VLAN is an interface of its own on the link, which takes its packets as large.
      if (address.mtu !== undefined)
        ethernets[link].mtu = Math.max(ethernets[link].mtu ?? 0, address.mtu);
      vlans[`${link}.${vlan}`] ??= { id: vlan, link };
      add(vlans[`${link}.${vlan}`], address);
    }
  }
  return { version: 2, ethernets, ...(Object.keys(vlans).length > 0 && { vlans }) };
}

/** Adds an address, and what its network needs, to the configuration of an interface. */
function add(nic, { cidr, family, gateway, routes = [], dns = [], domain, mtu }) {
  nic.addresses = [...(nic.addresses ?? []), cidr];
  if (mtu !== undefined) nic.mtu = Math.max(nic.mtu ?? 0, mtu);
  // In a network of one address, the machine must be told that it reaches the router without another one.
  const onLink = /\/(32|128)$/.test(cidr) && { "on-link": true };
  const ways = [
    ...(gateway ? [{ to: family === 4 ? "0.0.0.0/0" : "::/0", via: gateway, ...onLink }] : []),
    ...routes.map(({ dst, gw }) => ({ to: dst, via: gw, ...onLink })),
  ];
  // Two addresses of one network need each way once.
  const known = nic.routes ?? [];
  const more = ways.filter(({ to }) => !known.some((one) => one.to === to));
  if (known.length + more.length > 0) nic.routes = [...known, ...more];
  const { addresses: servers = [], search = [] } = nic.nameservers ?? {};
  const nameservers = {
    addresses: [...new Set([...servers, ...dns])],
    search: [...new Set([...search, ...(domain === undefined ? [] : [domain])])],
  };
  if (nameservers.addresses.length + nameservers.search.length > 0) nic.nameservers = nameservers;
}

// `… | node network-config.mjs > network-config`: cloud-init reads YAML, and JSON is YAML.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(JSON.stringify(networkConfig(JSON.parse(readFileSync(0, "utf8"))), null, 2));
