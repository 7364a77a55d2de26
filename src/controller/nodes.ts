import { BODY_BYTES_MAX, EVENTS_PER_REQUEST_MAX, NODES_PER_LIST_MAX } from "../base/limits.ts";
import { same } from "../base/same.ts";
import { isRejection } from "../client/index.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { heartbeatIn, type Taint } from "../nouns/node/node-health.ts";
import { CILIUM_ANNOTATION } from "../nouns/node/node-report.ts";
import { GoneObjects } from "./gone.ts";
import { KubeError } from "./kube/api.ts";
import { type KubeObject, Reflector } from "./kube/reflector.ts";
import { type Reason, Reporter } from "./kube/reporter.ts";
import { outcomeOf, watching } from "./metrics.ts";
import type { PartSurroundings } from "./surroundings.ts";
import { type EventResult, tell } from "./tell.ts";
import { askedMs, GATHER_MS, WorkQueue } from "./work-queue.ts";

const PATH = "/api/v1/nodes";
const PATCHES_AT_ONCE = 8;
/** The wait for another try for a node that got no prefix, unless Plat says when. */
const NO_PREFIX_MS = 60_000;
const STALE = "Plat knows a later object of this name, or a later version of it.";
/** The wait for the second list without a node, and for another try of a list that failed. */
const LIST_AGAIN_MS = 60_000;
/** Heartbeats are sent together, at the multiples of this time. */
const HEARTBEATS_MS = 10_000;
const [NOT_FOUND, CONFLICT, UNPROCESSABLE] = [404, 409, 422];

/** A Node, as far as Plat reads it. */
export interface NodeObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly creationTimestamp: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: { readonly conditions?: readonly NodeCondition[] };
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastHeartbeatTime?: string;
}

/** The ways of the controller with Nodes. `observe` writes nothing into them, and asks for no prefix. */
export const NODE_MODES = ["write", "observe"] as const;
export type NodeMode = (typeof NODE_MODES)[number];

/** The surroundings of the work on Nodes. */
export interface NodesOptions extends PartSurroundings<"applyEvents" | "completeNodes"> {
  /** The name of the cluster for Plat. */
  readonly cluster: string;
  readonly mode: NodeMode;
  /** Says which Nodes are silent, where their taints are written; absent where conditions and taints are left alone. */
  readonly lifecycle: { readonly isSilent: (node: NodeObject) => boolean } | undefined;
  /** Returns true once Plat knows the ranges that others than the Nodes state. Nodes ask for none before. */
  readonly mayAsk: () => boolean;
  /** The time between two complete lists. */
  readonly completeMs: number;
}

/** A merge patch of a Node. */
type NodeChange = NonNullable<EventResult["patch"]>;

/** The contents of a Node that Plat was told, to compare: all but the heartbeat, and the heartbeat. */
interface Print {
  readonly text: string;
  readonly heartbeat: string;
}

/** An event for Plat, and the Node that it is about. */
interface NodeSaid {
  readonly type: "MODIFIED" | "DELETED";
  readonly node: NodeObject;
}

/**
 * Gives Nodes their podCIDRs: it sends Plat an event for each change that matters, and writes what Plat answers into the
 * Node. Nodes that state a range are sent before those that ask for one, so that nobody is given a range in use. Every
 * few minutes it sends a complete list, which ends the nodes whose deletion nobody saw.
 */
export class Nodes {
  readonly reflector: Reflector<NodeObject>;
  readonly #options: NodesOptions;
  readonly #queue: WorkQueue;
  readonly #reporter: Reporter;
  /** The knowledge of Plat about each node. */
  readonly #known = new Map<string, Print>();
  readonly #gone: GoneObjects<NodeObject>;
  /** The Nodes that stated a range when the work began and that Plat has not answered; nothing before. */
  #unanswered: Set<string> | undefined;
  /** True once Nodes may ask: Plat has answered for every range that was stated when the work began. */
  #isOpen = false;
  #isLeading = false;
  #listDueAtMs: number;
  #wasOversized = false;

  constructor(options: NodesOptions) {
    const { api, waits, metrics, log } = options;
    this.#options = options;
    this.#queue = new WorkQueue(waits);
    this.#gone = new GoneObjects(waits);
    this.#reporter = new Reporter(api, waits, { apiVersion: "v1", kind: "Node" });
    this.#listDueAtMs = waits.now();
    const following = {
      path: PATH,
      keep: kept,
      present: (node: NodeObject) => this.#present(node),
      gone: (node: NodeObject) => {
        const { name } = node.metadata;
        this.#gone.add(node);
        this.#known.delete(name);
        this.#unanswered?.delete(name);
        this.#changed(name);
      },
      ...watching("nodes", { metrics, log }, () => this.#queue.wake()),
    };
    this.reflector = new Reflector(api, following, waits);
  }

  /** Works until the signal ends it. The reflector runs beside it, and may have run before. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits, metrics } = this.#options;
    const { objects } = this.reflector;
    this.#gone.lead();
    this.#isLeading = true;
    for (const name of [...objects.keys(), ...this.#gone.names]) this.#queue.add(name, waits.now());
    while (!signal.aborted) {
      metrics.set("plat_controller_queue_depth", this.#queue.size);
      if (this.reflector.isListed)
        this.#unanswered ??= new Set(
          [...objects].filter(([, node]) => rangesOf(node).length > 0).map(([name]) => name),
        );
      if (!this.#unanswered) await this.#queue.wait(Infinity, signal);
      else if (!(await this.#sendDue()) && !(await this.#sendList()))
        await this.#queue.wait(Math.min(this.#queue.nextDueAtMs, this.#listDueAtMs), signal);
    }
  }

  /** Returns the nodes that have no podCIDR. */
  get withoutCidr(): number {
    return [...this.reflector.objects.values()].filter((node) => rangesOf(node).length === 0)
      .length;
  }

  #present(node: NodeObject): void {
    const { name } = node.metadata;
    const { waits, lifecycle } = this.#options;
    const isHeartbeat = lifecycle && this.#known.get(name)?.text === this.#print(node).text;
    this.#changed(name, isHeartbeat ? HEARTBEATS_MS - (waits.now() % HEARTBEATS_MS) : GATHER_MS);
  }

  #print(node: NodeObject): Print {
    return this.#options.lifecycle
      ? { text: `${printOf(node)} ${lifePrintOf(node)}`, heartbeat: heartbeatOf(node) }
      : { text: printOf(node), heartbeat: "" };
  }

  #changed(name: string, ms = GATHER_MS): void {
    if (!this.#isLeading) return;
    this.#queue.add(name, this.#options.waits.now() + ms);
    this.#queue.wake();
  }

  /** Sends one request with what is due. Returns false if nothing is. */
  async #sendDue(): Promise<boolean> {
    const names = this.#take();
    if (names.length === 0) return false;
    const batch: NodeSaid[] = [];
    let bytes = 0;
    for (const name of names) {
      const said = this.#saidOf(name);
      const size = Buffer.byteLength(JSON.stringify(said));
      const hasRoom =
        batch.length + said.length <= EVENTS_PER_REQUEST_MAX && bytes + size < 0.9 * BODY_BYTES_MAX;
      if (batch.length > 0 && !hasRoom) this.#queue.add(name, this.#options.waits.now());
      else batch.push(...said);
      bytes += size;
    }
    if (batch.length > 0) await this.#send(batch);
    return true;
  }

  #take(): readonly string[] {
    const nowMs = this.#options.waits.now();
    const states = (name: string) => {
      const node = this.reflector.objects.get(name);
      return !node || this.#gone.has(name) || rangesOf(node).length > 0;
    };
    const stating = this.#queue.take(nowMs, EVENTS_PER_REQUEST_MAX, states);
    if (stating.length > 0) return stating;
    this.#isOpen ||= this.#unanswered?.size === 0 && this.#options.mayAsk();
    return this.#isOpen ? this.#queue.take(nowMs, EVENTS_PER_REQUEST_MAX, () => true) : [];
  }

  /** Returns what Plat does not know of a name yet, the ends first. One that asks too early waits. */
  #saidOf(name: string): readonly NodeSaid[] {
    const gone = this.#gone.of(name).map((node) => ({ type: "DELETED", node }) as const);
    const node = this.reflector.objects.get(name);
    if (!node || same(this.#known.get(name), this.#print(node))) return gone;
    if (!this.#isOpen && rangesOf(node).length === 0) return gone;
    return [...gone, { type: "MODIFIED", node }];
  }

  async #send(batch: readonly NodeSaid[]): Promise<void> {
    const { plat, cluster, mode, metrics, log, waits } = this.#options;
    const events = batch.map(({ type, node }) => ({
      type,
      object: { apiVersion: "v1", kind: "Node", ...node },
    }));
    let results: readonly EventResult[];
    try {
      results = await tell(plat, { cluster, assign: mode === "write", events });
      metrics.add("plat_controller_plat_requests_total", { outcome: "answered" });
    } catch (error) {
      metrics.add("plat_controller_plat_requests_total", { outcome: outcomeOf(error) });
      log("Plat did not take the events", { events: events.length, error: String(error) });
      for (const name of namesOf(batch)) this.#queue.retry(name, waits.now(), askedMs(error));
      return;
    }
    const patching: [NodeObject, NodeChange][] = [];
    for (const [index, said] of batch.entries()) {
      const result = results[index];
      if (result) this.#note(said, result);
      const change =
        result?.patch && said.type === "MODIFIED" && this.#changeOf(said.node, result.patch);
      if (change) patching.push([said.node, change]);
      else if (result && result.status !== "failed") this.#queue.succeeded(said.node.metadata.name);
    }
    await inParallel(patching, PATCHES_AT_ONCE, ([node, change]) => this.#patch(node, change));
  }

  /** Returns what of a patch of Plat is written here; nothing if that is nothing. */
  #changeOf(node: NodeObject, { metadata, spec }: NonNullable<EventResult["patch"]>) {
    const { mode, lifecycle } = this.#options;
    const { podCIDR, podCIDRs, taints } = spec;
    const writesRange = mode === "write" && podCIDRs !== undefined;
    // Plat judges what the Node says, and a silent one says what was true before.
    const writesTaints = taints !== undefined && lifecycle?.isSilent(node) === false;
    if (!writesRange && !writesTaints) return undefined;
    return {
      metadata,
      spec: { ...(writesRange && { podCIDR, podCIDRs }), ...(writesTaints && { taints }) },
    };
  }

  /** Notes what Plat answered to an event. */
  #note({ type, node }: NodeSaid, { status, code, detail = "" }: EventResult): void {
    const { metrics, waits } = this.#options;
    const { name } = node.metadata;
    metrics.add("plat_controller_results_total", { status, ...(code && { code }) });
    if (status === "failed") {
      this.#queue.retry(name, waits.now());
      return;
    }
    if (type === "DELETED") {
      this.#gone.delete(node);
      // Its successor may have waited, because it asks and only the end could go ahead.
      if (this.reflector.objects.has(name)) this.#queue.add(name, waits.now());
      return;
    }
    this.#unanswered?.delete(name);
    this.#known.set(name, this.#print(node));
    if (status === "stale" && this.#options.mode === "write" && rangesOf(node).length === 0) {
      void this.#reporter.warn(node, "CIDRNotAvailable", STALE);
      this.#tryAgain(name, NO_PREFIX_MS);
      return;
    }
    if (status !== "rejected" && code === undefined) return;
    void this.#reporter.warn(node, reasonFor(status, code, rangesOf(node).length > 0), detail);
    // Another try can help a node that asks: somebody may free a prefix, or enlarge the pool.
    if (status === "applied" && rangesOf(node).length === 0) this.#tryAgain(name, NO_PREFIX_MS);
  }

  #tryAgain(name: string, ms: number): void {
    this.#known.delete(name);
    this.#queue.add(name, this.#options.waits.now() + ms);
  }

  /** Changes a Node, as Plat saw it. */
  async #patch(node: NodeObject, change: NodeChange): Promise<void> {
    const { api, metrics, waits, log } = this.#options;
    const { name } = node.metadata;
    try {
      await api.send({ method: "PATCH", path: `${PATH}/${name}`, body: change });
      metrics.add("plat_controller_patches_total", { resource: "nodes", status: 200 });
      this.#queue.succeeded(name);
    } catch (error) {
      const status = error instanceof KubeError ? error.status : 0;
      metrics.add("plat_controller_patches_total", { resource: "nodes", status });
      if (status === NOT_FOUND) return this.#queue.succeeded(name);
      this.#known.delete(name);
      if (status === UNPROCESSABLE) this.#known.set(name, this.#print(node));
      else {
        const retryAfterMs = error instanceof KubeError ? error.retryAfterMs : undefined;
        this.#queue.retry(name, waits.now(), retryAfterMs);
      }
      if (status === CONFLICT) return;
      log("The Node could not be patched", { node: name, error: String(error) });
      const reason = change.spec.podCIDRs ? "CIDRAssignmentFailed" : "TaintsNotWritten";
      void this.#reporter.warn(node, reason, String(error));
    }
  }

  /** Sends a complete list, if it is time. Returns false if it is not. */
  async #sendList(): Promise<boolean> {
    const { plat, cluster, waits, metrics, log, completeMs } = this.#options;
    const { version: resourceVersion, objects } = this.reflector;
    if (waits.now() < this.#listDueAtMs || resourceVersion === undefined) return false;
    if (!this.#isOpen) {
      this.#listDueAtMs = waits.now() + LIST_AGAIN_MS;
      return false;
    }
    const nodes = [...objects.values()].map((node) => ({
      name: node.metadata.name,
      uid: node.metadata.uid,
      podCIDRs: [...rangesOf(node)],
    }));
    const body = { cluster, resourceVersion, nodes };
    if (this.#isOversized(body)) {
      this.#listDueAtMs = waits.now() + LIST_AGAIN_MS;
      return false;
    }
    this.#listDueAtMs = waits.now() + completeMs;
    try {
      const { ended, missing, send, complete } = (await plat.completeNodes({ body })).body;
      metrics.add("plat_controller_plat_requests_total", { outcome: "answered" });
      metrics.set("plat_controller_missing_nodes", missing.length);
      if (ended.length > 0) log("Plat ended nodes that are gone", { nodes: ended });
      for (const name of send) this.#tryAgain(name, 0);
      if (!complete) this.#listDueAtMs = waits.now();
      else if (missing.length > 0)
        this.#listDueAtMs = waits.now() + Math.min(completeMs, LIST_AGAIN_MS);
    } catch (error) {
      metrics.add("plat_controller_plat_requests_total", { outcome: outcomeOf(error) });
      if (isRejection(error, "too_many_missing"))
        metrics.set("plat_controller_missing_nodes", Number(error.problem.count));
      log("Plat did not take the list of Nodes", { error: String(error) });
      this.#listDueAtMs = waits.now() + Math.min(completeMs, LIST_AGAIN_MS);
    }
    return true;
  }

  /** Returns true if Plat takes no list as large as this one. The log says so once, until a list is small enough. */
  #isOversized(list: { readonly nodes: readonly unknown[] }): boolean {
    const { metrics, log } = this.#options;
    const [nodes, bytes] = [list.nodes.length, Buffer.byteLength(JSON.stringify(list))];
    const isOversized = nodes > NODES_PER_LIST_MAX || bytes > BODY_BYTES_MAX;
    metrics.set("plat_controller_oversized_list", isOversized ? 1 : 0);
    if (isOversized && !this.#wasOversized)
      log("The list of Nodes is too large for Plat, so no list ends nodes that are gone", {
        nodes,
        nodesMax: NODES_PER_LIST_MAX,
        bytes,
        bytesMax: BODY_BYTES_MAX,
      });
    this.#wasOversized = isOversized;
    return isOversized;
  }
}

/** Returns what is kept of a Node: what Plat reads. A Node of a cloud has 11 KB, most of it names of images. */
function kept({ metadata, spec = {}, status = {} }: NodeObject): NodeObject {
  const { name, uid, resourceVersion, creationTimestamp, labels = {}, annotations = {} } = metadata;
  const { podCIDR, podCIDRs, providerID, unschedulable, taints } = spec;
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      labels,
      annotations: Object.fromEntries(
        Object.entries(annotations).filter(([key]) => CILIUM_ANNOTATION.test(key)),
      ),
    },
    spec: {
      ...(podCIDR !== undefined && { podCIDR }),
      ...(podCIDRs && { podCIDRs }),
      ...(providerID !== undefined && { providerID }),
      ...(unschedulable !== undefined && { unschedulable }),
      ...(taints && { taints }),
    },
    status: {
      conditions: (status.conditions ?? []).map(({ type, status, reason, lastHeartbeatTime }) => ({
        type,
        status,
        ...(reason !== undefined && { reason }),
        ...(lastHeartbeatTime !== undefined && { lastHeartbeatTime }),
      })),
    },
  };
}

/** Returns what of a Node an event tells Plat. Heartbeats and conditions change it for nobody. */
const printOf = ({ metadata: { uid, labels, annotations }, spec }: NodeObject): string =>
  JSON.stringify([uid, labels, annotations, spec?.podCIDR, spec?.podCIDRs, spec?.providerID]);

/** Returns what of a Node an event also tells Plat where its taints follow from it. */
const lifePrintOf = ({ spec, status }: NodeObject): string =>
  JSON.stringify([
    spec?.unschedulable,
    spec?.taints,
    status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
  ]);

/** Returns the heartbeat of a Node, as Plat reads it; empty if it has none. */
export const heartbeatOf = ({ status }: NodeObject): string =>
  heartbeatIn(status?.conditions ?? []) ?? "";

const rangesOf = ({ spec }: NodeObject): readonly string[] =>
  spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);

const namesOf = (batch: readonly NodeSaid[]): ReadonlySet<string> =>
  new Set(batch.map(({ node }) => node.metadata.name));

function reasonFor(status: string, code: string | undefined, isStated: boolean): Reason {
  if (code === "other_cluster") return "OtherCluster";
  if (status === "rejected") return "EventRejected";
  return isStated ? "PrefixMismatch" : "CIDRNotAvailable";
}
