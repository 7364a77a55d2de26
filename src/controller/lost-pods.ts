import { EVENTS_PER_REQUEST_MAX } from "../base/limits.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { POD_UID } from "../nouns/address/attachment.ts";
import { KubeError } from "./kube/api.ts";
import { readClusterNamespace } from "./kube/cluster-namespace.ts";
import { type ListPage, OBJECTS_PER_PAGE } from "./kube/reflector.ts";
import { Reporter } from "./kube/reporter.ts";
import { outcomeOf } from "./metrics.ts";
import { indexesPods, type PodObject, uidsOf } from "./pods.ts";
import type { PartSurroundings } from "./surroundings.ts";

const PODS = "/api/v1/pods";
/** The brake: so many missing pods, and such a share of those that have addresses, look like a wrong list. */
const MISSING_MIN = 10;
const MISSING_PERCENT_MAX = 20;
const LOOKS_AT_ONCE = 8;
/** The pods that a line of the log names. */
const NAMES_TOLD_MAX = 10;
const NOT_FOUND = 404;
/** The names of namespaces and pods. Attributes of addresses can have any text. */
const NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** The ways of the collection. `report` releases nothing. */
export const COLLECT_MODES = ["report", "release"] as const;
export type CollectMode = (typeof COLLECT_MODES)[number];

/** A pod that has addresses in Plat, as their attributes name it. */
interface Holder {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** The surroundings of the collection. */
export interface LostPodsOptions
  extends PartSurroundings<"pages" | "applyEvents" | "readConfiguration"> {
  readonly mode: CollectMode;
  /** The time between two looks. A pod is lost if both lack it. */
  readonly everyMs: number;
}

/**
 * Finds the addresses whose pod is gone, though nobody reported its end: it compares the attribute `podUid` of all assigned
 * addresses with a complete list of pods. A pod is lost if two looks lack it, and the API server does not have it by its name
 * either. With too many missing pods at once it does nothing, because then the list may be wrong.
 */
export class LostPods {
  /** It lists the pods itself, so nothing waits for it. */
  readonly what = "Pods";
  readonly isListed = true;
  readonly heardAtMs = undefined;
  readonly #options: LostPodsOptions;
  readonly #reporter: Reporter;
  /** The pods that the last look lacked, by their uid, and when a look first lacked them. */
  #missing = new Map<string, number>();

  constructor(options: LostPodsOptions) {
    this.#options = options;
    const { api, waits } = options;
    this.#reporter = new Reporter(api, waits, { apiVersion: "v1", kind: "Namespace" });
  }

  async follow(): Promise<void> {
    // A list is read when it is needed: pods are many, and their changes say nothing here.
  }

  /** Works until the signal ends it. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits, log, everyMs } = this.#options;
    this.#missing.clear();
    while (!signal.aborted) {
      await this.#look(signal).catch((error: unknown) =>
        log("The pods were not compared with their addresses", { error: String(error) }),
      );
      await waits.sleep(everyMs, signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { waits, metrics, log, mode, everyMs } = this.#options;
    // A pod is there before it has an address, so a list that is read later has it.
    const holders = await this.#holders();
    const uids = await this.#uids(signal);
    const nowMs = waits.now();
    const missing = holders.filter(({ uid }) => !uids.has(uid));
    metrics.set("plat_controller_missing_pods", missing.length);
    const isMany =
      missing.length >= MISSING_MIN && 100 * missing.length > MISSING_PERCENT_MAX * holders.length;
    if (isMany || (uids.size === 0 && missing.length > 0)) {
      this.#missing.clear();
      await this.#brake(missing.length, holders.length, signal);
      return;
    }
    const since = (uid: string) => this.#missing.get(uid) ?? nowMs;
    this.#missing = new Map(missing.map(({ uid }) => [uid, since(uid)]));
    const twice = missing.filter(({ uid }) => nowMs - since(uid) >= everyMs);
    const looks = await inParallel(twice, LOOKS_AT_ONCE, (holder) => this.#isGone(holder, signal));
    const lost = twice.filter((_, index) => looks[index]);
    if (lost.length === 0) return;
    const names = lost
      .slice(0, NAMES_TOLD_MAX)
      .map(({ namespace, name }) => `${namespace}/${name}`);
    log("Pods that are gone have addresses", { count: lost.length, pods: names, mode });
    if (mode === "release") await this.#end(lost);
  }

  /** Returns the pods that have assigned addresses. */
  async #holders(): Promise<readonly Holder[]> {
    const holders = new Map<string, Holder>();
    for await (const { addresses } of this.#options.plat.pages.listAddresses({ state: "assigned" }))
      for (const {
        attributes: { [POD_UID]: uid, namespace = "", pod: name = "" } = {},
      } of addresses)
        if (uid !== undefined) holders.set(uid, { uid, namespace, name });
    return [...holders.values()];
  }

  /** Returns the uids of all pods of the cluster, those of static pods included. */
  async #uids(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const uids = new Set<string>();
    for (let from: string | undefined = ""; from !== undefined; ) {
      const query = { limit: String(OBJECTS_PER_PAGE), ...(from && { continue: from }) };
      const request = { path: PODS, query, metadataOnly: true };
      const page: ListPage<PodObject> = await this.#options.api.send(request, signal);
      for (const uid of (page.items ?? []).flatMap(uidsOf)) uids.add(uid);
      from = page.metadata.continue || undefined;
    }
    return uids;
  }

  /** Returns true if the API server has no pod of this name and uid. One that nobody can look up is not gone. */
  async #isGone({ uid, namespace, name }: Holder, signal: AbortSignal): Promise<boolean> {
    if (!NAME.test(namespace) || !NAME.test(name)) return false;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    try {
      const pod = await this.#options.api.send<PodObject>({ path }, signal);
      return !uidsOf(pod).includes(uid);
    } catch (error) {
      if (error instanceof KubeError && error.status === NOT_FOUND) return true;
      throw error;
    }
  }

  async #brake(missing: number, holders: number, signal: AbortSignal): Promise<void> {
    const { api, log } = this.#options;
    const message = `The list of pods lacks ${missing} of ${holders} pods that have addresses. Nothing is released.`;
    log(message);
    await this.#reporter.warn(await readClusterNamespace(api, signal), "TooManyMissing", message);
  }

  /** Tells Plat that pods are over, so that it releases what they had by its rules. */
  async #end(lost: readonly Holder[]): Promise<void> {
    const { plat, metrics, log } = this.#options;
    try {
      if (!(await indexesPods(plat))) {
        log(`The space does not index ${POD_UID}, so nothing is released`);
        return;
      }
      for (let from = 0; from < lost.length; from += EVENTS_PER_REQUEST_MAX) {
        const events = lost.slice(from, from + EVENTS_PER_REQUEST_MAX).map((metadata) => ({
          type: "DELETED" as const,
          object: { apiVersion: "v1", kind: "Pod", metadata },
        }));
        const { results } = (await plat.applyEvents({ body: { events } })).body;
        metrics.add("plat_controller_plat_requests_total", { outcome: "answered" });
        // One that failed is missing at the next look too.
        for (const { status, code } of results)
          metrics.add("plat_controller_results_total", { status, ...(code && { code }) });
      }
    } catch (error) {
      metrics.add("plat_controller_plat_requests_total", { outcome: outcomeOf(error) });
      log("Plat did not take the ends of lost pods", { error: String(error) });
    }
  }
}
