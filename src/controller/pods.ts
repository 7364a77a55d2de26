import { EVENTS_PER_REQUEST_MAX } from "../base/limits.ts";
import type { PlatClient } from "../client/index.ts";
import { POD_UID } from "../nouns/address/attachment.ts";
import { type KubeObject, Reflector } from "./kube/reflector.ts";
import { outcomeOf, watching } from "./metrics.ts";
import type { PartSurroundings } from "./surroundings.ts";
import { type EventResult, tell } from "./tell.ts";
import { askedMs, GATHER_MS, WorkQueue } from "./work-queue.ts";

const PATH = "/api/v1/pods";
/** The phases of a pod that is over, though its object is still there. */
const PHASES = ["Succeeded", "Failed"] as const;
/** The ends that wait for Plat. The earliest ones are forgotten. */
const ENDS_MAX = 50_000;
/** The ends that a replica keeps while another one tells them. Each is told again when it begins to lead. */
const FOLLOWED_MAX = 10_000;

/** The end of a pod, until Plat knows it. */
interface PodEnd {
  readonly type: "MODIFIED" | "DELETED";
  readonly pod: KubeObject;
  readonly phase?: (typeof PHASES)[number];
}

/** The surroundings of the work on pods. */
export type PodsOptions = PartSurroundings<"applyEvents" | "readConfiguration">;

/**
 * Tells Plat which pods are over, so that it releases what they had: those that are deleted, and those that have succeeded
 * or failed. It reads the metadata of pods alone, and writes nothing into the cluster.
 */
export class Pods {
  readonly #options: PodsOptions;
  readonly #queue: WorkQueue;
  readonly #reflectors: readonly Reflector<KubeObject>[];
  /** By the uid of the pod, the earliest first. */
  readonly #ends = new Map<string, PodEnd>();
  #isLeading = false;

  constructor(options: PodsOptions) {
    const { api, waits, metrics, log } = options;
    this.#options = options;
    this.#queue = new WorkQueue(waits);
    const following = {
      path: PATH,
      metadataOnly: true,
      keep: kept,
      present: () => undefined,
      gone: () => undefined,
      ...watching("pods", { metrics, log }, () => undefined),
    } as const;
    const deleted = (pod: KubeObject) => this.#isOver({ type: "DELETED", pod });
    this.#reflectors = [
      new Reflector(api, { ...following, gone: deleted }, waits),
      ...PHASES.map((phase) => {
        const present = (pod: KubeObject) => this.#isOver({ type: "MODIFIED", pod, phase });
        const fieldSelector = `status.phase=${phase}`;
        return new Reflector(api, { ...following, fieldSelector, present }, waits);
      }),
    ];
  }

  /** True once all pods are listed. */
  get isListed(): boolean {
    return this.#reflectors.every(({ isListed }) => isListed);
  }

  /** The time at which the API server was last heard. */
  get heardAtMs(): number {
    return Math.max(...this.#reflectors.map(({ heardAtMs }) => heardAtMs));
  }

  /** Follows the pods until the signal ends it. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#reflectors.map((each) => each.run(signal)));
  }

  /** Works until the signal ends it, beside `follow`. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits } = this.#options;
    this.#isLeading = true;
    for (const uid of this.#ends.keys()) this.#queue.add(uid, waits.now());
    await this.#checkIndex();
    while (!signal.aborted) {
      const uids = this.#queue.take(waits.now(), EVENTS_PER_REQUEST_MAX, () => true);
      const ends = uids.flatMap((uid) => this.#ends.get(uid) ?? []);
      if (ends.length > 0) await this.#send(ends);
      else await this.#queue.wait(this.#queue.nextDueAtMs, signal);
    }
  }

  #isOver(end: PodEnd): void {
    const { uid } = end.pod.metadata;
    this.#ends.delete(uid);
    this.#ends.set(uid, end);
    const [earliest] = this.#ends.keys();
    const most = this.#isLeading ? ENDS_MAX : FOLLOWED_MAX;
    if (earliest !== undefined && this.#ends.size > most) this.#ends.delete(earliest);
    if (!this.#isLeading) return;
    this.#queue.add(uid, this.#options.waits.now() + GATHER_MS);
    this.#queue.wake();
  }

  async #send(ends: readonly PodEnd[]): Promise<void> {
    const { plat, metrics, log, waits } = this.#options;
    const events = ends.map(({ type, pod: { metadata }, phase }) => ({
      type,
      object: { apiVersion: "v1", kind: "Pod", metadata, ...(phase && { status: { phase } }) },
    }));
    let results: readonly EventResult[];
    try {
      results = await tell(plat, { events });
      metrics.add("plat_controller_plat_requests_total", { outcome: "answered" });
    } catch (error) {
      metrics.add("plat_controller_plat_requests_total", { outcome: outcomeOf(error) });
      log("Plat did not take the ends of pods", { pods: ends.length, error: String(error) });
      for (const { pod } of ends) this.#queue.retry(pod.metadata.uid, waits.now(), askedMs(error));
      return;
    }
    for (const [index, end] of ends.entries()) {
      const { status = "failed", code, detail } = results[index] ?? {};
      const { uid, name, namespace } = end.pod.metadata;
      metrics.add("plat_controller_results_total", { status, ...(code && { code }) });
      if (status === "failed") {
        this.#queue.retry(uid, waits.now());
        continue;
      }
      this.#queue.succeeded(uid);
      if (status === "rejected") log("Plat rejected the end of a pod", { namespace, name, detail });
      if (this.#ends.get(uid) === end) this.#ends.delete(uid);
    }
  }

  /** Says in the log if Plat cannot find what pods have by their uid. */
  async #checkIndex(): Promise<void> {
    const { plat, log } = this.#options;
    try {
      if (!(await indexesPods(plat)))
        log(`The space does not index ${POD_UID}, so the end of a pod releases its handle alone`);
    } catch (error) {
      log("The configuration of the space could not be read", { error: String(error) });
    }
  }
}

/** The uid of a static pod, by which its kubelet and CNI know it. In the cluster its mirror has another one. */
export const STATIC_UID = "kubernetes.io/config.hash";

/** The metadata of a pod, as far as they say which pod it is. */
export interface PodObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Returns the uids under which a pod may have addresses. */
export const uidsOf = ({ metadata: { uid, annotations } }: PodObject): readonly string[] => {
  const ofKubelet = annotations?.[STATIC_UID];
  return ofKubelet === undefined ? [uid] : [uid, ofKubelet];
};

/** Returns true if the space finds what a pod has by its uid. */
export async function indexesPods(plat: Pick<PlatClient, "readConfiguration">): Promise<boolean> {
  return (await plat.readConfiguration()).body.indexedAttributes.includes(POD_UID);
}

/** Returns what is kept of a pod: its names. A cluster can have 150,000. */
function kept({ metadata: { name, namespace, uid, resourceVersion } }: KubeObject): KubeObject {
  return {
    metadata: { name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) },
  };
}
