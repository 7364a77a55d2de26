import { readFile } from "node:fs/promises";
import { clientWithToken } from "../client/client.ts";
import { type PlatClient, platClient } from "../client/index.ts";
import { APPLICATION_KINDS } from "./applications.ts";
import { CiliumNodes } from "./cilium.ts";
import { ClusterApi } from "./cluster-api.ts";
import type { Config } from "./config.ts";
import { Declared } from "./declared.ts";
import { CALICO_KINDS, NAMESPACE_KIND, SPIDERPOOL_KINDS } from "./declared-kinds.ts";
import { serveProbes, silenceOf } from "./health.ts";
import { type KubeApi, kubeApi, type PodIdentity } from "./kube/api.ts";
import { readClusterNamespace } from "./kube/cluster-namespace.ts";
import { whileLeading } from "./kube/lease.ts";
import type { Waits } from "./kube/waits.ts";
import { Leases } from "./leases.ts";
import { Lifecycle } from "./lifecycle.ts";
import { LostPods } from "./lost-pods.ts";
import { Metrics } from "./metrics.ts";
import { Needs } from "./needs.ts";
import { Nodes } from "./nodes.ts";
import { Pods } from "./pods.ts";
import { LEASE, rightsOf } from "./rights.ts";

const MEASURE_AGAIN_MS = 10_000;
const START_AGAIN_MS = 2_000;

/** The surroundings of the controller. */
export interface ControllerWorld {
  readonly pod: PodIdentity;
  /** The name of this replica among those that share the Lease. */
  readonly identity: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly waits: Waits;
  readonly log: (message: string, about?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Runs a replica of the controller until its signal ends it. Every replica follows the Nodes, and the one with the Lease acts.
 *
 * @throws {LeaseLostError} if another replica may lead. The process must end, because a request may be on its way.
 */
export async function runController(
  config: Config,
  { pod, identity, listen, waits, log }: ControllerWorld,
  signal: AbortSignal,
): Promise<void> {
  const api = kubeApi(pod);
  const plat = platOf(config);
  const metrics = new Metrics();
  const mode = config.nodes.podCIDRs;
  const switches = {
    nodes: mode,
    lifecycle: mode !== "off" && config.nodes.lifecycle,
    leases: mode !== "off" && config.nodes.leases,
    cilium: config.cilium?.mode ?? "off",
    clusterApi: config.clusterApi,
    endPods: config.pods.end,
    calico: config.calico,
    spiderpool: config.spiderpool,
    namespaces: config.namespaces,
    applications: config.applications,
    collectPods: config.pods.collect,
  } as const;
  const rights = rightsOf(switches, pod.namespace);
  const needs = new Needs({ api, plat, waits, rights });
  let parts: Parts | undefined;
  const probed = {
    metrics,
    unready: () => [
      ...needs.missing,
      ...(parts ? unlistedOf(parts) : ["the objects are not listed yet"]),
    ],
    unhealthy: () => silenceOf([...(parts ? hearingOf(parts) : []), needs], waits.now()),
  };
  const port = await serveProbes(probed, listen, signal);
  log("The controller serves its probes", { port, identity, mode, cilium: config.cilium?.mode });
  const checking = needs.check(signal);
  const surroundings = { plat, api, waits, metrics, log };
  let cilium: CiliumNodes | undefined;
  if (config.cilium) {
    const { everySeconds, ...parameters } = config.cilium;
    cilium = new CiliumNodes({ ...surroundings, parameters, everyMs: 1000 * everySeconds });
  }
  const clusterApi = config.clusterApi ? new ClusterApi(surroundings) : undefined;
  const pods = config.pods.end ? new Pods(surroundings) : undefined;
  let nodes: Nodes | undefined;
  let leases: Leases | undefined;
  let lifecycle: Lifecycle | undefined;
  const others: Part[] = [];
  const kinds = [
    ...(config.calico ? CALICO_KINDS : []),
    ...(config.spiderpool ? SPIDERPOOL_KINDS : []),
    ...(config.namespaces ? [NAMESPACE_KIND] : []),
    ...(config.applications ? APPLICATION_KINDS : []),
  ];
  const needsCluster = mode !== "off" || config.calico || config.spiderpool;
  const cluster = needsCluster
    ? await clusterOf(config, api, { waits, log, signal })
    : config.cluster;
  if (cluster === undefined) return;
  const { deletePools: deletesPools } = config;
  for (const kind of kinds)
    others.push(new Declared({ ...surroundings, cluster, kind, deletesPools }));
  const { collect, collectSeconds } = config.pods;
  if (collect !== "off")
    others.push(new LostPods({ ...surroundings, mode: collect, everyMs: 1000 * collectSeconds }));
  if (mode !== "off") {
    leases = switches.leases ? new Leases({ ...surroundings, cluster }) : undefined;
    lifecycle = switches.lifecycle
      ? new Lifecycle({
          ...surroundings,
          nodes: () => nodes?.reflector.objects ?? new Map(),
          renewedAt: (name) => leases?.renewedAt(name),
        })
      : undefined;
    nodes = new Nodes({
      ...surroundings,
      cluster,
      mode,
      lifecycle,
      // In this mode a Node and its CiliumNode have the same prefixes, and either can state them.
      mayAsk: () => config.cilium?.mode !== "cluster-pool" || cilium?.isOpen === true,
      completeMs: 1000 * config.nodes.completeSeconds,
    });
  }
  parts = { nodes, leases, cilium, clusterApi, pods, others };
  const following = [
    nodes?.reflector.run(signal),
    leases?.reflector.run(signal),
    cilium?.reflector.run(signal),
    clusterApi?.follow(signal),
    pods?.follow(signal),
    ...others.map((part) => part.follow(signal)),
  ];
  metrics.set("plat_controller_leader", 0);
  const measuring = nodes && measure(nodes, metrics, waits, signal);
  const lease = { namespace: pod.namespace, name: LEASE, identity };
  await whileLeading(api, lease, waits, signal, async (leading) => {
    log("This replica leads");
    metrics.set("plat_controller_leader", 1);
    const working = [nodes, lifecycle, leases, cilium, clusterApi, pods, ...others];
    await Promise.all(working.map((part) => part?.run(leading)));
  });
  await Promise.all([...following, checking, measuring]);
}

/** The parts of a controller that are on. */
interface Parts {
  readonly nodes: Nodes | undefined;
  readonly leases: Leases | undefined;
  readonly cilium: CiliumNodes | undefined;
  readonly clusterApi: ClusterApi | undefined;
  readonly pods: Pods | undefined;
  readonly others: readonly Part[];
}

/** Returns the parts that hear the API server. Another part may wait for its CRD, so that of the Nodes counts if it is on. */
const hearingOf = ({ nodes, pods, clusterApi, others }: Parts) =>
  nodes ? [nodes.reflector] : [pods, clusterApi, ...others];

/** A part that follows a collection of its own. */
interface Part {
  /** The objects that it follows, for the readiness. */
  readonly what: string;
  readonly isListed: boolean;
  readonly heardAtMs: number | undefined;
  readonly follow: (signal: AbortSignal) => Promise<void>;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Returns what is not listed yet, in words. */
function unlistedOf({ nodes, leases, cilium, clusterApi, pods, others }: Parts): readonly string[] {
  const unlisted = [
    nodes?.reflector.isListed === false && "Nodes",
    leases?.reflector.isListed === false && "Leases",
    cilium?.reflector.isListed === false && "CiliumNodes",
    clusterApi?.isListed === false && "IPAddressClaims and their pools",
    pods?.isListed === false && "Pods",
    ...others.map(({ isListed, what }) => !isListed && what),
  ];
  return unlisted.flatMap((what) => (what ? [`the ${what} are not listed yet`] : []));
}

/** Counts the nodes without a podCIDR again and again, until the signal ends it. */
async function measure(
  nodes: Nodes,
  metrics: Metrics,
  waits: Waits,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    metrics.set("plat_controller_nodes_without_cidr", nodes.withoutCidr);
    await waits.sleep(MEASURE_AGAIN_MS, signal);
  }
}

/** Returns the name of the cluster for Plat; nothing if the signal came first. */
async function clusterOf(
  { cluster }: Config,
  api: KubeApi,
  { waits, log, signal }: Pick<ControllerWorld, "waits" | "log"> & { readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (cluster !== "auto") return cluster;
  while (!signal.aborted)
    try {
      return (await readClusterNamespace(api, signal)).metadata.uid;
    } catch (error) {
      log("The uid of the cluster could not be read", { error: String(error) });
      await waits.sleep(START_AGAIN_MS, signal);
    }
  return undefined;
}

/** Returns the client of Plat. It reads the file of a token anew for each call, because the kubelet replaces it. */
export function platOf({ plat: { tokenFile, ...options } }: Pick<Config, "plat">): PlatClient {
  if (tokenFile === undefined) return platClient(options);
  return clientWithToken(async () => (await readFile(tokenFile, "utf8")).trim(), options);
}
