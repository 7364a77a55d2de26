import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newSpace } from "../functions/plat.ts";

const SCRIPT = fileURLToPath(
  new URL("../../docs/examples/cloud-init/network-config.mjs", import.meta.url),
);
const PAGE = fileURLToPath(new URL("../../docs/clients.md", import.meta.url));

// The example has no types, because a reader copies it as it is.
const { networkConfig }: { networkConfig(answer: object): object } = await import(SCRIPT);

const LAN = {
  cidr: "10.1.0.0/24",
  kind: "subnet",
  gateway: "10.1.0.1",
  dns: ["10.1.0.53", "fd00:1::53"],
  domain: "example.org",
  mtu: 9000,
  routes: [{ dst: "192.168.0.0/16", gw: "10.1.0.2" }],
};
const LAN6 = { cidr: "fd00:1::/64", kind: "subnet", gateway: "fe80::1", dns: ["fd00:1::53"] };

async function spaceWith(pools: Readonly<Record<string, object>>) {
  const plat = newSpace();
  for (const [name, pool] of Object.entries(pools))
    expect((await plat.put(`/v1/pools/${name}`, pool)).status).toBe(201);
  return plat;
}

describe("the network of a machine", () => {
  it("is configured for both families from one answer, and from nothing else", async () => {
    const plat = await spaceWith({ lan: LAN, lan6: LAN6 });
    const request = { host: "kvm-1", ipv4: 1, ipv6: 1, handle: "vm-1" };
    const { body } = await plat.assign(request);
    const [four, six] = body.addresses;
    expect(networkConfig(body)).toEqual({
      version: 2,
      ethernets: {
        eth0: {
          addresses: [`${four.address}/24`, `${six.address}/64`],
          mtu: 9000,
          routes: [
            { to: "0.0.0.0/0", via: "10.1.0.1" },
            { to: "192.168.0.0/16", via: "10.1.0.2" },
            { to: "::/0", via: "fe80::1" },
          ],
          nameservers: { addresses: ["10.1.0.53", "fd00:1::53"], search: ["example.org"] },
        },
      },
    });
  });

  it("has a VLAN on its link, and the interfaces that the request names", async () => {
    const plat = await spaceWith({
      lan: { ...LAN, vlan: 7, dns: [], domain: undefined, routes: [] },
      san: { cidr: "10.2.0.0/24", kind: "subnet" },
    });
    const { body } = await plat.assign({
      host: "kvm-1",
      handle: "vm-2",
      interfaces: [
        { name: "eth0", ipv4: 1, pools: ["lan"] },
        { name: "eth1", ipv4: 1, pools: ["san"] },
      ],
    });
    const [lan, san] = body.addresses;
    expect(networkConfig(body)).toEqual({
      version: 2,
      ethernets: { eth0: { mtu: 9000 }, eth1: { addresses: [`${san.address}/24`] } },
      vlans: {
        "eth0.7": {
          id: 7,
          link: "eth0",
          addresses: [`${lan.address}/24`],
          mtu: 9000,
          routes: [{ to: "0.0.0.0/0", via: "10.1.0.1" }],
        },
      },
    });
  });

  it("reaches a router outside of its own network of one address, over the link", async () => {
    const plat = await spaceWith({
      routed: { cidr: "10.3.0.0/24", prefixLength: 32, gateway: "169.254.1.1" },
    });
    const { body } = await plat.assign({ host: "kvm-1", ipv4: 1, handle: "vm-3" });
    const [{ address }] = body.addresses;
    expect(networkConfig(body)).toMatchObject({
      ethernets: {
        eth0: {
          addresses: [`${address}/32`],
          routes: [{ to: "0.0.0.0/0", via: "169.254.1.1", "on-link": true }],
        },
      },
    });
  });

  it("with two addresses of one network has each way once", async () => {
    const plat = await spaceWith({ lan: LAN });
    const { body } = await plat.assign({ host: "kvm-1", ipv4: 2, handle: "vm-4" });
    expect(networkConfig(body)).toMatchObject({
      ethernets: { eth0: { addresses: { length: 2 } } },
    });
    const { ethernets } = networkConfig(body) as { ethernets: { eth0: { routes: object[] } } };
    expect(ethernets.eth0.routes).toHaveLength(2);
  });

  it("is printed by the script from the answer on stdin, as docs/clients.md shows it", async () => {
    const [, answer = "", printed = ""] =
      /```json\n(\{\n {2}"requestId".*?)```.*?```json\n(\{\n {2}"version".*?)```/s.exec(
        readFileSync(PAGE, "utf8"),
      ) ?? [];
    const running = promisify(execFile)(process.execPath, [SCRIPT]);
    running.child.stdin?.end(answer);
    expect(JSON.parse((await running).stdout)).toEqual(JSON.parse(printed));
  });
});
