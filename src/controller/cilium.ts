import { same } from "../base/same.ts";
import { type Answer, ApiError, type Parameters } from "../client/index.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import type { CiliumObject } from "../nouns/cilium/object.ts";
import { GoneObjects } from "./gone.ts";
import { KubeError } from "./kube/api.ts";
import { type KubeObject, Reflector } from "./kube/reflector.ts";
import { Reporter } from "./kube/reporter.ts";
import { outcomeOf, watching } from "./metrics.ts";
import type { PartSurroundings } from "./surroundings.ts";
import { askedMs, GATHER_MS, WorkQueue } from "./work-queue.ts";

const PATH = "/apis/cilium.io/v2/ciliumnodes";
const KIND = { apiVersion: "cilium.io/v2", kind: "CiliumNode" } as const;
const REQUESTS_AT_ONCE = 8;
/** CiliumNodes in one round of work, after which changes of the others are looked at again. */
const NODES_PER_ROUND = 64;
const NOT_FOUND = 404;
const CONFLICT = 409;
/** Answers that name nothing wrong with the object: a later one is on its way, or its end is. */
const OUTDATED = ["precondition_failed", "node_gone"];

/** A CiliumNode as the cluster has it. */
export interface CiliumNodeObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly ownerReferences?: readonly { readonly kind: string; readonly uid: string }[];
  };
  readonly spec: { readonly ipam?: CiliumObject["ipam"] };
  readonly status?: CiliumObject["status"];
}

/** The surroundings of the work on CiliumNodes. */
export interface CiliumNodesOptions
  extends PartSurroundings<"putCiliumNode" | "releaseCiliumNode"> {
  /** The parameters of each request. Those that are absent have the API's defaults. */
  readonly parameters: Omit<Parameters<"putCiliumNode">, "node" | "body">;
  /** The time after which a CiliumNode is sent again without a change, because the delays of Plat pass without one. */
  readonly everyMs: number;
}

/**
 * Takes the part of Cilium's operator: it sends Plat each CiliumNode when it changes and every minute, and writes what
 * Plat grants into the object. Those that list networks or addresses are sent first, so that nobody is given what is in use.
 */
export class CiliumNodes {
  readonly reflector: Reflector<CiliumNodeObject>;
  readonly #options: CiliumNodesOptions;
  readonly #queue: WorkQueue;
  readonly #reporter: Reporter;
  /** Those that nothing else ends. */
  readonly #gone: GoneObjects<CiliumNodeObject>;
  /** The objects of the first list that list something and that Plat has not answered; nothing before the list. */
  #unanswered: Set<string> | undefined;
  #isLeading = false;

  constructor(options: CiliumNodesOptions) {
    const { api, waits, metrics, log } = options;
    this.#options = options;
    this.#queue = new WorkQueue(waits);
    this.#gone = new GoneObjects(waits);
    this.#reporter = new Reporter(api, waits, KIND);
    const following = {
      path: PATH,
      keep: kept,
      present: ({ metadata }: CiliumNodeObject) => this.#changed(metadata.name),
      gone: (object: CiliumNodeObject) => {
        const { name } = object.metadata;
        this.#unanswered?.delete(name);
        if (hasOwner(object)) return;
        this.#gone.add(object);
        this.#changed(name);
      },
      ...watching("ciliumnodes", { metrics, log }, () => {
        this.#unanswered ??= new Set(
          [...this.reflector.objects].filter(([, each]) => states(each)).map(([name]) => name),
        );
        this.#queue.wake();
      }),
    };
    this.reflector = new Reflector(api, following, waits);
  }

  /** True once Plat has answered for every object of the first list that lists networks or addresses. */
  get isOpen(): boolean {
    return this.#unanswered?.size === 0;
  }

  /** Works until the signal ends it. The reflector runs beside it, and may have run before. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits } = this.#options;
    this.#gone.lead();
    this.#isLeading = true;
    for (const name of [...this.reflector.objects.keys(), ...this.#gone.names])
      this.#queue.add(name, waits.now());
    while (!signal.aborted) {
      const names = this.#queue.take(
        waits.now(),
        NODES_PER_ROUND,
        (name) => this.isOpen || this.#unanswered?.has(name) === true,
      );
      await inParallel(names, REQUESTS_AT_ONCE, (name) => this.#work(name));
      if (names.length === 0) await this.#queue.wait(this.#queue.nextDueAtMs, signal);
    }
  }

  #changed(name: string): void {
    if (!this.#isLeading) return;
    this.#queue.add(name, this.#options.waits.now() + GATHER_MS);
    this.#queue.wake();
  }

  async #work(name: string): Promise<void> {
    for (const gone of this.#gone.of(name)) if (!(await this.#release(gone))) return;
    const object = this.reflector.objects.get(name);
    if (object) await this.#grant(object);
  }

  /** Releases what an object had that is gone. Returns true if Plat has done it. */
  async #release(gone: CiliumNodeObject): Promise<boolean> {
    const { plat, waits } = this.#options;
    const { name, uid } = gone.metadata;
    try {
      await plat.releaseCiliumNode({ node: name, uid });
      this.#count("answered");
    } catch (error) {
      this.#failed("Plat did not release what a CiliumNode had", name, error);
      this.#queue.retry(name, waits.now(), askedMs(error));
      return false;
    }
    this.#gone.delete(gone);
    return true;
  }

  /** Sends an object, and writes the grant into it. */
  async #grant(object: CiliumNodeObject): Promise<void> {
    const { plat, parameters, waits, everyMs } = this.#options;
    const { name } = object.metadata;
    let granted: Answer<"putCiliumNode">;
    try {
      const body = { ...KIND, ...object } as Parameters<"putCiliumNode">["body"];
      granted = (await plat.putCiliumNode({ node: name, ...parameters, body })).body;
      if (!isGrant(granted)) throw new Error("the answer is no CiliumNode");
      this.#count("answered");
    } catch (error) {
      this.#failed("Plat did not take a CiliumNode", name, error);
      if (!(error instanceof ApiError) || error.problem.retryable) {
        this.#queue.retry(name, waits.now(), askedMs(error));
        return;
      }
      this.#unanswered?.delete(name);
      this.#queue.add(name, waits.now() + everyMs);
      if (!OUTDATED.includes(error.code))
        void this.#reporter.warn(object, "CiliumNodeRejected", error.message);
      return;
    }
    this.#unanswered?.delete(name);
    const isWritten = await this.#write(object, granted);
    // What a grant lacks can be there soon: a prefix, or the event of the Node that it waits for.
    if (!isWritten || granted.status.operator.error !== "") {
      this.#queue.retry(name, waits.now());
      return;
    }
    this.#queue.succeeded(name);
    this.#queue.add(name, waits.now() + everyMs);
  }

  /** Writes a grant into the object that Plat saw. Returns false if it must be tried again. */
  async #write(object: CiliumNodeObject, granted: Answer<"putCiliumNode">): Promise<boolean> {
    const { metrics, log } = this.#options;
    const { name } = object.metadata;
    const path = `${PATH}/${name}`;
    let { resourceVersion } = object.metadata;
    try {
      if (!same(granted.spec, object.spec))
        resourceVersion = await this.#replace(path, "/spec", granted.spec, resourceVersion);
      const status = statusOf(granted.status);
      if (!same(status, statusOf(object.status)))
        await this.#replace(`${path}/status`, "/status", status, resourceVersion);
      return true;
    } catch (error) {
      const status = error instanceof KubeError ? error.status : 0;
      metrics.add("plat_controller_patches_total", { resource: "ciliumnodes", status });
      if (status === NOT_FOUND) return true;
      if (status === CONFLICT) return false;
      log("The CiliumNode could not be patched", { node: name, error: String(error) });
      void this.#reporter.warn(object, "CIDRAssignmentFailed", String(error));
      return false;
    }
  }

  /**
   * Replaces a field as a whole, because a merge would leave what the node no longer has. A patch with a resourceVersion
   * is a Conflict where the object has changed; a `test` of it would be the same error as an object that is not valid.
   */
  async #replace(path: string, field: string, value: object, version: string): Promise<string> {
    const { api, metrics } = this.#options;
    const body = [
      { op: "add", path: "/metadata/resourceVersion", value: version },
      { op: "add", path: field, value },
    ];
    const { metadata } = await api.send<KubeObject>({ method: "PATCH", path, body });
    metrics.add("plat_controller_patches_total", { resource: "ciliumnodes", status: 200 });
    return metadata.resourceVersion;
  }

  #count(outcome: string): void {
    this.#options.metrics.add("plat_controller_plat_requests_total", { outcome });
  }

  #failed(message: string, node: string, error: unknown): void {
    this.#count(outcomeOf(error));
    this.#options.log(message, { node, error: String(error) });
  }
}

/** Returns what is kept of a CiliumNode: all but the notes of the API server. */
function kept({ metadata, spec = {}, status = {} }: CiliumNodeObject): CiliumNodeObject {
  const { name, uid, resourceVersion, ownerReferences } = metadata;
  return {
    metadata: { name, uid, resourceVersion, ...(ownerReferences && { ownerReferences }) },
    spec,
    status,
  };
}

/** Returns true for a grant. Another server in the place of Plat answers something else. */
const isGrant = ({ spec, status }: Partial<Answer<"putCiliumNode">>): boolean =>
  spec !== undefined && status?.operator !== undefined;

/** Returns true if a Node owns the object. The end of the Node then ends what the object has, after its quarantine. */
const hasOwner = ({ metadata: { ownerReferences = [] } }: CiliumNodeObject): boolean =>
  ownerReferences.some(({ kind }) => kind === "Node");

/** Returns true if an object lists networks or addresses that its node may use already. */
function states({ spec: { ipam = {} } }: CiliumNodeObject): boolean {
  const { podCIDRs = [], pool = {}, pools = {} } = ipam;
  return [podCIDRs, Object.keys(pool), pools.allocated ?? []].some((each) => each.length > 0);
}

/**
 * Returns a status as the cluster keeps it. The schema of Cilium has no `status.operator`, and an agent that writes its
 * own status leaves out an error that is empty.
 */
function statusOf({ operator: _, ipam = {}, ...status }: CiliumObject["status"] = {}): object {
  const { "operator-status": { error = "" } = {}, ...own } = ipam;
  return { ...status, ipam: { ...own, ...(error !== "" && { "operator-status": { error } }) } };
}
