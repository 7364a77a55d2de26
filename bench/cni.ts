import "../test/local/silent.ts";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startPlat } from "../src/local/plat.ts";
import { pluginFolder } from "../test/cni/debian.ts";
import { variablesOf } from "../test/cni/plugin.ts";
import { median, quantile } from "./speed/turns.ts";

/**
 * `npm run bench:cni [-- ROUNDS]`: prints the time of each command of `plat-cni` beside that of `host-local`, and the
 * start of Node.js alone. The server is in this process, with its table in memory. The commands take turns, so that
 * disturbances affect all alike.
 */

const ROUNDS = Number(process.argv[2] ?? 40);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SECONDS_NEVER = 86_400;
/** The unit of times in /proc (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). */
const TICK_MS = 10;

const directory = await mkdtemp(join(tmpdir(), "plat-"));
const platCni = join(directory, "plat-cni");
const build = ["run", "--silent", "build:cni", "--", `--outfile=${platCni}`, "--log-level=warning"];
await promisify(execFile)("npm", build, { cwd: ROOT });
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
const NETWORKS = {
  [platCni]: networkOf({ type: "plat-cni", endpoint: plat.url, host: "node-1" }),
  [hostLocal]: networkOf({ type: "host-local", subnet: "10.2.0.0/16", dataDir: directory }),
};

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
  for (const [program, network] of Object.entries(NETWORKS))
    for (const command of ["VERSION", "ADD", "CHECK", "DEL"]) {
      const config = command === "CHECK" ? { ...network, prevResult: added } : network;
      const variables = {
        ...variablesOf(command, { containerId: `c${round}` }),
        CNI_NETNS: "/run/netns/bench",
        CNI_PATH: directory,
      };
      const name = `${program === platCni ? "plat-cni" : "host-local"} ${command}`;
      const printed = await measure(name, program, [], variables, JSON.stringify(config));
      if (command === "ADD") added = JSON.parse(printed);
    }
}
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
