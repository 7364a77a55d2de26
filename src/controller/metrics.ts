/** The metrics of the controller with their kinds and their help. */
const METRICS = {
  plat_controller_leader: ["gauge", "1 in the replica that acts"],
  plat_controller_queue_depth: ["gauge", "Nodes that wait for their event"],
  plat_controller_nodes_without_cidr: ["gauge", "Nodes without a podCIDR"],
  plat_controller_missing_nodes: ["gauge", "Nodes that Plat knows and the last list lacked"],
  plat_controller_plat_requests_total: ["counter", "Requests to Plat, by their outcome"],
  plat_controller_results_total: ["counter", "Results of events, by status and code"],
  plat_controller_patches_total: ["counter", "Patches of Nodes, by the status of the answer"],
  plat_controller_watch_failures_total: ["counter", "Lists and watches that failed, by reason"],
  plat_controller_lists_total: ["counter", "Complete lists of the Nodes"],
} as const;

type Name = keyof typeof METRICS;
type LabelsOf = Readonly<Record<string, string | number>>;

/** The metrics of one process, as Prometheus reads them. */
export class Metrics {
  readonly #values = new Map<Name, Map<string, number>>();

  set(name: Name, value: number): void {
    this.#of(name).set("", value);
  }

  add(name: Name, labels: LabelsOf = {}): void {
    const of = this.#of(name);
    const key = Object.entries(labels)
      .map(([label, value]) => `${label}=${JSON.stringify(String(value))}`)
      .join(",");
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
