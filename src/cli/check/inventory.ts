import * as v from "valibot";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { checked } from "../../api/schema/schema.ts";
import { CLOCK_SKEW_MS_MAX } from "../../base/limits.ts";
import { formatTime } from "../../base/time.ts";
import { formatAddress } from "../../net/address.ts";
import { type Cidr, parseNetwork } from "../../net/cidr.ts";
import { parsePlainAddress } from "../../net/plain-form.ts";
import { usageError } from "../shell/exit.ts";
import { jsonIn } from "../shell/input.ts";
import { yamlDocuments } from "../shell/yaml-documents.ts";

/** The nodes and pods of a cluster, as `kubectl get nodes,pods -A -o json` prints them. */
export interface Inventory {
  readonly covers: Coverage;
  /**
   * The earliest possible time of the inventory; later events are not in it. Minus infinity means unknown; then it
   * covers nothing.
   */
  readonly takenAtMs: number;
  readonly nodes: ReadonlySet<string>;
  /** The nodes that have a uid, with the prefixes that they have. */
  readonly nodeObjects: readonly SeenNode[];
  /** Pods by `namespace/name`; a pod in more than one file is in the list more than once. */
  readonly pods: ReadonlyMap<string, readonly SeenPod[]>;
  /** Every address of a pod that has not ended, with the pod. */
  readonly inUse: ReadonlyMap<string, string>;
  /** The number of other objects in the files, which do not concern addresses. */
  readonly ignored: number;
}

interface SeenNode {
  readonly name: string;
  readonly uid: string;
  readonly podCidrs: readonly Cidr[];
}

export interface SeenPod {
  readonly node: string | undefined;
  /** The addresses of its first interface, as its status has them. */
  readonly addresses: readonly string[];
  /** The addresses of each interface that is listed, by its name. None is if its annotation cannot be read. */
  readonly interfaces: ReadonlyMap<string, readonly string[]>;
  /** True if the pod has ended, successfully or not. It still shows its address, but does not use it any more. */
  readonly finished: boolean;
}

export interface InventoryFile {
  readonly name: string;
  readonly text: string;
}

/** The phases of a pod that has ended. */
const PHASES_AT_THE_END: ReadonlySet<string> = new Set(["Succeeded", "Failed"]);

/** The newest time of an inventory may be this far in the future. No clock is that far ahead. */
const FUTURE_MS_MAX = 30 * CLOCK_SKEW_MS_MAX;

const time = v.nullish(
  v.pipe(v.string(), v.isoTimestamp("must be a time such as 2026-01-31T12:00:00Z")),
);
const conditions = v.nullish(
  v.array(v.object({ lastHeartbeatTime: time, lastTransitionTime: time })),
);
const node = v.object({
  metadata: v.object({ name: v.string(), uid: v.nullish(v.string()), creationTimestamp: time }),
  spec: v.nullish(
    v.object({ podCIDR: v.nullish(v.string()), podCIDRs: v.nullish(v.array(v.string())) }),
  ),
  status: v.nullish(v.object({ conditions })),
});
const pod = v.object({
  metadata: v.object({
    name: v.string(),
    namespace: v.string(),
    creationTimestamp: time,
    annotations: v.nullish(v.record(v.string(), v.unknown())),
  }),
  spec: v.nullish(
    v.object({ nodeName: v.nullish(v.string()), hostNetwork: v.nullish(v.boolean()) }),
  ),
  status: v.nullish(
    v.object({
      phase: v.nullish(v.string()),
      podIP: v.nullish(v.string()),
      podIPs: v.nullish(v.array(v.object({ ip: v.nullish(v.string()) }))),
      startTime: time,
      conditions,
    }),
  ),
});

type Node = v.InferOutput<typeof node>;
type Pod = v.InferOutput<typeof pod>;

/** The objects of a file. */
interface Objects {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly ignored: number;
}

/**
 * Reads the files of an inventory. It was taken at the newest time that it contains, or later. With more than one file,
 * the oldest of these times counts. Errors: a file is cut off, is one page of a list, or is no inventory; a covered
 * kind is missing; it has no time.
 *
 * @param takenAtMs the time at which it was taken, or an earlier one, if known
 */
export function readInventory(
  files: readonly InventoryFile[],
  covers: Coverage,
  { takenAtMs, nowMs }: { readonly takenAtMs?: number | undefined; readonly nowMs: number },
): Inventory {
  const read = files.map(objectsOf);
  const nodes = read.flatMap((file) => file.nodes);
  const pods = read.flatMap((file) => file.pods);
  if (covers.nodes && nodes.length === 0) throw hasNone("nodes", "node");
  if (covers.pods && pods.length === 0) throw hasNone("pods", "pod");
  const byName = new Map<string, SeenPod[]>();
  const inUse = new Map<string, string>();
  for (const { metadata, spec, status } of pods) {
    const name = `${metadata.namespace}/${metadata.name}`;
    const addresses = addressesOf(status);
    const networks = networksOf(metadata.annotations ?? {});
    const seen: SeenPod = {
      node: spec?.nodeName || undefined,
      addresses,
      interfaces: networks ? interfacesOf(addresses, networks) : new Map(),
      finished: PHASES_AT_THE_END.has(status?.phase ?? ""),
    };
    byName.set(name, [...(byName.get(name) ?? []), seen]);
    const used = [...addresses, ...(networks ?? []).flatMap(({ ips }) => ips)];
    // Such a pod uses the addresses of its node.
    if (!seen.finished && !spec?.hostNetwork) for (const address of used) inUse.set(address, name);
  }
  return {
    covers,
    takenAtMs: takenAtMs ?? oldestOf(read, covers, nowMs),
    nodes: new Set(nodes.map(({ metadata }) => metadata.name)),
    nodeObjects: nodes.flatMap(({ metadata: { name, uid }, spec }) =>
      uid ? [{ name, uid, podCidrs: podCidrsOf(spec) }] : [],
    ),
    pods: byName,
    inUse,
    ignored: read.reduce((sum, { ignored }) => sum + ignored, 0),
  };
}

const hasNone = (part: string, one: string) =>
  usageError(
    `--covers says ${part}, but the inventory has no ${one}, so it cannot list all of them.`,
  );

/** Returns the prefixes of a node. A text that is no network is the cluster's mistake, and concerns no pool. */
function podCidrsOf(spec: Node["spec"]): readonly Cidr[] {
  const texts = spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
  return texts.map(parseNetwork).flatMap((read) => (read.ok ? [read.value] : []));
}

function addressesOf(status: Pod["status"]): readonly string[] {
  const texts = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)];
  return [...new Set(texts.flatMap((text) => (text ? [canonical(text)] : [])))];
}

/** The annotations in which Multus says what its networks have given a pod. The second is the older name. */
const NETWORK_ANNOTATIONS = ["network-status", "networks-status"].map(
  (name) => `k8s.v1.cni.cncf.io/${name}`,
);

const networkStatus = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(
    v.object({
      interface: v.nullish(v.string()),
      ips: v.nullish(v.array(v.pipe(v.string(), v.ip(), v.transform(canonical))), []),
    }),
  ),
);

type Network = v.InferOutput<typeof networkStatus>[number];

/**
 * Returns what the annotations of a pod say of its networks; nothing if they cannot be read.
 * https://github.com/k8snetworkplumbingwg/multi-net-spec
 */
function networksOf(
  annotations: Readonly<Record<string, unknown>>,
): readonly Network[] | undefined {
  const name = NETWORK_ANNOTATIONS.find((each) => annotations[each] !== undefined);
  if (name === undefined) return [];
  const read = v.safeParse(networkStatus, annotations[name]);
  return read.success ? read.output : undefined;
}

/** The name of the first interface of every pod. */
export const FIRST_INTERFACE = "eth0";

/** Returns the addresses of each interface. Only the first one is listed without any. */
function interfacesOf(
  addresses: readonly string[],
  networks: readonly Network[],
): ReadonlyMap<string, readonly string[]> {
  const listed = networks.flatMap(({ interface: name, ips }) =>
    name && ips.length > 0 ? [[name, ips] as const] : [],
  );
  return new Map([...listed, [FIRST_INTERFACE, addresses]]);
}

/** Returns the text of an address as Plat writes it; a text that is no address stays. */
function canonical(text: string): string {
  const address = parsePlainAddress(text);
  return address.ok ? formatAddress(address.value) : text;
}

/** Returns the earliest time at which all files had been taken. */
function oldestOf(files: readonly Objects[], covers: Coverage, nowMs: number): number {
  const times = files.map(({ name, nodes, pods }) => {
    const timesMs = [...nodes, ...pods].flatMap(timesOf);
    // Not by arguments of one call: a large cluster has more times than the stack has room for.
    const newestMs = timesMs.reduce((newest, ms) => Math.max(newest, ms), Number.NEGATIVE_INFINITY);
    if (newestMs > nowMs + FUTURE_MS_MAX)
      throw usageError(
        `${name} has the time ${formatTime(newestMs)}, which is in the future; set --taken-at to the time when it was taken.`,
      );
    if (!Number.isFinite(newestMs) && !coversNothing(covers))
      throw usageError(
        `${name} has no time in it; set --taken-at to the time when it was taken, such as 2026-01-31T12:00:00Z.`,
      );
    return newestMs;
  });
  return Math.min(nowMs, ...times);
}

/** Returns the times in an object that the cluster wrote. */
function timesOf({ metadata, status }: Node | Pod): number[] {
  const texts = [
    metadata.creationTimestamp,
    status && "startTime" in status ? status.startTime : undefined,
    ...(status?.conditions ?? []).flatMap((one) => [one.lastHeartbeatTime, one.lastTransitionTime]),
  ];
  return texts.flatMap((text) => (text ? [Date.parse(text)] : []));
}

function objectsOf(file: InventoryFile): Objects {
  const items = documentsOf(file).flatMap((document) => itemsOf(file, document));
  if (items.length === 0 && file.text.trim() === "")
    throw usageError(`${file.name} is empty; it must be what kubectl get -o json prints.`);
  const ofKind = (kind: string) => items.filter((item) => item.kind === kind);
  const nodes = ofKind("Node");
  const pods = ofKind("Pod");
  return {
    name: file.name,
    nodes: nodes.map((item) => checkedAs(node, item, file)),
    pods: pods.map((item) => checkedAs(pod, item, file)),
    ignored: items.length - nodes.length - pods.length,
  };
}

/** Returns JSON as one document, YAML as one or more. */
function documentsOf({ name, text }: InventoryFile): readonly unknown[] {
  if (/^\s*[{[]/.test(text)) return [jsonIn(name, text)];
  return yamlDocuments(text, (problem) =>
    usageError(`${name} is not complete YAML: ${problem.split("\n", 1)[0]}`),
  );
}

interface Item {
  readonly at: string;
  readonly kind: string;
  readonly value: unknown;
}

const listed = v.object({
  kind: v.string(),
  items: v.optional(v.array(v.unknown())),
  metadata: v.nullish(v.object({ continue: v.nullish(v.string()) })),
});

const LISTS: ReadonlySet<string> = new Set(["List", "NodeList", "PodList"]);

/** Returns a manifest, or the items of a list; an item of a `PodList` is a pod even without a kind. */
function itemsOf({ name }: InventoryFile, document: unknown): readonly Item[] {
  const list = orProblem(() => checked(listed, document, "it"));
  if (list instanceof Problem)
    throw usageError(
      `${name} is not a Kubernetes list. It must be what kubectl get -o json prints: ${list.detail}`,
    );
  const { kind, items, metadata } = list;
  if (!LISTS.has(kind)) return [{ at: kind, kind, value: document }];
  if (!items) throw usageError(`${name} is a ${kind} without items: it may be cut off.`);
  if (metadata?.continue)
    throw usageError(`${name} is one page of a list (metadata.continue); it must be all of it.`);
  return items.map((value, i) => ({
    at: `items[${i}]`,
    kind: kindOf(value) ?? kind.slice(0, -"List".length),
    value,
  }));
}

function kindOf(value: unknown): string | undefined {
  const manifest = v.safeParse(v.object({ kind: v.string() }), value);
  return manifest.success ? manifest.output.kind : undefined;
}

function checkedAs<Schema extends v.GenericSchema>(
  schema: Schema,
  { at, kind, value }: Item,
  { name }: InventoryFile,
): v.InferOutput<Schema> {
  const result = orProblem(() => checked(schema, value, "it"));
  if (!(result instanceof Problem)) return result;
  throw usageError(`${name}: ${at}, a ${kind}, is not valid: ${result.detail}`);
}

/** The kinds of objects that an inventory contains completely. A missing object proves something only for these. */
export interface Coverage {
  readonly nodes: boolean;
  /** True if it covers the pods of all namespaces. */
  readonly pods: boolean;
  /** The namespaces whose pods it covers. */
  readonly namespaces: ReadonlySet<string>;
}

const POD_PREFIX = "pods/";

/** Reads `nodes`, `pods` and `pods/NAMESPACE`, one by one or with commas. Errors: anything else. */
export function parseCoverage(texts: readonly string[]): Coverage {
  const parts = texts.flatMap((text) => text.split(",")).map((part) => part.trim());
  const namespaces = parts
    .filter((part) => part.startsWith(POD_PREFIX) && part.length > POD_PREFIX.length)
    .map((part) => part.slice(POD_PREFIX.length));
  const known = ["nodes", "pods", ...namespaces.map((name) => `${POD_PREFIX}${name}`)];
  const unknown = parts.find((part) => !known.includes(part));
  if (unknown !== undefined)
    throw usageError(`--covers has "${unknown}"; it must be nodes, pods or pods/NAMESPACE.`);
  return {
    nodes: parts.includes("nodes"),
    pods: parts.includes("pods"),
    namespaces: new Set(namespaces),
  };
}

export const coversPods = ({ pods, namespaces }: Coverage, namespace: string): boolean =>
  pods || namespaces.has(namespace);

export const coversNothing = ({ nodes, pods, namespaces }: Coverage): boolean =>
  !nodes && !pods && namespaces.size === 0;

/** Formats a coverage. Inverse of `parseCoverage`. */
export const formatCoverage = ({ nodes, pods, namespaces }: Coverage): readonly string[] => [
  ...(nodes ? ["nodes"] : []),
  ...(pods ? ["pods"] : []),
  ...[...namespaces].map((name) => `${POD_PREFIX}${name}`),
];
