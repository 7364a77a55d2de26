import { isRecord } from "../../src/api/schema/schema.ts";
import { same } from "../../src/base/same.ts";
import type { CiliumNodeObject } from "../../src/controller/cilium.ts";
import { type KubeApi, KubeError, type KubeRequest } from "../../src/controller/kube/api.ts";
import { type KubeObject, keyOf } from "../../src/controller/kube/reflector.ts";
import type { NodeObject } from "../../src/controller/nodes.ts";

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/pods";
export const NAMESPACES = "/api/v1/namespaces";
export const NODE_LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const CILIUM_NODES = "/apis/cilium.io/v2/ciliumnodes";

/** What a watch of the fake tells next: lines, and how it ends. */
interface Watch {
  readonly path: string;
  /** Returns true for an object that the watch is about. */
  readonly isMeant: (object: object) => boolean;
  readonly lines: string[];
  wake(): void;
  end?: Error | "closed";
}

/** An operation of a JSON patch. */
interface Operation {
  readonly path: string;
  readonly value: unknown;
}

/** An object of a kind that the fake knows nothing about. */
export interface AnyObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly [part: string]: unknown;
}

interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly [field: string]: unknown;
}

/** The parts of a path of another group. */
interface OtherPath {
  readonly group: string;
  readonly namespace?: string;
  readonly resource: string;
  readonly name?: string;
  readonly status?: string;
}

const OTHER =
  /^(?<group>\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<resource>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<status>status))?$/;

/** The fields of an object that a field selector can name. */
interface Selected {
  readonly status?: { readonly phase?: string };
  readonly spec?: { readonly nodeName?: string };
}

/** Returns the objects that a field selector chooses, which can name a phase or a node. */
const meantBy =
  ({ fieldSelector }: Readonly<Record<string, string>>) =>
  ({ status, spec }: object & Selected): boolean =>
    fieldSelector === undefined ||
    fieldSelector === `status.phase=${status?.phase}` ||
    fieldSelector === `spec.nodeName=${spec?.nodeName}`;

/** Returns an object with the changes of a merge patch: a list replaces a list, and null removes a field. */
function merged(object: object, change: object): object {
  const result: Record<string, unknown> = { ...object };
  for (const [key, value] of Object.entries(change)) {
    const known = result[key];
    if (value === null) delete result[key];
    else if (isRecord(value) && isRecord(known)) result[key] = merged(known, value);
    else if (value !== undefined) result[key] = value;
  }
  return result;
}

/**
 * An API server in memory: Nodes with pages, watches, conflicts and podCIDRs that are written once; CiliumNodes with JSON
 * patches; Leases; Events; objects of other groups with merge patches and finalizers. It fails when a test says so. The
 * lab in `test/cluster` has a real one.
 */
export class FakeCluster implements KubeApi {
  readonly nodes = new Map<string, NodeObject>();
  readonly ciliumNodes = new Map<string, CiliumNodeObject>();
  readonly leases = new Map<string, Stored>();
  /** The collections of other groups, by their path, and the objects of each by their keys. */
  readonly collections = new Map<string, Map<string, AnyObject>>();
  /** The versions of each other group. */
  readonly versions = new Map<string, readonly string[]>();
  readonly events = new Map<string, Record<string, unknown>>();
  /** All requests, as `GET /api/v1/nodes`, and `WATCH` for a watch. */
  readonly requests: string[] = [];
  /** Verbs and resources that the caller may not use, such as `patch nodes`. */
  readonly denied = new Set<string>();
  /** Objects that lists lack by mistake, by their keys. */
  readonly hidden = new Set<string>();
  /** Errors of the next requests, by their text in `requests`. */
  readonly failures: [request: string, error: Error][] = [];
  readonly #watches = new Set<Watch>();
  #changes: {
    readonly path: string;
    readonly version: number;
    readonly line: string;
    readonly object: object;
  }[] = [];
  #version = 100;
  #compactedAt = 0;

  get version(): string {
    return String(this.#version);
  }

  /** Creates a Node, or changes it. */
  put(name: string, spec: NodeObject["spec"] = {}, labels: Record<string, string> = {}): void {
    const known = this.nodes.get(name);
    this.#store(NODES, this.nodes, known ? "MODIFIED" : "ADDED", {
      metadata: {
        name,
        uid: known?.metadata.uid ?? `uid-${name}-${this.#version}`,
        resourceVersion: "",
        creationTimestamp: known?.metadata.creationTimestamp ?? "2026-03-11T08:12:45Z",
        labels,
      },
      spec: { ...known?.spec, ...spec },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
  }

  /** Changes the heartbeat of a Node, as its kubelet does, or that of another condition. */
  beat(name: string, lastHeartbeatTime: string, status = "True", type = "Ready"): void {
    const known = this.nodes.get(name);
    if (!known) throw new Error(`There is no node ${name}`);
    const others = (known.status?.conditions ?? []).filter((one) => one.type !== type);
    const conditions = [...others, { type, status, lastHeartbeatTime }];
    this.#store(NODES, this.nodes, "MODIFIED", { ...known, status: { conditions } });
  }

  delete(name: string): void {
    const known = this.nodes.get(name);
    if (!known) throw new Error(`There is no node ${name}`);
    this.#store(NODES, this.nodes, "DELETED", known);
  }

  /** Creates a CiliumNode of a Node, or writes its parts as an agent does. */
  putCilium(
    name: string,
    part: Partial<CiliumNodeObject> = {},
    owners: readonly string[] = ["owner"],
  ): void {
    const known = this.ciliumNodes.get(name);
    const ownerReferences = owners.map((uid) => ({ kind: "Node", uid }));
    const metadata = {
      name,
      uid: `cilium-${name}-${this.#version}`,
      resourceVersion: "",
      ownerReferences,
    };
    this.#store(CILIUM_NODES, this.ciliumNodes, known ? "MODIFIED" : "ADDED", {
      metadata: known?.metadata ?? metadata,
      spec: part.spec ?? known?.spec ?? {},
      status: part.status ?? known?.status ?? {},
    });
  }

  deleteCilium(name: string): void {
    const known = this.ciliumNodes.get(name);
    if (!known) throw new Error(`There is no CiliumNode ${name}`);
    this.#store(CILIUM_NODES, this.ciliumNodes, "DELETED", known);
  }

  /** Creates an object of another group, or changes its parts. */
  putObject(path: string, name: string, parts: object, namespace?: string): void {
    const objects = this.#collection(path);
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const known = objects.get(key);
    const uid = `uid-${key}-${this.#version}`;
    const metadata = {
      name,
      uid,
      resourceVersion: "",
      ...(namespace !== undefined && { namespace }),
    };
    const object = merged(known ?? { metadata }, parts) as AnyObject;
    this.#store(path, objects, known ? "MODIFIED" : "ADDED", object);
  }

  /** Deletes an object of another group: at once, or when its last finalizer goes. */
  deleteObject(path: string, key: string): void {
    const objects = this.#collection(path);
    const known = objects.get(key);
    if (!known) throw new KubeError(404, "NotFound", "not found");
    if ((known.metadata.finalizers ?? []).length === 0)
      this.#store(path, objects, "DELETED", known);
    else {
      const metadata = { ...known.metadata, deletionTimestamp: "2026-03-11T08:12:45Z" };
      this.#store(path, objects, "MODIFIED", { ...known, metadata });
    }
  }

  /** Creates a pod in the namespace `shop`, or changes its phase. */
  putPod(name: string, phase = "Running"): void {
    this.putObject(PODS, name, { status: { phase } }, "shop");
  }

  deletePod(name: string): void {
    this.deleteObject(PODS, `shop/${name}`);
  }

  /** Sends every watch a bookmark. */
  bookmark(): void {
    const object = { kind: "Node", metadata: { resourceVersion: String(++this.#version) } };
    for (const watch of this.#watches) this.#push(watch, { type: "BOOKMARK", object });
  }

  /** Ends all watches: as the server does, or by an error of the connection. */
  cut(end: Error | "closed" = new Error("socket hang up")): void {
    for (const watch of this.#watches) {
      watch.end = end;
      watch.wake();
    }
    this.#watches.clear();
  }

  /** Forgets all changes. A watch from an earlier version is answered with 410. */
  compact(): void {
    this.#changes = [];
    this.#compactedAt = this.#version;
  }

  async send<Body>(request: KubeRequest, _signal?: AbortSignal): Promise<Body> {
    const { method = "GET", path, query = {}, body = {}, metadataOnly = false } = request;
    this.#begin(`${method} ${path}`);
    const answer = Array.isArray(body)
      ? this.#patchCilium(path, body)
      : this.#answer(method, path, query, body as Record<string, unknown>);
    const isEmpty = metadataOnly && isRecord(answer) && same(answer.items, []);
    // As a kube-apiserver answers.
    return structuredClone(isEmpty ? { ...answer, items: null } : answer) as Body;
  }

  async lines(request: KubeRequest, signal?: AbortSignal): Promise<AsyncIterable<string>> {
    this.#begin(`WATCH ${request.path}`);
    return this.#follow(request, signal);
  }

  async *#follow({ path, query = {} }: KubeRequest, signal?: AbortSignal): AsyncGenerator<string> {
    const from = Number(query.resourceVersion);
    if (from < this.#compactedAt) {
      const object = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
      yield JSON.stringify({ type: "ERROR", object });
      return;
    }
    const isMeant = meantBy(query);
    const lines = this.#changes
      .filter(({ version }) => version > from)
      .filter((change) => change.path === path && isMeant(change.object))
      .map(({ line }) => line);
    const watch: Watch = { path, isMeant, lines, wake: () => undefined };
    this.#watches.add(watch);
    const abort = () => {
      watch.end ??= "closed";
      watch.wake();
    };
    signal?.addEventListener("abort", abort);
    try {
      for (;;) {
        yield* watch.lines.splice(0);
        if (watch.end instanceof Error) throw watch.end;
        if (watch.end) return;
        if (watch.lines.length > 0) continue;
        await new Promise<void>((resolve) => {
          watch.wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  #begin(request: string): void {
    this.requests.push(request);
    const at = this.failures.findIndex(([failing]) => failing === request);
    const [failure] = at === -1 ? [] : this.failures.splice(at, 1);
    if (failure) throw failure[1];
  }

  #answer(
    method: string,
    path: string,
    query: Readonly<Record<string, string>>,
    body: Record<string, unknown>,
  ): unknown {
    const name = path.split("/").at(-1) ?? "";
    const group = /^\/apis\/([^/]+)$/.exec(path)?.[1];
    if (group !== undefined) {
      const versions = this.versions.get(group);
      if (!versions) throw new KubeError(404, "NotFound", "not found");
      return { versions: versions.map((version) => ({ version })) };
    }
    if (path === NODES) return this.#page(this.nodes, query);
    if (path === CILIUM_NODES) return this.#page(this.ciliumNodes, query);
    if ([PODS, NODE_LEASES, NAMESPACES].includes(path))
      return this.#page(this.#collection(path), query);
    if (path.startsWith("/api/v1/nodes/")) return this.#patch(name, body);
    if (path.includes("/leases")) return this.#lease(method, name, body);
    if (path.endsWith("selfsubjectaccessreviews")) {
      const spec = body.spec as {
        resourceAttributes: { verb: string; resource: string; subresource?: string };
      };
      const { verb, resource, subresource } = spec.resourceAttributes;
      const what = [resource, subresource].filter(Boolean).join("/");
      return { status: { allowed: !this.denied.has(`${verb} ${what}`) } };
    }
    const other = OTHER.exec(path)?.groups as OtherPath | undefined;
    if (other) return this.#other(method, other, query, body);
    if (path === "/api/v1/namespaces/kube-system") return { metadata: { uid: "cluster-uid" } };
    const [, of = "", pod] =
      /^\/api\/v1\/namespaces\/([^/]+)(?:\/pods\/([^/]+))?$/.exec(path) ?? [];
    if (of !== "") {
      const found =
        pod === undefined
          ? this.#collection(NAMESPACES).get(of)
          : this.#collection(PODS).get(`${of}/${pod}`);
      if (found) return found;
      throw new KubeError(404, "NotFound", "not found");
    }
    return this.#event(method, name, body);
  }

  #page<T extends KubeObject>(
    objects: ReadonlyMap<string, T>,
    query: Readonly<Record<string, string>>,
  ) {
    const { limit = "0", continue: from = "" } = query;
    const listed = [...objects.values()].filter((object) => !this.hidden.has(keyOf(object)));
    const meant = listed.filter(meantBy(query));
    const all = meant.filter((object) => keyOf(object) > from);
    const sorted = all.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const items = sorted.slice(0, Number(limit));
    const last = sorted.length > items.length ? items.at(-1) : undefined;
    return {
      metadata: { resourceVersion: this.version, ...(last && { continue: keyOf(last) }) },
      items,
    };
  }

  #patch(name: string, { metadata, spec }: Record<string, unknown>): NodeObject {
    const known = this.nodes.get(name);
    if (!known) throw new KubeError(404, "NotFound", "not found");
    const { uid, resourceVersion } = metadata as NodeObject["metadata"];
    if (uid !== known.metadata.uid || resourceVersion !== known.metadata.resourceVersion)
      throw new KubeError(409, "Conflict", "the object has been modified");
    if (known.spec?.podCIDR && isRecord(spec) && spec.podCIDR !== undefined)
      throw new KubeError(422, "Invalid", "podCIDR is written once");
    const patched = { ...known, spec: { ...known.spec, ...(spec as object) } };
    return this.#store(NODES, this.nodes, "MODIFIED", patched);
  }

  /** Replaces fields of a CiliumNode; its status only by the path of the status. */
  #patchCilium(path: string, operations: readonly Operation[]): CiliumNodeObject {
    const [name = "", part = "spec"] = path.slice(CILIUM_NODES.length + 1).split("/");
    const known = this.ciliumNodes.get(name);
    if (!known) throw new KubeError(404, "NotFound", "not found");
    const given = (field: string) => operations.find((one) => one.path === field)?.value;
    if (given("/metadata/resourceVersion") !== known.metadata.resourceVersion)
      throw new KubeError(409, "Conflict", "the object has been modified");
    const patched = { ...known, [part]: given(`/${part}`) };
    return this.#store(CILIUM_NODES, this.ciliumNodes, "MODIFIED", patched);
  }

  #other(
    method: string,
    { group, namespace, resource, name, status }: OtherPath,
    query: Readonly<Record<string, string>>,
    body: Record<string, unknown>,
  ): unknown {
    const path = `${group}/${resource}`;
    const objects = this.#collection(path);
    if (name === undefined && method === "GET") return this.#page(objects, query);
    const { metadata = {} } = body as { metadata?: Partial<AnyObject["metadata"]> };
    const key = [namespace, name ?? metadata.name].filter(Boolean).join("/");
    const known = objects.get(key);
    if (method === "POST") {
      if (known) throw new KubeError(409, "AlreadyExists", "already exists");
      this.putObject(path, metadata.name ?? "", body, namespace);
      return objects.get(key);
    }
    if (method === "DELETE") return this.deleteObject(path, key);
    if (!known) throw new KubeError(404, "NotFound", "not found");
    if (method === "GET") return known;
    const { resourceVersion = known.metadata.resourceVersion } = metadata;
    if (resourceVersion !== known.metadata.resourceVersion)
      throw new KubeError(409, "Conflict", "the object has been modified");
    // The path of the status changes it alone, and the other path changes all but it.
    const change = status ? { status: body.status } : { ...body, status: undefined };
    const changed = merged(known, change) as AnyObject;
    const { deletionTimestamp, finalizers = [] } = changed.metadata;
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
    return this.#store(path, objects, isGone ? "DELETED" : "MODIFIED", changed);
  }

  #collection(path: string): Map<string, AnyObject> {
    const objects = this.collections.get(path) ?? new Map<string, AnyObject>();
    this.collections.set(path, objects);
    return objects;
  }

  #lease(method: string, name: string, body: Record<string, unknown>): Stored {
    const { metadata } = body as { metadata?: Stored["metadata"] };
    const known = this.leases.get(method === "POST" ? (metadata?.name ?? "") : name);
    if (method === "GET" && !known) throw new KubeError(404, "NotFound", "not found");
    if (method === "GET" && known) return known;
    const isStale = known && metadata?.resourceVersion !== known.metadata.resourceVersion;
    if (isStale) throw new KubeError(409, "Conflict", "the object has been modified");
    const lease: Stored = {
      ...body,
      metadata: { name: metadata?.name ?? "", resourceVersion: String(++this.#version) },
    };
    this.leases.set(lease.metadata.name, lease);
    return lease;
  }

  #event(method: string, name: string, body: Record<string, unknown>): unknown {
    const key = method === "POST" ? (body.metadata as { name: string }).name : name;
    if (method === "POST" && this.events.has(key))
      throw new KubeError(409, "AlreadyExists", "already exists");
    this.events.set(key, { ...this.events.get(key), ...body });
    return body;
  }

  #store<T extends KubeObject>(path: string, objects: Map<string, T>, type: string, object: T): T {
    const version = ++this.#version;
    const key = keyOf(object);
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    const stored: T = { ...object, metadata };
    if (type === "DELETED") objects.delete(key);
    else objects.set(key, stored);
    const line = JSON.stringify({ type, object: stored });
    this.#changes.push({ path, version, line, object: stored });
    for (const watch of this.#watches) {
      if (watch.path !== path || !watch.isMeant(stored)) continue;
      watch.lines.push(line);
      watch.wake();
    }
    return stored;
  }

  #push(watch: Watch, event: object): void {
    watch.lines.push(JSON.stringify(event));
    watch.wake();
  }
}
