import { readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isRecord } from "../api/schema/schema.ts";
import { ofOneCommand } from "../cni/connection.ts";
import { DIRECT_FIELDS, jsonOf, networkConfigurationOf, PLUGIN } from "../cni/network.ts";
import { run } from "../cni/run.ts";
import { CniServer } from "./cni-server.ts";
import type { Config } from "./config.ts";
import { serveProbes, silenceOf } from "./health.ts";
import type { KubeApi } from "./kube/api.ts";
import type { Waits } from "./kube/waits.ts";
import { Metrics } from "./metrics.ts";
import { Needs } from "./needs.ts";
import { NodePods } from "./node-pods.ts";
import { AGENT_RIGHTS } from "./rights.ts";
import { platOf } from "./run.ts";

/** The files of a node that the agent reads and writes. */
export interface AgentFiles {
  /** The folder of the socket, which the agent makes. */
  readonly folder: string;
  /** The plugin, and the folder of plugins in which it is installed. */
  readonly plugin: string;
  readonly plugins: string;
  /** The list of plugins, and the folder of configurations in which it is installed. */
  readonly conflist: string;
  readonly conflists: string;
}

/** The surroundings of an agent. */
export interface AgentWorld {
  readonly api: KubeApi;
  /** The name of its node. */
  readonly node: string;
  readonly files: AgentFiles;
  readonly listen: { readonly host: string; readonly port: number };
  readonly waits: Waits;
  readonly log: (message: string, about?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Runs the agent of a node until its signal ends it: it carries out the commands of the CNI plugin, which it installs once
 * it can.
 *
 * @throws {Error} if the list of plugins does not fit an agent
 */
export async function runAgent(
  { plat: settings }: Pick<Config, "plat">,
  { api, node, files, listen, waits, log }: AgentWorld,
  signal: AbortSignal,
): Promise<void> {
  assertConflist(await readFile(files.conflist, "utf8"), files.conflist);
  const plat = platOf({ plat: settings });
  const metrics = new Metrics();
  const pods = new NodePods({ api, waits, metrics, log, node });
  const needs = new Needs({ api, plat, waits, rights: AGENT_RIGHTS });
  const probed = {
    metrics,
    unready: () => [...needs.missing, ...pods.unlisted],
    unhealthy: () => silenceOf([pods], waits.now()),
  };
  const port = await serveProbes(probed, listen, signal);
  log("The agent serves its probes", { port, node });
  const server = new CniServer({
    ...{ folder: files.folder, waits, log },
    async answer(variables, config) {
      const ended = await run({
        variables,
        stdin: async () => config,
        hostname: node,
        without: DIRECT_FIELDS,
        connect: async () => ofOneCommand(plat),
        see: async (command, container) => container.pod && pods.see(command, container.pod),
      });
      const { code = 0, msg } = ended.exit === 0 ? {} : JSON.parse(ended.out);
      metrics.add("plat_controller_cni_commands_total", {
        ...(variables.CNI_COMMAND && { command: variables.CNI_COMMAND }),
        code,
      });
      if (code !== 0) log("A command of the plugin failed", { ...variables, code, msg });
      return ended;
    },
  });
  const following = pods.follow(signal);
  await server.listen(signal);
  // A runtime that finds the list calls the plugin, which calls the server.
  await install(files.plugin, join(files.plugins, PLUGIN), 0o755);
  await install(files.conflist, join(files.conflists, basename(files.conflist)), 0o644);
  log("The plugin is installed");
  await Promise.all([following, needs.check(signal), server.drain(signal)]);
}

/** Puts a file into its place whole, unless it is there already: a runtime may start it at any time. */
async function install(from: string, to: string, mode: number): Promise<void> {
  const wanted = await readFile(from);
  const present = await readFile(to).catch(() => undefined);
  if (present?.equals(wanted)) return;
  const temporary = join(dirname(to), `.${basename(to)}.new`);
  await writeFile(temporary, wanted, { mode });
  await rename(temporary, to);
}

/**
 * Checks that a list of plugins has one whose addresses come from the agent.
 *
 * @throws {Error} with what is wrong
 */
export function assertConflist(text: string, file: string): void {
  try {
    const { plugins, cniVersion, name } = jsonOf(text);
    const asked = (Array.isArray(plugins) ? plugins : []).filter(
      (plugin) => isRecord(plugin) && isRecord(plugin.ipam) && plugin.ipam.type === PLUGIN,
    );
    if (asked.length === 0) throw new Error(`no entry of plugins has an ipam of type ${PLUGIN}.`);
    for (const plugin of asked)
      networkConfigurationOf({ ...plugin, cniVersion, name }, DIRECT_FIELDS);
  } catch (error) {
    throw new Error(`${file} does not fit an agent: ${(error as Error).message}`);
  }
}
