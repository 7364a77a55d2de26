import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { losingAnswers } from "./losing-answers.ts";
import { addressOf, plugin, podArgs } from "./plugin.ts";

const { network, api, cni, url } = plugin();

const C1 = { containerId: "c1" };
const C2 = { containerId: "c2" };

beforeEach(async () => {
  await api("PUT", "pools/pods", { cidr: "10.1.0.0/16" });
  await api("PUT", "pools/racks", {
    cidr: "10.9.0.0/24",
    ranges: ["10.9.0.10-10.9.0.99"],
    assignmentMode: "Manual",
    gateway: "10.9.0.1",
    routes: [{ dst: "192.168.0.0/16", gw: "10.9.0.2" }],
  });
});

const heldBy = async (containerId: string, ifName = "eth0") => {
  const { addresses = [] } = await api("GET", `handles/cni/podnet/node-1/${containerId}/${ifName}`);
  return addresses.map(({ address }: { address: string }) => address);
};

describe("ADD", () => {
  it("returns an address with the prefix length of its pool", async () => {
    const { exit, out } = await cni("ADD", network(), C1);
    expect(exit).toBe(0);
    expect(out).toEqual({
      cniVersion: "1.1.0",
      ips: [{ address: expect.stringMatching(/^10\.1\.\d+\.\d+\/16$/) }],
      dns: {},
    });
    expect(await heldBy("c1")).toEqual([addressOf({ exit, out })]);
  });

  it("returns the gateway and the routes of the pool after those of the configuration", async () => {
    const routes = [{ dst: "0.0.0.0/0" }, { dst: "10.0.0.0/8", gw: "10.9.0.3" }];
    const { out } = await cni("ADD", network({ pools: ["racks"], routes }), C1);
    expect(out.ips).toEqual([
      { address: expect.stringMatching(/^10\.9\.0\.\d+\/24$/), gateway: "10.9.0.1" },
    ]);
    expect(out.routes).toEqual([...routes, { dst: "192.168.0.0/16", gw: "10.9.0.2" }]);
  });

  it("returns prefix length, gateway and name servers of a subnet", async () => {
    await api("PUT", "pools/lan", {
      cidr: "10.8.0.0/24",
      kind: "subnet",
      gateway: "10.8.0.1",
      dns: ["10.8.0.2"],
      domain: "lan.example.com",
    });
    const { out } = await cni("ADD", network({ pools: ["lan"] }), C1);
    expect(out.ips).toEqual([
      { address: expect.stringMatching(/^10\.8\.0\.\d+\/24$/), gateway: "10.8.0.1" },
    ]);
    expect(out.dns).toEqual({ nameservers: ["10.8.0.2"], domain: "lan.example.com" });
  });

  it("returns one address of each family", async () => {
    await api("PUT", "pools/pods6", { cidr: "fd00:1::/64" });
    const { out } = await cni("ADD", network({ ipv6: 1 }), C1);
    expect(out.ips.map(({ address }: { address: string }) => address)).toEqual([
      expect.stringMatching(/^10\.1\..*\/16$/),
      expect.stringMatching(/^fd00:1::.*\/64$/),
    ]);
  });

  it("returns the same address to the same container again, also after a DEL and another ADD", async () => {
    const first = await cni("ADD", network(), C1);
    expect(await cni("ADD", network(), C1)).toEqual(first);
    await cni("DEL", network(), C1);
    const second = await cni("ADD", network(), C1);
    expect(second.exit).toBe(0);
    expect(await cni("ADD", network(), C1)).toEqual(second);
    expect(await heldBy("c1")).toEqual([addressOf(second)]);
  });

  it("takes no second address if the answer is lost", async () => {
    const proxy = await losingAnswers(url(), 2);
    const { endpoint } = proxy;
    const added = await cni("ADD", network({ endpoint }), C1);
    expect(proxy.requests()).toBe(3);
    expect(await heldBy("c1")).toEqual([addressOf(added)]);
    expect((await api("GET", "pools/pods/utilization")).inUse).toBe(1);
    proxy.stop();
  });

  it("assigns the addresses that the runtime asks for, in place of others", async () => {
    const ips = { runtimeConfig: { ips: ["10.1.7.7/24", "10.1.7.8"] } };
    const { out } = await cni("ADD", network({ ipv4: 3 }, ips), C1);
    const addresses = out.ips.map(({ address }: { address: string }) => address);
    expect(addresses.slice(0, 2)).toEqual(["10.1.7.7/16", "10.1.7.8/16"]);
    expect(addresses).toHaveLength(3);
  });

  it("assigns the address of IP= in CNI_ARGS and those of args.cni.ips, as host-local does, each once", async () => {
    const more = { args: { cni: { ips: ["10.1.7.8/16"] } }, runtimeConfig: { ips: ["10.1.7.7"] } };
    const args = "IgnoreUnknown=1;IP=10.1.7.7;MAC=02:00:00:00:00:01";
    const { out } = await cni("ADD", network({ ipv4: 2 }, more), { ...C1, args });
    expect(out.ips).toEqual([{ address: "10.1.7.7/16" }, { address: "10.1.7.8/16" }]);
    expect((await heldBy("c1")).toSorted()).toEqual(["10.1.7.7", "10.1.7.8"]);
  });

  it("names the variable or the field whose address is none", async () => {
    const byVariable = await cni("ADD", network(), { ...C1, args: "IP=10.1.7" });
    expect(byVariable.out).toMatchObject({ code: 4, msg: expect.stringContaining("CNI_ARGS") });
    const byField = await cni("ADD", network({}, { args: { cni: { ips: ["x"] } } }), C1);
    expect(byField.out).toMatchObject({ code: 7, msg: expect.stringContaining("args.cni.ips") });
  });

  describe("of a pool of kind subnet", () => {
    beforeEach(async () => {
      const lan = { cidr: "10.8.0.0/24", kind: "subnet", gateway: "10.8.0.1" };
      await api("PUT", "pools/lan", { ...lan, assignmentMode: "Manual" });
      await api("PUT", "pools/lan6", { cidr: "fd00:8::/64", kind: "subnet" });
    });

    it.each([
      ["10.8.0.0", "network address"],
      ["10.8.0.1", "gateway"],
      ["10.8.0.255", "broadcast address"],
      ["fd00:8::", "network address"],
    ])("refuses %s, and takes nothing", async (address, what) => {
      const asked = network({ pools: [] }, { runtimeConfig: { ips: ["10.1.7.7", address] } });
      const { exit, out } = await cni("ADD", asked, C1);
      expect({ exit, out }).toMatchObject({ exit: 1, out: { code: 100 } });
      expect(out.msg).toContain(`${address} is the ${what} of a pool's network`);
      expect(await heldBy("c1")).toEqual([]);
      expect((await api("GET", `addresses/${address}`)).state).toBe("free");
    });

    it("assigns any other address that is asked for", async () => {
      const { out } = await cni("ADD", network({}, { runtimeConfig: { ips: ["10.8.0.2"] } }), C1);
      expect(out.ips).toEqual([{ address: "10.8.0.2/24", gateway: "10.8.0.1" }]);
    });
  });

  it("serves another request of a container after its DEL", async () => {
    await api("PUT", "pools/pods6", { cidr: "fd00:1::/64" });
    await cni("ADD", network(), C1);
    const both = network({ ipv6: 1 });
    const mixed = await cni("ADD", both, C1);
    expect(mixed.out.details).toContain("code: idempotency_mismatch");
    await cni("DEL", network(), C1);
    const added = await cni("ADD", both, C1);
    expect(added.out.ips).toHaveLength(2);
    expect(await cni("ADD", both, C1)).toEqual(added);
    await cni("DEL", both, C1);
    const named = network({ ipv4: 2 }, { runtimeConfig: { ips: ["10.1.9.9"] } });
    const again = await cni("ADD", named, C1);
    expect(again.out).toMatchObject({ ips: [{}, {}] });
    expect(await cni("ADD", named, C1)).toEqual(again);
    expect(await heldBy("c1")).toHaveLength(2);
  });

  it("holds nothing if one of the addresses is not free", async () => {
    const wanted = (...ips: string[]) => network({}, { runtimeConfig: { ips } });
    await cni("ADD", wanted("10.1.7.8"), C2);
    const { exit, out } = await cni("ADD", wanted("10.1.7.7", "10.1.7.8"), C1);
    expect(exit).toBe(1);
    expect(out).toMatchObject({ cniVersion: "1.1.0", code: 100 });
    expect(out.msg).toContain("10.1.7.8");
    expect(out.details).toMatch(/^code: already_assigned\nrequest: \S+$/);
    expect(await heldBy("c1")).toEqual([]);
  });

  it("holds nothing after its DEL and another ADD if one family has no address", async () => {
    await api("PUT", "pools/one6", { cidr: "fd00:1::/128", cooldownSeconds: 0 });
    expect((await cni("ADD", network({ ipv6: 1 }), C1)).exit).toBe(0);
    await cni("DEL", network({ ipv6: 1 }), C1);
    expect((await cni("ADD", network({ ipv4: 0, ipv6: 1 }), C2)).exit).toBe(0);
    const { exit, out } = await cni("ADD", network({ ipv6: 1 }), C1);
    expect({ exit, out }).toMatchObject({
      exit: 1,
      out: { details: expect.stringContaining("pool_exhausted") },
    });
    expect(await heldBy("c1")).toEqual([]);
  });

  it("gives each interface of a pod its own address, also in one network", async () => {
    const interfaces = ["eth0", "net1", "net2"];
    const added = [];
    for (const ifName of interfaces) added.push(await cni("ADD", network(), { ...C1, ifName }));
    expect(new Set(added.map(addressOf)).size).toBe(3);
    await cni("DEL", network(), { ...C1, ifName: "net1" });
    expect(await heldBy("c1", "net1")).toEqual([]);
    expect(await heldBy("c1", "net2")).toHaveLength(1);
  });

  it("lets pools be chosen by the namespace of the pod and by the network", async () => {
    await api("PUT", "pools/shop", { cidr: "10.20.0.0/16", namespaceNames: ["shop"] });
    await api("PUT", "pools/storage", { cidr: "10.30.0.0/16", networks: ["storage"] });
    const of = async (ipam: object) =>
      addressOf(
        await cni("ADD", network(ipam), { containerId: `c${Math.random()}`, args: podArgs("web") }),
      );
    expect(await of({})).toMatch(/^10\.20\./);
    expect(await of({ network: "storage", pools: ["storage"] })).toMatch(/^10\.30\./);
    expect(await of({ pools: ["pods"] })).toMatch(/^10\.1\./);
  });

  it("names the pod in the attributes of its address", async () => {
    const added = await cni("ADD", network(), { ...C1, args: podArgs("web") });
    const { attributes, host } = await api("GET", `addresses/${addressOf(added)}`);
    expect(host).toBe("node-1");
    expect(attributes).toEqual({
      network: "podnet",
      containerId: "c1",
      ifName: "eth0",
      namespace: "shop",
      pod: "web",
      podUid: "uid-of-web",
    });
  });

  it("takes the name of the machine as the host if the configuration names none", async () => {
    const added = await cni("ADD", network({ host: undefined }), C1);
    const { host } = await api("GET", `addresses/${addressOf(added)}`);
    expect(host).toBe("host-of-the-kernel");
  });

  it.each(["0.3.0", "0.3.1", "0.4.0"])(
    "names the family, as CNI %s requires",
    async (cniVersion) => {
      const { out } = await cni("ADD", network({}, { cniVersion }), C1);
      expect(out).toMatchObject({ cniVersion, ips: [{ version: "4" }] });
    },
  );
});

describe("DEL", () => {
  it("releases what the attachment has, and does no more if it is repeated", async () => {
    await cni("ADD", network(), C1);
    await cni("ADD", network(), C2);
    for (const _ of [1, 2, 3])
      expect(await cni("DEL", network(), C1)).toEqual({ exit: 0, out: undefined });
    expect(await heldBy("c1")).toEqual([]);
    expect(await heldBy("c2")).toHaveLength(1);
  });

  it("succeeds where the handle would be too long, because no ADD did", async () => {
    const long = { containerId: "c".repeat(250) };
    expect((await cni("ADD", network(), long)).out).toMatchObject({ code: 7 });
    expect(await cni("DEL", network(), long)).toEqual({ exit: 0, out: undefined });
  });

  it("succeeds for a container that was never attached", async () => {
    expect(await cni("DEL", network(), C1)).toEqual({ exit: 0, out: undefined });
  });
});

describe("CHECK", () => {
  it("succeeds while the attachment holds the addresses of its ADD", async () => {
    const { out: prevResult } = await cni("ADD", network(), C1);
    expect(await cni("CHECK", network({}, { prevResult }), C1)).toEqual({
      exit: 0,
      out: undefined,
    });
  });

  it("fails if the address is not held, or is another one", async () => {
    const { out: prevResult } = await cni("ADD", network(), C1);
    await api("POST", "release", { handle: "cni/podnet/node-1/c1/eth0" });
    const gone = await cni("CHECK", network({}, { prevResult }), C1);
    expect(gone).toMatchObject({ exit: 1, out: { code: 101, details: "It holds no address." } });
    const other = await cni("ADD", network(), C1);
    const moved = await cni("CHECK", network({}, { prevResult }), C1);
    expect(moved.out.details).toBe(`It holds ${addressOf(other)}.`);
  });

  it("leaves out the addresses of other interfaces", async () => {
    const { out } = await cni("ADD", network(), C1);
    const prevResult = {
      ...out,
      interfaces: [{ name: "lan0" }, { name: "eth0" }],
      ips: [
        { ...out.ips[0], interface: 1 },
        { address: "10.99.0.1/24", interface: 0 },
      ],
    };
    expect(await cni("CHECK", network({}, { prevResult }), C1)).toMatchObject({ exit: 0 });
  });

  it("fails without the result of the ADD", async () => {
    await cni("ADD", network(), C1);
    expect((await cni("CHECK", network(), C1)).out).toMatchObject({ code: 7 });
  });
});

describe("GC", () => {
  const valid = (...containers: string[]) => ({
    "cni.dev/valid-attachments": containers.map((containerID) => ({ containerID, ifname: "eth0" })),
  });

  it("releases what no valid attachment names, and does no more if it is repeated", async () => {
    await cni("ADD", network(), C1);
    await cni("ADD", network(), C2);
    await cni("ADD", network({ pools: ["racks"] }), { containerId: "c3" });
    await cni("ADD", network(), { ...C1, ifName: "net1" });
    for (const _ of [1, 2])
      expect(await cni("GC", network({}, valid("c1")))).toEqual({ exit: 0, out: undefined });
    expect(await heldBy("c1")).toHaveLength(1);
    expect(await heldBy("c1", "net1")).toEqual([]);
    expect(await heldBy("c2")).toEqual([]);
    expect(await heldBy("c3")).toEqual([]);
  });

  it("leaves other networks, other hosts and other handles as they are", async () => {
    const added = [
      await cni("ADD", network({}, { name: "storage" }), C1),
      await cni("ADD", network({ host: "node-2" }), C1),
    ];
    await api("POST", "assign", { host: "node-1", ipv4: 1, handle: "cni/podnet/vm" });
    await cni("GC", network({}, valid()));
    for (const one of added)
      expect((await api("GET", `addresses/${addressOf(one)}`)).state).toBe("assigned");
    expect((await api("GET", "handles/cni/podnet/vm")).addresses).toHaveLength(1);
  });

  it("takes null for no attachment, as Go writes an empty list, and no field for a mistake", async () => {
    await cni("ADD", network(), C1);
    expect(await cni("GC", network())).toMatchObject({ exit: 1, out: { code: 7 } });
    expect(await heldBy("c1")).toHaveLength(1);
    await cni("GC", network({}, { "cni.dev/valid-attachments": null }));
    expect(await heldBy("c1")).toEqual([]);
  });
});

describe("a pod of a StatefulSet on a network that keeps addresses", () => {
  const kept = () => network({ keep: true });
  const sandbox = (containerId: string, ifName = "eth0") => ({
    containerId,
    ifName,
    args: podArgs("db-0"),
  });

  it("has its address again in its next sandbox, with a DEL in between or not", async () => {
    const first = addressOf(await cni("ADD", kept(), sandbox("s1")));
    await cni("DEL", kept(), sandbox("s1"));
    expect(addressOf(await cni("ADD", kept(), sandbox("s2")))).toBe(first);
    // The node reboots, and no DEL is sent.
    expect(addressOf(await cni("ADD", kept(), sandbox("s3")))).toBe(first);
  });

  it("does not lose it to a late DEL or a GC for its earlier sandbox", async () => {
    const { out: prevResult } = await cni("ADD", kept(), sandbox("s1"));
    await cni("ADD", kept(), sandbox("s2"));
    await cni("DEL", kept(), sandbox("s1"));
    const list = [{ containerID: "s2", ifname: "eth0" }];
    await cni("GC", { ...kept(), "cni.dev/valid-attachments": list });
    const check = (containerId: string) =>
      cni("CHECK", { ...kept(), prevResult }, sandbox(containerId));
    expect(await check("s2")).toMatchObject({ exit: 0 });
    expect(await check("s1")).toMatchObject({ exit: 1, out: { code: 101 } });
  });

  it("has a kept address for each interface", async () => {
    const add = async (containerId: string) => [
      addressOf(await cni("ADD", kept(), sandbox(containerId))),
      addressOf(await cni("ADD", kept(), sandbox(containerId, "net1"))),
    ];
    const first = await add("s1");
    expect(new Set(first).size).toBe(2);
    expect(await add("s2")).toEqual(first);
  });

  it("keeps the address that the runtime asked for, without a cooldown", async () => {
    const asked = { ...kept(), runtimeConfig: { ips: ["10.1.7.7"] } };
    for (const containerId of ["s1", "s2"]) {
      expect(addressOf(await cni("ADD", asked, sandbox(containerId)))).toBe("10.1.7.7");
      await cni("DEL", asked, sandbox(containerId));
    }
  });

  it("keeps its address when a GC finds its sandbox gone, and other networks are left alone", async () => {
    const address = addressOf(await cni("ADD", kept(), sandbox("s1")));
    const stateAfter = async (name: string, keep: boolean) => {
      await cni("GC", network({ keep }, { name, "cni.dev/valid-attachments": [] }));
      return (await api("GET", `addresses/${address}`)).state;
    };
    expect(await stateAfter("storage", false)).toBe("assigned");
    expect(await stateAfter("podnet", true)).toBe("kept");
    expect(addressOf(await cni("ADD", kept(), sandbox("s2")))).toBe(address);
    expect(await stateAfter("podnet", false)).toBe("cooling");
  });

  it("gives its address back once the network keeps none, and a CHECK finds it until then", async () => {
    const { out: prevResult } = await cni("ADD", kept(), sandbox("s1"));
    const address = addressOf({ exit: 0, out: prevResult });
    const check = { ...network(), prevResult };
    expect(await cni("CHECK", check, sandbox("s1"))).toMatchObject({ exit: 0 });
    await cni("DEL", network(), sandbox("s0"));
    expect((await api("GET", `addresses/${address}`)).state).toBe("assigned");
    await cni("DEL", network(), sandbox("s1"));
    expect((await api("GET", `addresses/${address}`)).state).toBe("cooling");
  });

  it("shares the network with pods without an ordinal, whose addresses are released", async () => {
    const web = { containerId: "w1", args: podArgs("web-6d4b9c7f8-x2x9z") };
    const address = addressOf(await cni("ADD", kept(), web));
    await cni("DEL", kept(), web);
    expect((await api("GET", `addresses/${address}`)).state).toBe("cooling");
  });
});

it("a container has its address until its DEL although Podman passes its name, which no namespace can have, as the namespace", async () => {
  const container = { ...C1, args: "K8S_POD_NAMESPACE=my_app-1;K8S_POD_NAME=my_app-1" };
  for (const keep of [false, true]) {
    const { exit, out: prevResult } = await cni("ADD", network({ keep }), container);
    expect(exit).toBe(0);
    const checked = await cni("CHECK", network({ keep }, { prevResult }), container);
    expect(checked).toEqual({ exit: 0, out: undefined });
    for (const _ of [1, 2])
      expect(await cni("DEL", network({ keep }), container)).toEqual({ exit: 0, out: undefined });
    expect(await heldBy("c1")).toEqual([]);
  }
});

describe("STATUS", () => {
  it("succeeds while Plat is ready", async () => {
    expect(await cni("STATUS", network())).toEqual({ exit: 0, out: undefined });
  });

  it("returns code 50 if nobody listens", async () => {
    const { exit, out } = await cni("STATUS", network({ endpoint: "http://127.0.0.1:1" }));
    expect({ exit, out }).toMatchObject({ exit: 1, out: { cniVersion: "1.1.0", code: 50 } });
    expect(out.details).toBe("Nothing was sent.");
  });

  it("returns the mistake of the configuration as such", async () => {
    expect((await cni("STATUS", network({ ipv4: -1 }))).out).toMatchObject({ code: 7 });
  });
});

it("VERSION names the versions, whatever the configuration", async () => {
  expect(await cni("VERSION", { cniVersion: "1.0.0" })).toEqual({
    exit: 0,
    out: {
      cniVersion: "1.0.0",
      supportedVersions: ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"],
    },
  });
});

describe("the token", () => {
  it("is that of the file that the configuration names, else PLAT_TOKEN", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plat-cni-"));
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, "of-the-file\n");
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{"status": "ready"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { PLAT_TOKEN: "of-the-process" };
    // A Region would have requests signed, without the token.
    await cni("STATUS", network({ endpoint, tokenFile }), {
      env: { ...env, PLAT_REGION: "eu-central-1" },
    });
    await cni("STATUS", network({ endpoint }), { env });
    await cni("STATUS", network({ endpoint: undefined }), {
      env: { PLAT_ENDPOINT: endpoint },
    });
    expect(seen).toEqual(["Bearer of-the-file", "Bearer of-the-process", undefined]);
    server.close();
    await rm(folder, { recursive: true });
  });

  it("is an error of code 5 if its file cannot be read", async () => {
    const { out } = await cni("ADD", network({ tokenFile: "/nowhere/token" }), C1);
    expect(out).toMatchObject({ code: 5, msg: expect.stringContaining("/nowhere/token") });
  });
});

describe("an error", () => {
  it.each([
    ["no JSON", "{", 6, /is not JSON/],
    ["no object", "[]", 6, /is not a JSON object/],
    ["an unknown version", { cniVersion: "9.0.0", name: "n" }, 1, /"9\.0\.0" is not supported/],
    ["no version", { name: "n" }, 1, /"0\.1\.0" is not supported/],
    ["no ipam", { cniVersion: "1.0.0", name: "n" }, 7, /ipam/],
    ["a wrong name", { cniVersion: "1.0.0", name: "a/b", ipam: {} }, 7, /name must begin/],
  ])("of a configuration with %s", async (_, config, code, message) => {
    const { exit, out } = await cni("ADD", config, C1);
    expect(exit).toBe(1);
    expect(out).toMatchObject({ code, msg: expect.stringMatching(message) });
  });

  it("names the field and the value that are not supported", async () => {
    const { out } = await cni("ADD", network({ subnet: "10.0.0.0/24" }), C1);
    expect(out).toMatchObject({ code: 2 });
    expect(out.msg).toBe('ipam.subnet is no field of plat-cni; its value is "10.0.0.0/24".');
  });

  it("says that a plugin without an agent has no socket", async () => {
    const { out } = await cni("ADD", network({ socket: "/var/lib/plat-agent/agent.sock" }), C1);
    expect(out).toMatchObject({ code: 2, msg: expect.stringMatching(/^ipam\.socket is no field/) });
    expect(out.details).not.toContain("socket");
  });

  it("names every field that is wrong", async () => {
    const { out } = await cni("ADD", network({ ipv4: "1", routes: [{ dst: "0/0" }] }), C1);
    expect(out).toMatchObject({ code: 7 });
    expect(out.msg).toMatch(/ipam\.ipv4 must be .*ipam\.routes\[0\]\.dst /);
  });

  it.each([
    ["CNI_CONTAINERID", { containerId: "a/b" }],
    ["CNI_CONTAINERID", {}],
    ["CNI_IFNAME", { containerId: "c1", ifName: "eth0?" }],
    ["CNI_COMMAND", { containerId: "c1", env: { CNI_COMMAND: "UPDATE" } }],
  ])("names the variable %s", async (name, given) => {
    const { out } = await cni("ADD", network(), given);
    expect(out).toMatchObject({ code: 4, msg: expect.stringContaining(name) });
  });

  it("is that of Plat if a pool is exhausted", async () => {
    await api("PUT", "pools/one", { cidr: "10.40.0.0/32", assignmentMode: "Manual" });
    await cni("ADD", network({ pools: ["one"] }), C1);
    const { out } = await cni("ADD", network({ pools: ["one"] }), C2);
    expect(out).toMatchObject({
      code: 100,
      details: expect.stringMatching(/^code: pool_exhausted\n/),
    });
  });

  it("is code 11 while the one address cools, so that the runtime repeats", async () => {
    await api("PUT", "pools/one", { cidr: "10.40.0.0/32", assignmentMode: "Manual" });
    await cni("ADD", network({ pools: ["one"] }), C1);
    await cni("DEL", network({ pools: ["one"] }), C1);
    const { out } = await cni("ADD", network({ pools: ["one"] }), C2);
    expect(out).toMatchObject({
      code: 11,
      details: expect.stringMatching(/^code: pool_exhausted\n/),
    });
  });

  it("is code 11 if Plat is out of reach, so that the runtime repeats", async () => {
    const { out } = await cni("DEL", network({ endpoint: "http://127.0.0.1:1" }), C1);
    expect(out).toMatchObject({ code: 11, details: "Nothing was sent." });
  });

  it("asks for a family above 0", async () => {
    expect((await cni("ADD", network({ ipv4: 0 }), C1)).out).toMatchObject({
      code: 7,
      msg: "ipam.ipv4 is 0 and so is ipam.ipv6; set one of them above 0.",
    });
  });

  it("names the address that is none", async () => {
    const asked = network({}, { runtimeConfig: { ips: ["10.1.0.999"] } });
    expect((await cni("ADD", asked, C1)).out).toMatchObject({ code: 7 });
  });
});
