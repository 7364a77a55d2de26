import { readFile } from "node:fs/promises";
import { clientOver, type PlatClient, path, platClient } from "../client/index.ts";
import { CiliumNodes } from "./cilium.ts";
import type { Config } from "./config.ts";
import { serveProbes } from "./health.ts";
import { type KubeApi, kubeApi, type PodIdentity } from "./kube/api.ts";
import { whileLeading } from "./kube/lease.ts";
import type { Waits } from "./kube/waits.ts";
import { Metrics } from "./metrics.ts";
import { Nodes } from "./nodes.ts";
import { CLUSTER_NAMESPACE, LEASE, missingRights, rightsOf, wordsOf } from "./rights.ts";

/** A cluster that is silent for so long is one that the reflector does not hear any more. */
const SILENCE_MS_MAX = 10 * 60_000;
const RIGHTS_AGAIN_MS = 10_000;
const START_AGAIN_MS = 2_000;

/** The surroundings of the controller. */
export interface World {
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
  { pod, identity, listen, waits, log }: World,
  signal: AbortSignal,
): Promise<void> {
  const api = kubeApi(pod);
  const plat = platOf(config);
  const metrics = new Metrics();
  const mode = config.nodes.podCIDRs;
  const rights = rightsOf({ nodes: mode, cilium: config.cilium !== undefined }, pod.namespace);
  const state = { denied: ["the rights were not checked yet"], isPlatReady: false };
  let following: { readonly nodes: Nodes; readonly cilium: CiliumNodes | undefined } | undefined;
  const probed = {
    metrics,
    unready: () => [
      ...state.denied,
      ...(state.isPlatReady ? [] : ["Plat has not answered yet"]),
      ...(following?.nodes.reflector.isListed ? [] : ["the Nodes are not listed yet"]),
      ...(following?.cilium?.reflector.isListed === false
        ? ["the CiliumNodes are not listed yet"]
        : []),
    ],
    unhealthy: () =>
      // Without its CRD a collection is never heard, so only that of the Nodes counts.
      following && waits.now() - following.nodes.reflector.heardAtMs > SILENCE_MS_MAX
        ? [`the API server was not heard for ${SILENCE_MS_MAX / 60_000} minutes`]
        : [],
  };
  const port = await serveProbes(probed, listen, signal);
  log("The controller serves its probes", { port, identity, mode, cilium: config.cilium?.mode });
  const checking = untilEnd(signal, waits, RIGHTS_AGAIN_MS, async () => {
    const denied = await missingRights(api, rights, signal);
    state.denied = denied.map((right) => `the right is missing: ${wordsOf(right)}`);
    if (!state.isPlatReady) await plat.call({ method: "GET", path: path`/readyz` });
    state.isPlatReady = true;
  });
  const cluster = await clusterOf(config, api, { waits, log, signal });
  if (cluster === undefined) return;
  const completeMs = 1000 * config.nodes.completeSeconds;
  const cilium =
    config.cilium &&
    new CiliumNodes({
      ...{ plat, api, mode: config.cilium.mode, waits, metrics, log },
      everyMs: 1000 * config.cilium.everySeconds,
    });
  // In this mode a Node and its CiliumNode have the same prefixes, and either can state them.
  const mayAsk = () => config.cilium?.mode !== "cluster-pool" || cilium?.isOpen === true;
  const nodes = new Nodes({ plat, api, cluster, mode, mayAsk, completeMs, waits, metrics, log });
  following = { nodes, cilium };
  const reflecting = [nodes, cilium].map((each) => each?.reflector.run(signal));
  metrics.set("plat_controller_leader", 0);
  const measuring = untilEnd(signal, waits, RIGHTS_AGAIN_MS, async () =>
    metrics.set("plat_controller_nodes_without_cidr", nodes.withoutCidr),
  );
  const lease = { namespace: pod.namespace, name: LEASE, identity };
  await whileLeading(api, lease, waits, signal, async (leading) => {
    log("This replica leads", { cluster });
    metrics.set("plat_controller_leader", 1);
    await Promise.all([nodes.run(leading), cilium?.run(leading)]);
  });
  await Promise.all([...reflecting, checking, measuring]);
}

/** Repeats an act with a pause, until the signal ends it. A failure is tried again after the same pause. */
async function untilEnd(
  signal: AbortSignal,
  waits: Waits,
  pauseMs: number,
  act: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await act().catch(() => undefined);
    await waits.sleep(pauseMs, signal);
  }
}

/** Returns the name of the cluster for Plat; nothing if the signal came first. */
async function clusterOf(
  { cluster }: Config,
  api: KubeApi,
  { waits, log, signal }: Pick<World, "waits" | "log"> & { readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (cluster !== "auto") return cluster;
  const request = { path: `/api/v1/namespaces/${CLUSTER_NAMESPACE}` };
  while (!signal.aborted)
    try {
      const { metadata } = await api.send<{ metadata: { uid: string } }>(request, signal);
      return metadata.uid;
    } catch (error) {
      log("The uid of the cluster could not be read", { error: String(error) });
      await waits.sleep(START_AGAIN_MS, signal);
    }
  return undefined;
}

/** Returns the client of Plat. It reads the file of a token anew for each call, because the kubelet replaces it. */
function platOf({ plat: { tokenFile, ...options } }: Config): PlatClient {
  if (tokenFile === undefined) return platClient(options);
  const { space } = platClient(options);
  return clientOver(async (request) => {
    const token = (await readFile(tokenFile, "utf8")).trim();
    return platClient({ ...options, token }).call(request);
  }, space);
}
