#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CILIUM_MODES, type CiliumMode } from "../nouns/cilium/object.ts";
import { type AgentFiles, assertConflist, runAgent } from "./agent.ts";
import { chartFiles } from "./chart.ts";
import { readConfig } from "./config.ts";
import { kubeApi, podIdentity } from "./kube/api.ts";
import type { Waits } from "./kube/waits.ts";
import { COLLECT_MODES, type CollectMode } from "./lost-pods.ts";
import {
  AGENT_FOLDERS,
  AGENT_PORT,
  CLUSTERCTL_VARIABLES,
  consistent,
  IMAGE_DEFAULT,
  type ManifestOptions,
  manifest,
  NAMESPACE_DEFAULT,
  PORT,
  providerFiles,
} from "./manifest.ts";
import type { NodeMode } from "./nodes.ts";
import { runController } from "./run.ts";

const HELP = `Usage:
  plat-controller run --config FILE [options]
  plat-controller manifest --endpoint URL [options]
  plat-controller components --directory DIR [options]
  plat-controller chart --directory DIR
  plat-controller agent --config FILE --node NAME --agent CONFLIST [options]

run: gives the Nodes of the cluster that it runs in their podCIDRs
  --config FILE            the configuration, as in the ConfigMap of the manifest
  --service-account DIR    the folder with token, ca.crt and namespace
                           (default ${"/var/run/secrets/kubernetes.io/serviceaccount"})
  --listen [HOST]:PORT     where it serves /healthz, /readyz and /metrics (default :${PORT})

manifest: prints what \`kubectl apply -f -\` takes
  --endpoint URL           the URL of Plat
  --space NAME             the address space of the cluster
  --region NAME            the Region, for requests that IAM authorizes
  --token-secret NAME      the Secret with a token in its key \`token\`
  --observe                writes nothing into the cluster, and asks for no prefix
  --lifecycle              writes the taints that follow from the conditions and the silence of a Node
  --leases                 tells Plat which nodes renew their Leases, so that silence shows sooner
  --cilium MODE            answers CiliumNodes: ${CILIUM_MODES.join(", ")}
  --cluster-api            answers IPAddressClaims of Cluster API
  --end-pods               tells Plat which pods are over, so that it releases what they had
  --agent CONFLIST         runs an agent on each node, for plat-cni in this list of plugins
  --collect-pods MODE      finds addresses whose pod is gone: ${COLLECT_MODES.join(", ")}
  --calico                 keeps pools and reservations as Calico's manifests say
  --spiderpool             keeps pools and reservations as Spiderpool's manifests say
  --namespaces             registers namespaces, with their labels and default pools
  --applications           registers controllers of pods as applications, with their addresses
  --delete-pools           deletes an empty pool whose manifest is gone
  --no-nodes               leaves the Nodes alone
  --namespace NAME         the namespace of the controller (default ${NAMESPACE_DEFAULT})
  --image NAME             the image (default ${IMAGE_DEFAULT})

components: writes the files that \`clusterctl init --ipam plat\` reads, with the options of the manifest
  --directory DIR          the local repository of clusterctl
  --image NAME             the image, with its registry
  --endpoint URL           the URL of Plat (default: the variable PLAT_ENDPOINT of clusterctl)
  --space NAME             the address space (default: its variable PLAT_SPACE)

chart: writes a Helm chart, whose values are the options of the manifest
  --directory DIR          the folder in which the folder of the chart is made

agent: asks Plat for the addresses of the pods of one node, as plat-cni there wants it
  --config, --service-account and --listen as for run (default :${AGENT_PORT})
  --node NAME              the name of the node
  --agent CONFLIST         the list of plugins to install
  --plugin FILE            the plugin to install (default: the one beside this program)
  --plugins DIR            the folder of plugins (default ${AGENT_FOLDERS.plugins})
  --conflists DIR          the folder of lists of plugins (default ${AGENT_FOLDERS.conflists})
  --folder DIR             the folder of the socket (default ${AGENT_FOLDERS.folder})
`;

const WAITS: Waits = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
  random: Math.random,
};

/** Returns the mode that an option names. @throws {Error} if it is none */
function ciliumModeOf(named: string | undefined): CiliumMode | "off" {
  if (named === undefined) return "off";
  const mode = CILIUM_MODES.find((each) => each === named);
  if (!mode) throw new Error(`--cilium is ${named}; it must be one of ${CILIUM_MODES.join(", ")}.`);
  return mode;
}

/** Returns the way with lost pods that an option names. @throws {Error} if it is none */
function collectModeOf(named: string | undefined): CollectMode | "off" {
  if (named === undefined) return "off";
  const mode = COLLECT_MODES.find((each) => each === named);
  if (mode) return mode;
  throw new Error(`--collect-pods is ${named}; it must be one of ${COLLECT_MODES.join(", ")}.`);
}

/** Returns the way with Nodes that options say. @throws {Error} if they exclude each other */
function nodeModeOf(observe: boolean, isOff: boolean): NodeMode | "off" {
  if (observe && isOff) throw new Error("--no-nodes excludes --observe, which is about Nodes.");
  if (isOff) return "off";
  return observe ? "observe" : "write";
}

const log = (message: string, about: Readonly<Record<string, unknown>> = {}) =>
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), message, ...about })}\n`,
  );

const OPTIONS = {
  config: { type: "string" },
  "service-account": {
    type: "string",
    default: "/var/run/secrets/kubernetes.io/serviceaccount",
  },
  listen: { type: "string" },
  endpoint: { type: "string" },
  directory: { type: "string" },
  space: { type: "string" },
  region: { type: "string" },
  "token-secret": { type: "string" },
  observe: { type: "boolean", default: false },
  lifecycle: { type: "boolean", default: false },
  leases: { type: "boolean", default: false },
  cilium: { type: "string" },
  "cluster-api": { type: "boolean", default: false },
  "end-pods": { type: "boolean", default: false },
  agent: { type: "string" },
  node: { type: "string" },
  plugin: { type: "string" },
  plugins: { type: "string", default: AGENT_FOLDERS.plugins },
  conflists: { type: "string", default: AGENT_FOLDERS.conflists },
  folder: { type: "string", default: AGENT_FOLDERS.folder },
  "collect-pods": { type: "string" },
  calico: { type: "boolean", default: false },
  spiderpool: { type: "boolean", default: false },
  namespaces: { type: "boolean", default: false },
  applications: { type: "boolean", default: false },
  "delete-pools": { type: "boolean", default: false },
  "no-nodes": { type: "boolean", default: false },
  namespace: { type: "string", default: NAMESPACE_DEFAULT },
  image: { type: "string", default: IMAGE_DEFAULT },
  help: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

/** Returns the choices for the manifest that options say. @throws {Error} if they exclude each other */
async function manifestOptions(values: Values, endpoint: string): Promise<ManifestOptions> {
  const { space = "", region = "", namespace, image, observe, lifecycle, leases } = values;
  return consistent({
    ...{ endpoint, space, region, namespace, image, lifecycle, leases },
    tokenSecret: values["token-secret"] ?? "",
    nodes: nodeModeOf(observe, values["no-nodes"]),
    cilium: ciliumModeOf(values.cilium),
    clusterApi: values["cluster-api"],
    endPods: values["end-pods"],
    agent: values.agent === undefined ? "" : await readConflist(values.agent),
    collectPods: collectModeOf(values["collect-pods"]),
    calico: values.calico,
    spiderpool: values.spiderpool,
    namespaces: values.namespaces,
    applications: values.applications,
    deletePools: values["delete-pools"],
  });
}

/** Reads a list of plugins for an agent. @throws {Error} if it is none */
async function readConflist(file: string): Promise<string> {
  const conflist = await readFile(file, "utf8");
  assertConflist(conflist, file);
  return conflist;
}

/** Returns the path of the plugin that is made with this program, for the processor of this machine. */
function pluginBeside(): string {
  const processor = process.arch === "x64" ? "amd64" : process.arch;
  return fileURLToPath(new URL(`plugin/plat-cni-linux-${processor}`, import.meta.url));
}

/** Writes files below a folder, and prints their paths. */
async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = resolve(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    process.stdout.write(`${file}\n`);
  }
}

/** Carries out the command. @throws {Error} with a message for its user */
async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  const [command, ...others] = positionals;
  if (values.help) return void process.stdout.write(HELP);
  if (command === "manifest" && others.length === 0 && values.endpoint !== undefined) {
    process.stdout.write(manifest(await manifestOptions(values, values.endpoint)));
    return;
  }
  if (command === "components" && others.length === 0 && values.directory !== undefined) {
    const { endpoint = CLUSTERCTL_VARIABLES.endpoint, space = CLUSTERCTL_VARIABLES.space } = values;
    const said = { ...values, space, "cluster-api": true, "no-nodes": true };
    return writeFiles(values.directory, providerFiles(await manifestOptions(said, endpoint)));
  }
  if (command === "chart" && others.length === 0 && values.directory !== undefined)
    return writeFiles(values.directory, chartFiles());
  const { node, agent } = values;
  const isAgent = command === "agent" && node !== undefined && agent !== undefined;
  if (!(command === "run" || isAgent) || others.length > 0 || values.config === undefined)
    throw new Error(HELP);
  const { listen = `:${isAgent ? AGENT_PORT : PORT}` } = values;
  const place = /^(.*):(\d{1,5})$/.exec(listen);
  if (!place)
    throw new Error(`--listen is ${listen}; it must be HOST:PORT, or :PORT for every address.`);
  const [, host = "", port] = place;
  const config = await readConfig(values.config);
  const pod = await podIdentity(process.env, values["service-account"]);
  const ending = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => ending.abort());
  const identity = `${hostname()}_${randomBytes(4).toString("hex")}`;
  const world = { listen: { host, port: Number(port) }, waits: WAITS, log };
  if (!isAgent) return runController(config, { ...world, pod, identity }, ending.signal);
  const { folder, plugins, conflists, plugin = pluginBeside() } = values;
  const files: AgentFiles = { folder, plugin, plugins, conflist: agent, conflists };
  return runAgent(config, { ...world, api: kubeApi(pod), node, files }, ending.signal);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
