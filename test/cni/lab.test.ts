import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalPlat } from "../../src/local/plat.ts";
import { unhurriedPlat } from "../local/unhurried-plat.ts";
import { HANGS_MS } from "../patience.ts";
import { type Lab, startLab, whyNoLab } from "./lab.ts";
import { losingAnswers } from "./losing-answers.ts";
import { addressOf, podArgs } from "./plugin.ts";

const TOKEN = "token-of-the-lab";

const missing = whyNoLab();
if (missing !== undefined) console.warn(`SKIPPED: no lab of CNI, because ${missing}.`);

it("the lab of CNI runs where it is required (CNI_LAB=required)", () => {
  expect(process.env.CNI_LAB === "required" ? missing : undefined).toBeUndefined();
});

describe.skipIf(missing !== undefined)("Debian's plugins, with plat-cni as their IPAM", () => {
  let lab: Lab;
  let plat: LocalPlat;

  beforeAll(async () => {
    lab = await startLab();
    plat = await unhurriedPlat({ listen: lab.address, token: TOKEN });
    for (const [name, net] of Object.entries({ lan: "10.88.0", storage: "10.89.0" }))
      await api("PUT", `pools/${name}`, {
        cidr: `${net}.0/24`,
        ranges: [`${net}.10-${net}.99`],
        gateway: `${net}.1`,
      });
    await api("PUT", "pools/hosts", { cidr: "10.90.0.0/16" });
  }, HANGS_MS);
  afterAll(async () => {
    await plat?.stop();
    await lab?.stop();
  });

  async function api(method: string, path: string, body?: object) {
    const response = await fetch(new URL(`/v1/${path}`, plat.url), {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
    return (await response.json()) as any;
  }

  const given = (containerId: string, netns: string, ifName = "eth0", args = "") => ({
    containerId,
    ifName,
    args,
    env: { CNI_NETNS: netns, PLAT_TOKEN: TOKEN },
  });

  const network = (name: string, ipam: object = {}, more: object = {}) => ({
    cniVersion: "1.0.0",
    name,
    bridge: `br-${name}`,
    isGateway: true,
    ipam: { type: "plat-cni", endpoint: plat.url, host: "node-1", pools: [name], ...ipam },
    ...more,
  });

  const stateOf = async (address: string) => (await api("GET", `addresses/${address}`)).state;

  it("two pods on a bridge ping each other and their gateway, until a DEL", async () => {
    const pods = [];
    for (const name of ["a", "b"]) {
      const where = given(`bridge-${name}`, await lab.pod(name));
      const added = await lab.plugin("bridge", "ADD", network("lan"), where);
      expect(added).toMatchObject({ exit: 0, out: { ips: [{ gateway: "10.88.0.1" }] } });
      expect(await lab.addresses(name, "eth0")).toEqual([added.out.ips[0].address]);
      expect(await stateOf(addressOf(added))).toBe("assigned");
      pods.push({ name, where, added, address: addressOf(added) });
    }
    const [a, b] = pods as [(typeof pods)[0], (typeof pods)[0]];
    expect(await lab.ping("a", b.address)).toBe(true);
    expect(await lab.ping("b", a.address)).toBe(true);
    expect(await lab.ping("a", "10.88.0.1")).toBe(true);

    const checked = network("lan", {}, { prevResult: a.added.out });
    expect(await lab.plugin("bridge", "CHECK", checked, a.where)).toMatchObject({ exit: 0 });
    // Every repeat of a DEL succeeds, also when the namespace has no interface any more.
    for (const _ of [1, 2])
      expect(await lab.plugin("bridge", "DEL", network("lan"), a.where)).toMatchObject({ exit: 0 });
    expect(await stateOf(a.address)).toBe("cooling");
    expect(await stateOf(b.address)).toBe("assigned");
    expect(await lab.ping("b", a.address)).toBe(false);
  });

  it("bridge passes the error of CHECK on if Plat no longer holds the address", async () => {
    const where = given("checked", await lab.pod("checked"));
    const { out: prevResult } = await lab.plugin("bridge", "ADD", network("lan"), where);
    await api("POST", "release", { handle: "cni/lan/node-1/checked/eth0" });
    const checked = await lab.plugin("bridge", "CHECK", network("lan", {}, { prevResult }), where);
    expect(checked).toMatchObject({
      exit: 1,
      out: { code: 101, msg: expect.stringMatching(/does not hold 10\.88\.0\.\d+\.$/) },
    });
  });

  it("two pods on point-to-point links reach each other through the node", async () => {
    const routes = { routes: [{ dst: "0.0.0.0/0" }] };
    const addresses = [];
    for (const name of ["p", "q"]) {
      const where = given(`ptp-${name}`, await lab.pod(name));
      addresses.push(addressOf(await lab.plugin("ptp", "ADD", network("lan", routes), where)));
    }
    expect(await lab.ping("p", addresses[1] as string)).toBe(true);
    expect(await lab.ping("q", addresses[0] as string)).toBe(true);
  });

  it("a pod has interfaces in more networks than one, as Multus attaches them", async () => {
    const added = [];
    for (const name of ["m", "n"]) {
      const netns = await lab.pod(name);
      const eth0 = await lab.plugin("bridge", "ADD", network("lan"), given(name, netns));
      const where = given(name, netns, "net1");
      const net1 = await lab.plugin("bridge", "ADD", network("storage"), where);
      expect(await lab.addresses(name, "eth0")).toEqual([eth0.out.ips[0].address]);
      expect(await lab.addresses(name, "net1")).toEqual([net1.out.ips[0].address]);
      added.push({ where, eth0: addressOf(eth0), net1: addressOf(net1) });
    }
    const [m, n] = added as [(typeof added)[0], (typeof added)[0]];
    expect(m.net1).toMatch(/^10\.89\.0\./);
    expect(await lab.ping("m", n.eth0)).toBe(true);
    expect(await lab.ping("m", n.net1)).toBe(true);
    await lab.plugin("bridge", "DEL", network("storage"), m.where);
    expect(await stateOf(m.net1)).toBe("cooling");
    expect(await stateOf(m.eth0)).toBe("assigned");
  });

  it("an ADD whose answer is lost takes no second address", async () => {
    const proxy = await losingAnswers(plat.url, 1, lab.address);
    const { endpoint } = proxy;
    const where = given("lossy", await lab.pod("lossy"));
    const added = await lab.plugin("bridge", "ADD", network("lan", { endpoint }), where);
    expect(proxy.requests()).toBe(2);
    const { addresses } = await api("GET", "handles/cni/lan/node-1/lossy/eth0");
    expect(addresses.map(({ address }: { address: string }) => address)).toEqual([
      addressOf(added),
    ]);
    proxy.stop();
  });

  it("a node that reboots keeps its block, and a pod that keeps its address has it again", async () => {
    const inBlock = { pools: ["hosts"] };
    const kept = { pools: ["storage"], keep: true };
    const boot = async (boot: number) => {
      const netns = await lab.pod("db");
      const ordinary = given(`web-${boot}`, netns);
      const own = given(`db-${boot}`, netns, "net1", podArgs("db-0"));
      const web = await lab.plugin("plat-cni", "ADD", network("hosts", inBlock), ordinary);
      const db = await lab.plugin("bridge", "ADD", network("kept", kept), own);
      expect(await lab.addresses("db", "net1")).toEqual([db.out.ips[0].address]);
      const { block } = await api("GET", `addresses/${addressOf(web)}`);
      return { web: addressOf(web), block, db: addressOf(db) };
    };
    const before = await boot(1);
    await lab.reboot();
    const after = await boot(2);
    expect(after.db).toBe(before.db);
    expect(after.block).toBe(before.block);
    expect(await lab.ping("db", "10.89.0.1")).toBe(true);

    // Debian's plugins know CNI 1.0, so the runtime's GC goes to plat-cni itself.
    const list = [{ containerID: "web-2", ifname: "eth0" }];
    const collect = { ...network("hosts"), "cni.dev/valid-attachments": list };
    for (const _ of [1, 2])
      expect(
        await lab.plugin("plat-cni", "GC", { ...collect, cniVersion: "1.1.0" }, given("", "")),
      ).toEqual({ exit: 0, out: undefined });
    expect(await stateOf(before.web)).toBe("cooling");
    expect(await stateOf(after.web)).toBe("assigned");
    expect(await stateOf(after.db)).toBe("assigned");
  });

  it("STATUS says whether Plat is in reach and accepts the token", async () => {
    const status = (ipam: object, env: Record<string, string>) =>
      lab.plugin("plat-cni", "STATUS", network("lan", ipam, { cniVersion: "1.1.0" }), { env });
    const env = { PLAT_TOKEN: TOKEN };
    expect(await status({}, env)).toEqual({ exit: 0, out: undefined });
    const refused = await status({ endpoint: `http://${lab.address}:1` }, env);
    expect(refused).toMatchObject({ exit: 1, out: { cniVersion: "1.1.0", code: 50 } });
    const rejected = await status({}, { PLAT_TOKEN: "another" });
    expect(rejected).toMatchObject({
      exit: 1,
      out: { code: 50, details: expect.stringMatching(/unauthenticated/) },
    });
  });
});
