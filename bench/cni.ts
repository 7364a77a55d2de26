import "../test/local/silent.ts";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startPlat } from "../src/local/plat.ts";
import { pluginFolder } from "../test/cni/debian.ts";
import { podArgs, variablesOf } from "../test/cni/plugin.ts";
import { FakeCluster } from "../test/controller/fake-cluster.ts";
import { startAgent } from "../test/controller/running-agent.ts";
import { median, quantile } from "./speed/turns.ts";

/**
 * `npm run bench:cni [-- ROUNDS]`: prints the time of each command of `plat-cni`, without and with an agent, beside that
 * of `host-local`, and the start of Node.js alone. Server and agent are in this process, with the table in memory. The
 * commands take turns, so that disturbances affect all alike.
 */

const ROUNDS = Number(process.argv[2] ?? 40);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SECONDS_NEVER = 86_400;
/** The unit of times in /proc (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). */
const TICK_MS = 10;

const directory = await mkdtemp(join(tmpdir(), "plat-"));
const platCni = join(directory, "plat-cni");
const npm = (script: string, ...args: readonly string[]) =>
  promisify(execFile)("npm", ["run", "--silent", script, "--", ...args], { cwd: ROOT });
await npm("build:cni", `--outfile=${platCni}`, "--log-level=warning");
await npm("build:plugin", join(directory, "built"));
const hostLocal = join(await pluginFolder(), "host-local");
const plat = await startPlat({
  storage: { table: "memory" },
  port: 0,
  reclaimSeconds: SECONDS_NEVER,
  repairSeconds: SECONDS_NEVER,
  workSeconds: SECONDS_NEVER,
});
await fetch(new URL("/v1/pools/bench", plat.url), {
  method: "PUT",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ cidr: "10.1.0.0/16" }),
});

const networkOf = (ipam: object) => ({ cniVersion: "1.0.0", name: "bench", type: "bridge", ipam });
/** The agent of a node on which a pod runs. */
const cluster = new FakeCluster();
cluster.putObject("/api/v1/namespaces", "shop", {});
cluster.putObject("/api/v1/pods", "web", { spec: { nodeName: "node-1" } }, "shop");
const files = {
  folder: join(directory, "run"),
  plugin: join(
    directory,
    "built",
    `plat-cni-linux-${process.arch === "x64" ? "amd64" : process.arch}`,
  ),
  plugins: join(directory, "plugins"),
  conflist: join(directory, "10-plat.conflist"),
  conflists: join(directory, "conflists"),
};
const socket = join(files.folder, "agent.sock");
const ofAgent = networkOf({ type: "plat-cni", socket });
await writeFile(files.conflist, JSON.stringify({ ...ofAgent, plugins: [ofAgent] }));
for (const made of [files.folder, files.plugins, files.conflists]) await mkdir(made);
const agent = await startAgent(cluster, { endpoint: plat.url }, files);

const CONTESTANTS = [
  {
    name: "plat-cni",
    program: platCni,
    network: networkOf({ type: "plat-cni", endpoint: plat.url, host: "node-1" }),
  },
  { name: "plat-cni of an agent", program: join(files.plugins, "plat-cni"), network: ofAgent },
  {
    name: "host-local",
    program: hostLocal,
    network: networkOf({ type: "host-local", subnet: "10.2.0.0/16", dataDir: directory }),
  },
];
const CNI_ARGS = podArgs(
  "web",
  cluster.collections.get("/api/v1/pods")?.get("shop/web")?.metadata.uid,
);

/** The times of one line of the table. */
interface Times {
  readonly wallMs: number[];
  processorMs: number;
}

const lines = new Map<string, Times>();
/** The result of the last ADD. */
let added: unknown;
for (let round = 0; round < ROUNDS; round++) {
  await measure("node -e 0", process.execPath, ["-e", "0"], {}, "");
  for (const { name, program, network } of CONTESTANTS)
    for (const command of ["VERSION", "ADD", "CHECK", "DEL"]) {
      const config = command === "CHECK" ? { ...network, prevResult: added } : network;
      const variables = {
        ...variablesOf(command, { containerId: `c${round}`, args: CNI_ARGS }),
        CNI_NETNS: "/run/netns/bench",
        CNI_PATH: directory,
      };
      const stdin = JSON.stringify(config);
      const printed = await measure(`${name} ${command}`, program, [], variables, stdin);
      if (command === "ADD") added = JSON.parse(printed);
    }
}
await agent.stop();
await plat.stop();
await rm(directory, { recursive: true });

console.table(
  Object.fromEntries(
    [...lines].map(([name, { wallMs, processorMs }]) => [
      name,
      {
        "median, ms": median(wallMs).toFixed(0),
        "p95, ms": quantile(wallMs, 0.95).toFixed(0),
        "of the processor, ms": (processorMs / ROUNDS).toFixed(0),
      },
    ]),
  ),
);

/** Runs a program to its end, and returns what it printed. */
async function measure(
  name: string,
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  stdin: string,
): Promise<string> {
  const times = lines.get(name) ?? { wallMs: [], processorMs: 0 };
  lines.set(name, times);
  const processorBefore = await childrenMs();
  const startedAtMs = performance.now();
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(stdin);
  const [[code], printed] = await Promise.all([once(child, "close"), text(child.stdout)]);
  times.wallMs.push(performance.now() - startedAtMs);
  times.processorMs += (await childrenMs()) - processorBefore;
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${printed}`);
  return printed;
}

/** Returns the processor time of all ended child processes of this process. */
async function childrenMs(): Promise<number> {
  const stat = await readFile("/proc/self/stat", "utf8");
  // The name in parentheses may have spaces. The fields after it begin with the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
