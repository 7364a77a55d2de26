import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SUPPORTED_VERSIONS } from "../../src/cni/network.ts";
import type { LocalPlat } from "../../src/local/plat.ts";
import { go } from "../built-once.ts";
import { FakeCluster } from "../controller/fake-cluster.ts";
import { type RunningAgent, startAgent } from "../controller/running-agent.ts";
import { call } from "../local/process.ts";
import { unhurriedPlat } from "../local/unhurried-plat.ts";
import { HANGS_MS } from "../patience.ts";
import { type Lab, startLab, whyNoLab } from "./lab.ts";
import { addressOf, podArgs } from "./plugin.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const goInPlugin = (...args: string[]) => go(join(ROOT, "cni"), args);

const missing =
  whyNoLab() ??
  (await goInPlugin("version").then(
    () => undefined,
    ({ message }: Error) => message,
  ));
if (missing !== undefined)
  console.warn(`SKIPPED: the agent in the lab of CNI, because ${missing}.`);

it("the lab of the agent runs where it is required (CNI_LAB=required)", () => {
  expect(process.env.CNI_LAB === "required" ? missing : undefined).toBeUndefined();
});

describe.skipIf(missing !== undefined)(
  "Debian's plugins, with the agent of a node as their IPAM",
  () => {
    let folder: string;
    let lab: Lab;
    let plat: LocalPlat;
    let agent: RunningAgent;
    /** Starts the agent anew. */
    let start: () => Promise<void>;
    const cluster = new FakeCluster();

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "plat-agent-"));
      plat = await unhurriedPlat();
      await call(plat.url, "PUT", "/v1/pools/lan", {
        cidr: "10.91.0.0/24",
        ranges: ["10.91.0.10-10.91.0.99"],
        gateway: "10.91.0.1",
      });
      await run("npm", ["run", "--silent", "build:plugin", "--", join(folder, "built")], {
        cwd: ROOT,
      });
      const conflist = { cniVersion: "1.0.0", name: "lan", plugins: [network()] };
      await writeFile(join(folder, "10-plat.conflist"), JSON.stringify(conflist));
      await mkdir(join(folder, "net.d"));
      const processor = process.arch === "x64" ? "amd64" : process.arch;
      lab = await startLab(async (plugins) => {
        start = async () => {
          agent = await startAgent(
            cluster,
            { endpoint: plat.url },
            {
              folder: join(folder, "run"),
              plugin: join(folder, "built", `plat-cni-linux-${processor}`),
              plugins,
              conflist: join(folder, "10-plat.conflist"),
              conflists: join(folder, "net.d"),
            },
          );
        };
        await start();
      });
    }, HANGS_MS);
    afterAll(async () => {
      await agent?.stop();
      await plat?.stop();
      await lab?.stop();
      await rm(folder, { recursive: true });
    });

    const network = (more: object = {}) => ({
      ...{ cniVersion: "1.0.0", name: "lan", type: "bridge", bridge: "br-lan", isGateway: true },
      ipam: { type: "plat-cni", socket: join(folder, "run", "agent.sock"), keep: true },
      ...more,
    });

    /** Creates a pod of a controller, and the namespace of its sandbox. */
    async function pod(name: string, kind: string, of: string) {
      const owner = {
        apiVersion: "apps/v1",
        kind,
        name: of,
        uid: `uid-of-${of}`,
        controller: true,
      };
      const parts = { metadata: { ownerReferences: [owner] }, spec: { nodeName: "node-1" } };
      cluster.putObject("/api/v1/pods", name, parts, "shop");
      const uid = cluster.collections.get("/api/v1/pods")?.get(`shop/${name}`)?.metadata.uid;
      const netns = await lab.pod(name);
      const given = { ifName: "eth0", args: podArgs(name, uid), env: { CNI_NETNS: netns } };
      return (containerId: string) => ({ ...given, containerId });
    }

    const read = async (address: string) =>
      (await call(plat.url, "GET", `/v1/addresses/${address}`)).body;

    it("a pod gets an address of its Deployment's instance, and reaches its gateway until a DEL", async () => {
      const given = (await pod("web-1", "Deployment", "web"))("s1");
      const added = await lab.plugin("bridge", "ADD", network(), given);
      expect(added).toMatchObject({ exit: 0, out: { ips: [{ gateway: "10.91.0.1" }] } });
      expect(await lab.addresses("web-1", "eth0")).toEqual([added.out.ips[0].address]);
      expect(await lab.ping("web-1", "10.91.0.1")).toBe(true);
      const { handle, host } = await read(addressOf(added));
      expect([handle, host]).toEqual(["workload/shop/Deployment/web/web-1", "node-1"]);
      const checked = network({ prevResult: added.out });
      expect(await lab.plugin("bridge", "CHECK", checked, given)).toMatchObject({ exit: 0 });
      for (const _ of [1, 2])
        expect(await lab.plugin("bridge", "DEL", network(), given)).toMatchObject({ exit: 0 });
      expect((await read(addressOf(added))).state).toBe("cooling");
    });

    it("a DEL succeeds while the agent is away, and is done once it is back", async () => {
      const given = (await pod("web-2", "Deployment", "web"))("s2");
      const added = await lab.plugin("bridge", "ADD", network(), given);
      await agent.stop();
      const later = (await pod("web-3", "Deployment", "web"))("s3");
      expect(await lab.plugin("bridge", "ADD", network(), later)).toMatchObject({
        exit: 1,
        out: { code: 11 },
      });
      expect(await lab.plugin("bridge", "DEL", network(), given)).toMatchObject({ exit: 0 });
      const deletes = join(folder, "run", "deletes");
      expect(await readdir(deletes)).toEqual([expect.stringMatching(/^s2~eth0~[0-9a-f]{16}$/)]);
      expect((await read(addressOf(added))).state).toBe("assigned");
      cluster.deletePod("web-2");
      await start();
      while ((await readdir(deletes)).length > 0)
        await new Promise((resolve) => setImmediate(resolve));
      expect((await read(addressOf(added))).state).toBe("cooling");
    });

    it("a pod of a StatefulSet has its address again in its next sandbox", async () => {
      const given = await pod("db-0", "StatefulSet", "db");
      const first = await lab.plugin("bridge", "ADD", network(), given("s4"));
      await lab.plugin("bridge", "DEL", network(), given("s4"));
      expect((await read(addressOf(first))).state).toBe("kept");
      const second = await lab.plugin("bridge", "ADD", network(), given("s5"));
      expect(addressOf(second)).toBe(addressOf(first));
      expect(await lab.ping("db-0", "10.91.0.1")).toBe(true);
    });

    it("the plugin names the versions that the agent knows, and says if it is away", async () => {
      const known = await lab.plugin("plat-cni", "VERSION", network(), {});
      expect(known.out.supportedVersions).toEqual(SUPPORTED_VERSIONS);
      const status = (socket: string) => {
        const config = { ...network(), cniVersion: "1.1.0", ipam: { type: "plat-cni", socket } };
        return lab.plugin("plat-cni", "STATUS", config, {});
      };
      expect(await status(join(folder, "run", "agent.sock"))).toEqual({ exit: 0, out: undefined });
      expect(await status("/nowhere/agent.sock")).toMatchObject({ exit: 1, out: { code: 50 } });
    });

    it("the plugin passes its own tests, and vet finds nothing", async () => {
      await goInPlugin("vet", "./...");
      await goInPlugin("test", "./...");
    });
  },
);
