import { EVENTS_PER_REQUEST_MAX } from "../base/limits.ts";
import { type KubeObject, Reflector } from "./kube/reflector.ts";
import { outcomeOf, watching } from "./metrics.ts";
import type { PartSurroundings } from "./surroundings.ts";

/** The namespace of the Leases of nodes. */
export const LEASES_NAMESPACE = "kube-node-lease";
const PATH = `/apis/coordination.k8s.io/v1/namespaces/${LEASES_NAMESPACE}/leases`;
/** The settings of the space are read again after this time. */
const ASK_AGAIN_MS = 60_000;
/** The shortest time between two rounds: that in which Plat writes one sign of life of a node. */
const ROUND_MS_MIN = 3_000;

/** The Lease that the kubelet of a node renews every ten seconds. */
interface LeaseObject extends KubeObject {
  readonly spec?: { readonly renewTime?: string };
}

/** The surroundings of the work on Leases. */
export interface LeasesOptions extends PartSurroundings<"applyEvents" | "readConfiguration"> {
  /** The name of the cluster for Plat. */
  readonly cluster: string;
}

/**
 * Tells Plat which nodes have renewed their Leases: three times in the grace period of the space, and not each time that
 * a kubelet does. Plat judges no silence without such a period, and then nothing is sent.
 */
export class Leases {
  readonly reflector: Reflector<LeaseObject>;
  readonly #options: LeasesOptions;
  /** The renewals that Plat knows, by the names of the nodes. */
  readonly #known = new Map<string, string>();
  /** The time for which a node may be silent: 0 if Plat does not judge it, and nothing before it is known. */
  #graceMs: number | undefined;

  constructor(options: LeasesOptions) {
    const { api, waits, metrics, log } = options;
    this.#options = options;
    const following = {
      path: PATH,
      keep: kept,
      present: () => undefined,
      gone: ({ metadata }: LeaseObject) => void this.#known.delete(metadata.name),
      ...watching("leases", { metrics, log }, () => undefined),
    };
    this.reflector = new Reflector(api, following, waits);
  }

  /** Returns when the Lease of a node was renewed last. */
  readonly renewedAt = (node: string): string | undefined =>
    this.reflector.objects.get(`${LEASES_NAMESPACE}/${node}`)?.spec?.renewTime;

  /** Works until the signal ends it. The reflector runs beside it. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits } = this.#options;
    while (!signal.aborted) {
      await this.#readGrace();
      const graceMs = this.#graceMs ?? 0;
      const endAtMs = waits.now() + (this.#graceMs === undefined ? ROUND_MS_MIN : ASK_AGAIN_MS);
      while (!signal.aborted && waits.now() < endAtMs) {
        if (graceMs > 0) await this.#round(signal);
        const pauseMs = graceMs > 0 ? Math.max(graceMs / 3, ROUND_MS_MIN) : ASK_AGAIN_MS;
        await waits.sleep(Math.min(pauseMs, Math.max(endAtMs - waits.now(), 0)), signal);
      }
    }
  }

  /** Reads the settings of the space. Those that were read before count while nobody can. */
  async #readGrace(): Promise<void> {
    const { plat, log } = this.#options;
    try {
      const { nodeMonitorGraceSeconds } = (await plat.readConfiguration()).body;
      if (nodeMonitorGraceSeconds === 0)
        log("The space has no nodeMonitorGraceSeconds, so Leases are of no use");
      this.#graceMs = 1000 * nodeMonitorGraceSeconds;
    } catch (error) {
      log("The configuration of the space could not be read", { error: String(error) });
    }
  }

  /** Sends the renewals that Plat does not know. */
  async #round(signal: AbortSignal): Promise<void> {
    const due = [...this.reflector.objects.values()].filter(
      ({ metadata: { name }, spec }) => spec?.renewTime && this.#known.get(name) !== spec.renewTime,
    );
    for (let at = 0; at < due.length && !signal.aborted; at += EVENTS_PER_REQUEST_MAX)
      await this.#send(due.slice(at, at + EVENTS_PER_REQUEST_MAX));
  }

  async #send(leases: readonly LeaseObject[]): Promise<void> {
    const { plat, cluster, metrics, log } = this.#options;
    const events = leases.map((lease) => ({
      type: "MODIFIED" as const,
      object: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...lease },
    }));
    try {
      const { results } = (await plat.applyEvents({ body: { cluster, events } })).body;
      metrics.add("plat_controller_plat_requests_total", { outcome: "answered" });
      for (const [index, { metadata, spec }] of leases.entries()) {
        const { status = "failed", code } = results[index] ?? {};
        metrics.add("plat_controller_results_total", { status, ...(code && { code }) });
        // The next round has a later renewal of one that failed.
        if (status !== "failed") this.#known.set(metadata.name, spec?.renewTime ?? "");
      }
    } catch (error) {
      metrics.add("plat_controller_plat_requests_total", { outcome: outcomeOf(error) });
      log("Plat did not take the renewals of Leases", {
        leases: leases.length,
        error: String(error),
      });
    }
  }
}

/** Returns what is kept of a Lease: when it was renewed. */
function kept({ metadata, spec }: LeaseObject): LeaseObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const { renewTime } = spec ?? {};
  return {
    metadata: { name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) },
    spec: { ...(renewTime !== undefined && { renewTime }) },
  };
}
