import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pingProgram, pluginFolder } from "./debian.ts";
import { type Ended, type Given, variablesOf } from "./plugin.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The start of the names of what a lab makes in the kernel. */
const NAME = `plat-${process.pid}`;

const run = promisify(execFile);

/** Returns why this machine cannot have network namespaces; nothing if it can. */
export function whyNoLab(): string | undefined {
  if (process.platform !== "linux")
    return `network namespaces are of Linux, not ${process.platform}`;
  if (process.getuid?.() !== 0) return "only root can make network namespaces";
  const probe = `${NAME}-probe`;
  const script = `ip netns add ${probe} && ip -n ${probe} link add v0 type veth peer name v1 && ip -n ${probe} link add b0 type bridge`;
  const { status, stderr } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
  spawnSync("ip", ["netns", "delete", probe]);
  return status === 0 ? undefined : `the kernel has no network namespaces with bridges: ${stderr}`;
}

/** A node with pods: network namespaces of this machine, with Debian's plugins and the built `plat-cni`. */
export interface Lab {
  /** The address of this process, as the node sees it. */
  readonly address: string;
  /** Makes the namespace of a pod, and returns its path. */
  readonly pod: (name: string) => Promise<string>;
  /** Runs a plugin on the node, as a runtime does. */
  readonly plugin: (type: string, command: string, config: object, given?: Given) => Promise<Ended>;
  /** Returns true if a pod gets an answer from an address. */
  readonly ping: (pod: string, address: string) => Promise<boolean>;
  /** Returns the addresses of an interface in a pod, with their prefix lengths. */
  readonly addresses: (pod: string, ifName: string) => Promise<readonly string[]>;
  /** Deletes the node with all of its pods and interfaces, and makes it anew. */
  readonly reboot: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Makes a node that reaches this process.
 *
 * @param install puts `plat-cni` into the folder of plugins whose path it gets
 */
export async function startLab(
  install: (folder: string) => Promise<unknown> = buildPlugin,
): Promise<Lab> {
  const [folder, plugins, pinging] = await Promise.all([
    mkdtemp(join(tmpdir(), "plat-cni-")),
    pluginFolder(),
    pingProgram(),
  ]);
  await install(folder);
  const node = `${NAME}-node`;
  const uplink = `p${process.pid}`;
  // The range for tests of networks (RFC 2544), which nothing routes.
  const link = `198.18.${process.pid % 256}`;
  const pods = new Set<string>();
  const ip = (...args: string[]) => run("ip", args);
  const inside = (namespace: string, ...args: string[]) => ip("-n", namespace, ...args);

  const boot = async () => {
    await ip("netns", "add", node);
    await inside(node, "link", "set", "lo", "up");
    await ip("link", "add", uplink, "type", "veth", "peer", "name", "uplink", "netns", node);
    await ip("address", "add", `${link}.1/30`, "dev", uplink);
    await ip("link", "set", uplink, "up");
    await inside(node, "address", "add", `${link}.2/30`, "dev", "uplink");
    await inside(node, "link", "set", "uplink", "up");
  };
  const shutDown = async () => {
    for (const namespace of [...pods, node]) await ip("netns", "delete", namespace);
    pods.clear();
    // The kernel deletes the other end some time after the namespace.
    await ip("link", "delete", uplink).catch(() => {});
  };

  await boot();
  return {
    address: `${link}.1`,
    async pod(name) {
      const namespace = `${NAME}-${name}`;
      await ip("netns", "add", namespace);
      pods.add(namespace);
      return `/run/netns/${namespace}`;
    },
    async plugin(type, command, config, given = {}) {
      const folderOf = type === "plat-cni" ? folder : plugins;
      const child = spawn("ip", ["netns", "exec", node, join(folderOf, type)], {
        env: {
          PATH: process.env.PATH,
          CNI_PATH: [folder, plugins].join(delimiter),
          ...variablesOf(command, given),
        },
      });
      child.stdin.end(JSON.stringify({ type, ...config }));
      const [[exit], out, err] = await Promise.all([
        once(child, "close"),
        text(child.stdout),
        text(child.stderr),
      ]);
      if (err !== "") throw new Error(`${type} ${command} printed ${err}`);
      return { exit: exit as number, out: out === "" ? undefined : JSON.parse(out) };
    },
    async ping(pod, address) {
      const args = ["netns", "exec", `${NAME}-${pod}`, pinging, "-c", "1", "-W", "5", address];
      return ip(...args).then(
        () => true,
        () => false,
      );
    },
    async addresses(pod, ifName) {
      const shown = await inside(`${NAME}-${pod}`, "-json", "address", "show", "dev", ifName);
      const [{ addr_info: all }] = JSON.parse(shown.stdout);
      return all
        .filter(({ scope }: { scope: string }) => scope === "global")
        .map(({ local, prefixlen }: Record<string, string>) => `${local}/${prefixlen}`);
    },
    async reboot() {
      await shutDown();
      await boot();
    },
    async stop() {
      await shutDown();
      await rm(folder, { recursive: true });
    },
  };
}

/** Builds the plugin that calls Plat itself. */
async function buildPlugin(folder: string): Promise<void> {
  const outfile = `--outfile=${join(folder, "plat-cni")}`;
  const build = ["run", "--silent", "build:cni", "--", outfile, "--log-level=warning"];
  await run("npm", build, { cwd: ROOT });
}
