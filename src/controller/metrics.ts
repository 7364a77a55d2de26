import { ApiError } from "../client/index.ts";
import { KubeError } from "./kube/api.ts";

/** The metrics of the controller with their kinds and their help. */
const METRICS = {
  plat_controller_leader: ["gauge", "1 in the replica that acts"],
  plat_controller_queue_depth: ["gauge", "Nodes that wait for their event"],
  plat_controller_nodes_without_cidr: ["gauge", "Nodes without a podCIDR"],
  plat_controller_missing_nodes: ["gauge", "Nodes that Plat knows and the last list lacked"],
  plat_controller_oversized_list: ["gauge", "1 while the list of Nodes is too large to be sent"],
  plat_controller_missing_pods: ["gauge", "Pods that have addresses and the last list lacked"],
  plat_controller_silent_nodes: ["gauge", "Nodes that Plat has found to be silent"],
  plat_controller_refused_manifests: ["gauge", "Manifests that Plat does not follow, by kind"],
  plat_controller_plat_requests_total: ["counter", "Requests to Plat, by their outcome"],
  plat_controller_results_total: ["counter", "Results of events, by status and code"],
  plat_controller_patches_total: [
    "counter",
    "Patches of objects, by their resource and the status of the answer",
  ],
  plat_controller_watch_failures_total: [
    "counter",
    "Lists and watches that failed, by resource and reason",
  ],
  plat_controller_cni_commands_total: [
    "counter",
    "Commands of the CNI plugin, by the code of the error, which is 0 for a result",
  ],
  plat_controller_lists_total: ["counter", "Complete lists from the API server, by resource"],
} as const;

type Name = keyof typeof METRICS;
type LabelsOf = Readonly<Record<string, string | number>>;

/** The metrics of one process, as Prometheus reads them. */
export class Metrics {
  readonly #values = new Map<Name, Map<string, number>>();

  set(name: Name, value: number, labels: LabelsOf = {}): void {
    this.#of(name).set(keyOf(labels), value);
  }

  add(name: Name, labels: LabelsOf = {}): void {
    const of = this.#of(name);
    const key = keyOf(labels);
    of.set(key, (of.get(key) ?? 0) + 1);
  }

  /** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
  text(): string {
    return [...this.#values]
      .flatMap(([name, values]) => [
        `# HELP ${name} ${METRICS[name][1]}`,
        `# TYPE ${name} ${METRICS[name][0]}`,
        ...[...values].map(([labels, value]) => `${name}${labels && `{${labels}}`} ${value}`),
      ])
      .map((line) => `${line}\n`)
      .join("");
  }

  #of(name: Name): Map<string, number> {
    const of = this.#values.get(name) ?? new Map<string, number>();
    this.#values.set(name, of);
    return of;
  }
}

const keyOf = (labels: LabelsOf): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(String(value))}`)
    .join(",");

/** Returns the outcome of a request to Plat that failed: the code of the answer, or the kind of the error. */
export const outcomeOf = (error: unknown): string =>
  error instanceof ApiError ? error.code : (error as Error).name;

/** Returns what a reflector tells of its lists and failures: it counts and logs them. @param listed called after each list */
export const watching = (
  resource: string,
  {
    metrics,
    log,
  }: {
    readonly metrics: Metrics;
    readonly log: (message: string, about?: Readonly<Record<string, unknown>>) => void;
  },
  listed: () => void,
) => ({
  listed: () => {
    metrics.add("plat_controller_lists_total", { resource });
    listed();
  },
  failed: (error: unknown) => {
    const reason = error instanceof KubeError ? error.reason || String(error.status) : "connection";
    metrics.add("plat_controller_watch_failures_total", { resource, reason });
    log("A watch failed", { resource, error: String(error) });
  },
});
