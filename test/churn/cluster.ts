import { type Random, randomBelow } from "../../src/kernel/values/fresh.ts";
import { nodeEvent, podEvent, ready } from "../node-objects.ts";

/** A Node object as the API server has it. */
export interface ClusterNode {
  readonly name: string;
  readonly uid: string;
  readonly created: string;
  version: number;
  labels: Readonly<Record<string, string>>;
  isReady: boolean;
  isCordoned: boolean;
  podCIDRs: readonly string[];
}

/** A pod that runs, with the address that its host received for it. */
export interface ClusterPod {
  readonly uid: string;
  readonly node: string;
  readonly address: string;
}

/**
 * A Kubernetes cluster, which is the truth: its objects as they are now, and every event in the order in which it happened. Each
 * change of an object raises the resourceVersion of the cluster.
 */
export class Cluster {
  readonly nodes = new Map<string, ClusterNode>();
  readonly pods = new Map<string, ClusterPod>();
  readonly #random: Random;
  readonly #now: () => number;
  readonly #tell: (event: object) => void;
  #version = 1_000;
  #created = 0;

  constructor(random: Random, now: () => number, tell: (event: object) => void) {
    this.#random = random;
    this.#now = now;
    this.#tell = tell;
  }

  /** Creates a node, under a name of its own unless one is given. It has no podCIDRs yet. */
  join(name = `node-${this.#created}`): ClusterNode {
    const node: ClusterNode = {
      name,
      uid: `uid-${this.#created++}`,
      created: `${new Date(this.#now()).toISOString().slice(0, 19)}Z`,
      version: ++this.#version,
      labels: { "topology.kubernetes.io/zone": `zone-${randomBelow(3, this.#random)}` },
      isReady: true,
      isCordoned: false,
      podCIDRs: [],
    };
    this.nodes.set(name, node);
    this.#say("ADDED", node);
    return node;
  }

  relabel(node: ClusterNode): void {
    const pools = ["blue", "green"];
    this.#change(node, {
      labels: { ...node.labels, pool: pools[randomBelow(2, this.#random)] as string },
    });
  }

  cordon(node: ClusterNode): void {
    this.#change(node, { isCordoned: !node.isCordoned });
  }

  /** The kubelet stops to report, or reports again. */
  flap(node: ClusterNode): void {
    this.#change(node, { isReady: !node.isReady });
  }

  /**
   * Writes the podCIDRs that a node should have, as a controller patches them. The API server refuses the patch if the name has
   * another Node object by now.
   */
  patch(name: string, uid: string, podCIDRs: readonly string[]): void {
    const node = this.nodes.get(name);
    if (node?.uid === uid && node.podCIDRs.length === 0) this.#change(node, { podCIDRs });
  }

  /** Deletes a node with its pods, whose events come, and creates another under its name at once. */
  replace(node: ClusterNode): ClusterNode {
    this.delete(node, true);
    return this.join(node.name);
  }

  /** Deletes a node with its pods. If they end silently, nobody hears of them, and nobody uses the name again. */
  delete(node: ClusterNode, tellsPods: boolean): void {
    this.nodes.delete(node.name);
    node.version = ++this.#version;
    this.#say("DELETED", node);
    for (const pod of [...this.pods.values()].filter((each) => each.node === node.name))
      this.end(pod, tellsPods);
  }

  run(pod: ClusterPod): void {
    this.pods.set(pod.uid, pod);
  }

  end(pod: ClusterPod, isTold = true): void {
    this.pods.delete(pod.uid);
    if (!isTold) return;
    const phase = this.#random.fraction() < 0.5 ? "Succeeded" : "Running";
    this.#tell(podEvent(phase === "Succeeded" ? "MODIFIED" : "DELETED", pod.uid, phase));
  }

  #change(node: ClusterNode, change: Partial<ClusterNode>): void {
    Object.assign(node, change, { version: ++this.#version });
    this.#say("MODIFIED", node);
  }

  #say(type: string, node: ClusterNode): void {
    const { uid, version, created, labels, isReady, isCordoned, podCIDRs } = node;
    const heardAt = new Date(this.#now()).toISOString();
    const [podCIDR] = podCIDRs;
    this.#tell(
      nodeEvent(type, node.name, {
        uid,
        version,
        created,
        labels,
        spec: {
          ...(podCIDR && { podCIDR, podCIDRs }),
          ...(isCordoned && { unschedulable: true }),
        },
        conditions: [ready(isReady ? "True" : "False", heardAt)],
      }),
    );
  }
}
