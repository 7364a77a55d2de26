import { ApiError } from "../client/index.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { type Taint, taintsAfter } from "../nouns/node/node-health.ts";
import { KubeError } from "./kube/api.ts";
import { outcomeOf } from "./metrics.ts";
import { heartbeatOf, type NodeObject } from "./nodes.ts";
import type { PartSurroundings } from "./surroundings.ts";

const PATH = "/api/v1/nodes";
const REQUESTS_AT_ONCE = 8;
/** Nodes that Plat is asked about in one look. The others wait for the next one. */
const NODES_PER_LOOK = 256;
/** The settings of the space are read again after this time, and so is a node that is still silent. */
const ASK_AGAIN_MS = 60_000;
/** The shortest time between two looks at all nodes. */
const LOOK_AGAIN_MS = 2_000;
const NOT_FOUND = 404;
const CONFLICT = 409;
const THROTTLED = 429;

/** The surroundings of the search for silent nodes. */
export interface LifecycleOptions extends PartSurroundings<"readNode" | "readConfiguration"> {
  /** Returns the Nodes by their names. */
  readonly nodes: () => ReadonlyMap<string, NodeObject>;
  /** Returns when the Lease of a node was renewed last; nothing where Leases are not followed. */
  readonly renewedAt: (name: string) => string | undefined;
}

/** The last sign of life of a node, and what follows from it. */
interface Watched {
  /** The heartbeat and the renewal of the Lease, as one text. */
  readonly sign: string;
  /** The time at which this sign was first seen, by the own clock. */
  readonly sinceMs: number;
  readonly askedAtMs: number;
  /** The heartbeat at which the node was silent; nothing for a node that is not. */
  readonly silentAt: string | undefined;
}

/**
 * Writes the taints of silent Nodes, which say nothing themselves. It asks Plat about each Node whose heartbeat and Lease
 * have not changed for the grace period of the space, and Plat decides. A Node that speaks gets its taints by its event.
 */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  readonly #watched = new Map<string, Watched>();
  /** The time for which a node may be silent: 0 if silence is not judged, and nothing before it is known. */
  #graceMs: number | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** Returns true for a Node that has not said anything since it was found to be silent. */
  readonly isSilent = (node: NodeObject): boolean => {
    if (this.#graceMs === 0) return false;
    const { silentAt } = this.#watched.get(node.metadata.name) ?? firstSeen(node);
    return silentAt === heartbeatOf(node);
  };

  /** Works until the signal ends it. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits, metrics } = this.#options;
    for (let readAtMs = -Infinity; !signal.aborted; ) {
      if (waits.now() - readAtMs >= ASK_AGAIN_MS) {
        readAtMs = waits.now();
        await this.#readGrace();
      }
      const graceMs = this.#graceMs ?? 0;
      const due = graceMs > 0 ? this.#look(graceMs) : [];
      await inParallel(due, REQUESTS_AT_ONCE, (node) => this.#ask(node));
      const silent = [...this.#watched.values()].filter(({ silentAt }) => silentAt !== undefined);
      metrics.set("plat_controller_silent_nodes", silent.length);
      const pauseMs = graceMs > 0 ? Math.max(graceMs / 4, LOOK_AGAIN_MS) : ASK_AGAIN_MS;
      await waits.sleep(Math.min(pauseMs, ASK_AGAIN_MS), signal);
    }
  }

  async #readGrace(): Promise<void> {
    const { plat, log } = this.#options;
    try {
      this.#graceMs = 1000 * (await plat.readConfiguration()).body.nodeMonitorGraceSeconds;
    } catch (error) {
      log("The configuration of the space could not be read", { error: String(error) });
    }
  }

  /** Notes the signs of all Nodes. Returns those about which Plat is to be asked. */
  #look(graceMs: number): readonly NodeObject[] {
    const { nodes, renewedAt, waits } = this.#options;
    const nowMs = waits.now();
    for (const name of this.#watched.keys()) if (!nodes().has(name)) this.#watched.delete(name);
    const due = [...nodes()].flatMap(([name, node]) => {
      const sign = `${node.metadata.uid} ${heartbeatOf(node)} ${renewedAt(name) ?? ""}`;
      const before = this.#watched.get(name) ?? { ...firstSeen(node), sign: undefined };
      const hasSpoken = before.sign !== sign;
      const { silentAt } = before;
      const watched = hasSpoken ? { sign, sinceMs: nowMs, askedAtMs: -Infinity, silentAt } : before;
      this.#watched.set(name, watched);
      // One that was silent is asked about at its first sign, too.
      const isSuspect = nowMs - watched.sinceMs > graceMs || (hasSpoken && silentAt !== undefined);
      return isSuspect && nowMs - watched.askedAtMs >= ASK_AGAIN_MS ? [node] : [];
    });
    return due.slice(0, NODES_PER_LOOK);
  }

  /** Asks Plat about a Node, and writes the taints that it should have. */
  async #ask(node: NodeObject): Promise<void> {
    const { plat, metrics, log, waits } = this.#options;
    const { name, uid } = node.metadata;
    const watched = this.#watched.get(name);
    if (!watched) return;
    try {
      const { status } = (await plat.readNode({ node: name })).body;
      metrics.add("plat_controller_plat_requests_total", { outcome: "answered" });
      const askedAtMs = waits.now();
      if (status?.uid !== uid) return void this.#watched.set(name, { ...watched, askedAtMs });
      const silentAt = isUnreachable(status.taints) ? heartbeatOf(node) : undefined;
      this.#watched.set(name, { ...watched, askedAtMs, silentAt });
      const taints = taintsAfter(node.spec?.taints ?? [], status.taints);
      if (taints) await this.#write(node, taints);
    } catch (error) {
      metrics.add("plat_controller_plat_requests_total", { outcome: outcomeOf(error) });
      // Others wait to be asked about.
      this.#watched.set(name, { ...watched, askedAtMs: waits.now() });
      if (error instanceof ApiError && error.code === "not_found") return;
      log("The health of a Node could not be read", { node: name, error: String(error) });
    }
  }

  async #write(node: NodeObject, taints: readonly object[]): Promise<void> {
    const { api, metrics, log } = this.#options;
    const { name, uid, resourceVersion } = node.metadata;
    const body = { metadata: { uid, resourceVersion }, spec: { taints } };
    let status = 200;
    try {
      await api.send({ method: "PATCH", path: `${PATH}/${name}`, body });
    } catch (error) {
      status = error instanceof KubeError ? error.status : 0;
      // The Node as it is then is looked at anew. What the API server refuses, it refuses again.
      const isRefused = status >= 400 && status < 500 && ![CONFLICT, THROTTLED].includes(status);
      const watched = this.#watched.get(name);
      if (watched && !isRefused) this.#watched.set(name, { ...watched, askedAtMs: -Infinity });
      if (status !== NOT_FOUND && status !== CONFLICT)
        log("The Node could not be patched", { node: name, error: String(error) });
    }
    metrics.add("plat_controller_patches_total", { resource: "nodes", status });
  }
}

const isUnreachable = (taints: readonly Pick<Taint, "key">[]): boolean =>
  taints.some(({ key }) => key === "node.kubernetes.io/unreachable");

/** Returns what is known of a Node that was not watched before. Another replica may have found it to be silent. */
const firstSeen = (node: NodeObject) => ({
  silentAt: isUnreachable(node.spec?.taints ?? []) ? heartbeatOf(node) : undefined,
});
