import { beforeAll, describe, expect, it } from "vitest";
import { netbox } from "./netbox.ts";
import { call } from "./plat.ts";

/*
 * The requests of clients, as their sources make them. pynetbox and Ansible themselves run in `npm run test:clients`.
 * https://github.com/proxmox/pve-network/blob/master/src/PVE/Network/SDN/Ipams/NetboxPlugin.pm
 * https://github.com/e-breuninger/terraform-provider-netbox
 * https://github.com/netbox-community/ansible_modules
 */

const NETWORK = { cidr: "10.20.0.0/24", kind: "subnet", cooldownSeconds: 0 };

/** Sends a request with the query in its path, and returns the body of the answer. */
async function ask(method: string, path: string, body?: unknown) {
  const [place = "", query = ""] = path.split("?");
  const answer = await netbox(method, place, {
    query: Object.fromEntries(new URLSearchParams(query)),
    ...(body !== undefined && { body }),
  });
  expect({ path, body: answer.body, isGood: answer.status < 300 }).toMatchObject({ isGood: true });
  return answer.body;
}

beforeAll(() => call("PUT", "/v1/pools/lan", { body: NETWORK }));

describe("the SDN plugin of Proxmox VE", () => {
  it("makes a subnet, gives machines addresses, finds them by MAC, and takes all back", async () => {
    await ask("GET", "ipam/aggregates/");
    expect((await ask("GET", "ipam/prefixes/?q=10.21.0.0")).results).toEqual([]);
    await ask("POST", "ipam/prefixes/", { prefix: "10.21.0.0/24" });
    const [{ id }] = (await ask("GET", "ipam/prefixes/?q=10.21.0.0")).results;
    await ask("POST", "ipam/ip-addresses/", { address: "10.21.0.1/24", description: "gateway" });

    const mac = "mac:BC:24:11:00:00:01";
    const free = { description: mac, dns_name: "vm-1" };
    const { address } = await ask("POST", `ipam/prefixes/${id}/available-ips/`, free);
    const ip = address.split("/")[0];
    const [found] = (await ask("GET", `ipam/ip-addresses/?q=${ip}`)).results;
    await ask("PATCH", `ipam/ip-addresses/${found.id}/`, { ...free, address, dns_name: "vm-2" });
    const of = await ask("GET", "ipam/ip-addresses/?description__ic=bc:24:11:00:00:01");
    expect(of.results).toMatchObject([{ address, dns_name: "vm-2", family: { value: 4 } }]);

    await ask("DELETE", `ipam/ip-addresses/${found.id}/`);
    expect((await ask("GET", "ipam/ip-addresses/?parent=10.21.0.0/24")).results).toHaveLength(1);
    const [gateway] = (await ask("GET", "ipam/ip-addresses/?q=10.21.0.1")).results;
    await ask("DELETE", `ipam/ip-addresses/${gateway.id}/`);
    await ask("DELETE", `ipam/prefixes/${id}/`);
  });
});

describe("the provider of Terraform", () => {
  const address = {
    ...{ assigned_object_id: null, assigned_object_type: "", nat_inside: null, nat_outside: null },
    ...{ role: "", status: "active", tags: [], tenant: null, vrf: null },
  };

  const prefix = {
    ...{ is_pool: false, mark_utilized: false, tags: [], scope_id: null, scope_type: null },
    ...{ vlan: null, vrf: null, role: null, tenant: null },
  };

  it("creates, reads, changes and destroys netbox_available_ip_address", async () => {
    expect((await ask("GET", "status/"))["netbox-version"]).toBe("4.4.10");
    const { count, results } = await ask("GET", "ipam/prefixes/?limit=2&prefix=10.20.0.0%2F24");
    expect(count).toBe(1);
    const path = `ipam/prefixes/${results[0].id}/available-ips/`;
    const [made] = await ask("POST", path, [{ vrf: { name: null } }]);
    const same = { ...address, address: made.address };
    const [tag] = (await ask("GET", "extras/tags/?limit=2&name=web")).results;
    const tags = [{ name: tag.name, slug: tag.slug }];
    await ask("PUT", `ipam/ip-addresses/${made.id}/`, { ...same, description: "web", tags });
    const read = await ask("GET", `ipam/ip-addresses/${made.id}/`);
    expect(read).toMatchObject({ description: "web", tags, vrf: null, tenant: null });
    await ask("PUT", `ipam/ip-addresses/${made.id}/`, { ...same, description: " " });
    expect(await ask("GET", `ipam/ip-addresses/${made.id}/`)).toMatchObject({
      description: "",
      tags: [],
    });
    await ask("DELETE", `ipam/ip-addresses/${made.id}/`);
    expect((await netbox("GET", `ipam/ip-addresses/${made.id}/`)).status).toBe(404);
  });

  it("creates and destroys netbox_ip_address", async () => {
    const body = { ...address, address: "10.20.0.9/24", dns_name: "db" };
    const made = await ask("POST", "ipam/ip-addresses/", body);
    expect(made).toMatchObject({ address: "10.20.0.9/24", dns_name: "db" });
    await ask("DELETE", `ipam/ip-addresses/${made.id}/`);
  });

  it("creates and destroys netbox_available_prefix, which it updates right after", async () => {
    const clusters = { cidr: "10.129.0.0/16", assign: "prefixes", blockSize: 24 };
    await call("PUT", "/v1/pools/clusters", { body: clusters });
    const [parent] = (await ask("GET", "ipam/prefixes/?limit=2&prefix=10.129.0.0%2F16")).results;
    const path = `ipam/prefixes/${parent.id}/available-prefixes/`;
    for (const description of [" ", "cluster a"]) {
      const made = await ask("POST", path, { prefix_length: 24 });
      const body = { ...prefix, prefix: made.prefix, status: "active", description };
      await ask("PUT", `ipam/prefixes/${made.id}/`, body);
      const read = await ask("GET", `ipam/prefixes/${made.id}/`);
      expect(read).toMatchObject({ description: description.trim(), status: { value: "active" } });
      await ask("DELETE", `ipam/prefixes/${made.id}/`);
    }
  });

  it("creates netbox_prefix, reads back what it sent, changes and destroys it", async () => {
    const first = { ...prefix, prefix: "10.22.0.0/24", status: "active", description: "first" };
    const { id } = await ask("POST", "ipam/prefixes/", first);
    for (const description of ["first", "second", " "]) {
      const tags = [{ name: "web", slug: "web" }];
      await ask("PUT", `ipam/prefixes/${id}/`, { ...first, description, tags });
      const read = await ask("GET", `ipam/prefixes/${id}/`);
      expect(read).toMatchObject({ description: description.trim(), tags, custom_fields: {} });
    }
    await ask("DELETE", `ipam/prefixes/${id}/`);
  });
});

describe("netbox.netbox.netbox_ip_address of Ansible", () => {
  it("assigns the next free address with state: new, and removes it with state: absent", async () => {
    await ask("GET", "");
    await ask("GET", "status/");
    const { results } = await ask("GET", "ipam/prefixes/?prefix=10.20.0.0%2F24");
    const path = `ipam/prefixes/${results[0].id}/available-ips/`;
    expect((await ask("GET", path)).length).toBeGreaterThan(0);
    const made = await ask("POST", path, { prefix: "10.20.0.0/24", description: "ansible" });
    const found = await ask(
      "GET",
      `ipam/ip-addresses/?address=${encodeURIComponent(made.address)}`,
    );
    expect(found.results).toMatchObject([{ id: made.id, description: "ansible" }]);
    await ask("DELETE", `ipam/ip-addresses/${made.id}/`);
  });
});
