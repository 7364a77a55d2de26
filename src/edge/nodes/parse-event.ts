import type * as v from "valibot";
import {
  cloudEvent,
  instanceState,
  instanceTerminated,
  leaseSaid,
  nodeDeleted,
  nodeStated,
  podSaid,
  watchEvent,
} from "../../contract/requests/events.ts";
import { Problem } from "../../contract/schema/problem.ts";
import { checked, cut, isRecord } from "../../contract/schema/schema.ts";
import type { ClusterEvent, NodeStatement } from "../../domain/node-event.ts";

/** The name of an entry: its kind and its object. */
interface Named {
  readonly kind: string;
  readonly name: string;
}

/** An event as Plat reads it: one to apply, one that nothing follows from, or a malformed one. */
export type ParsedEvent = Named &
  ({ readonly event: ClusterEvent } | { readonly ignored: true } | { readonly rejected: Problem });

/** Parses a watch event of Kubernetes, or an event of EventBridge. */
export function parseEvent(entry: unknown): ParsedEvent {
  return isRecord(entry) && "detail-type" in entry
    ? parseCloudEvent(entry)
    : parseWatchEvent(entry);
}

/** The API groups of the kinds that Plat acts on. Another kind of the same name is ignored. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  Node: /^v1$/,
  Pod: /^v1$/,
  Lease: /^coordination\.k8s\.io\//,
};

/** The namespace of the Leases of nodes. */
const NODE_LEASES = "kube-node-lease";

function parseWatchEvent(entry: unknown): ParsedEvent {
  const watched = checked(watchEvent, entry);
  if (watched instanceof Problem) return { ...namedIn(entry), rejected: watched };
  const { type, object } = watched;
  const named = namedIn(entry);
  const { kind, apiVersion } = object as { kind: string; apiVersion?: unknown };
  const group = Object.hasOwn(GROUPS, kind) ? GROUPS[kind] : undefined;
  const isOther = apiVersion !== undefined && !group?.test(String(apiVersion));
  if (type === "BOOKMARK" || type === "ERROR" || !group || isOther)
    return { ...named, ignored: true };
  if (kind === "Pod") return parsePod(named, type, object);
  if (kind === "Lease") return parseLease(named, type, object);
  return type === "DELETED" ? parseEnd(named, object) : parseStatement(named, object);
}

function parseStatement(named: Named, object: unknown): ParsedEvent {
  const node = checked(nodeStated, object);
  if (node instanceof Problem) return { ...named, rejected: inObject(node) };
  const statement = statementOf(node);
  return { ...named, event: { act: "state", name: node.metadata.name, statement } };
}

function parseEnd(named: Named, object: unknown): ParsedEvent {
  const node = checked(nodeDeleted, object);
  if (node instanceof Problem) return { ...named, rejected: inObject(node) };
  const ended = incarnationOf(node.metadata);
  return { ...named, event: { act: "end", name: node.metadata.name, ended } };
}

function parsePod(named: Named, type: string, object: unknown): ParsedEvent {
  const pod = checked(podSaid, object);
  if (pod instanceof Problem) return { ...named, rejected: inObject(pod) };
  const { phase = "" } = pod.status;
  const isOver = type === "DELETED" || phase === "Succeeded" || phase === "Failed";
  if (!isOver) return { ...named, ignored: true };
  return { ...named, event: { act: "release", name: pod.metadata.name, uid: pod.metadata.uid } };
}

function parseLease(named: Named, type: string, object: unknown): ParsedEvent {
  const { metadata } = object as { metadata?: { namespace?: unknown } };
  if (type === "DELETED" || (isRecord(metadata) && metadata.namespace !== NODE_LEASES))
    return { ...named, ignored: true };
  const lease = checked(leaseSaid, object);
  if (lease instanceof Problem) return { ...named, rejected: inObject(lease) };
  const { renewTime: renewedAt } = lease.spec;
  return { ...named, event: { act: "renew", name: lease.metadata.name, renewedAt } };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instance-state-changes.html */
const STATE_CHANGE = "EC2 Instance State-change Notification";
/** https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-event-reference.html */
const TERMINATED = "EC2 Instance Terminate Successful";

function parseCloudEvent(entry: Record<string, unknown>): ParsedEvent {
  const event = checked(cloudEvent, entry);
  const kind = typeof entry["detail-type"] === "string" ? cut(entry["detail-type"]) : "";
  if (event instanceof Problem) return { kind, name: "", rejected: event };
  if (kind === STATE_CHANGE) {
    const changed = checked(instanceState, event);
    if (changed instanceof Problem) return { kind, name: "", rejected: changed };
    const { "instance-id": name, state } = changed.detail;
    if (state !== "terminated") return { kind, name, ignored: true };
    return { kind, name, event: { act: "terminate", name } };
  }
  if (kind !== TERMINATED) return { kind, name: "", ignored: true };
  const ended = checked(instanceTerminated, event);
  if (ended instanceof Problem) return { kind, name: "", rejected: ended };
  const { EC2InstanceId: name } = ended.detail;
  return { kind, name, event: { act: "terminate", name } };
}

/** Returns what a malformed entry names, as far as it can be read. */
function namedIn(entry: unknown): Named {
  const object = isRecord(entry) && isRecord(entry.object) ? entry.object : {};
  const metadata = isRecord(object.metadata) ? object.metadata : {};
  const { kind } = object;
  const { name } = metadata;
  return {
    kind: typeof kind === "string" ? cut(kind) : "",
    name: typeof name === "string" ? cut(name) : "",
  };
}

/** Names the fields of a problem as they are in the entry. */
const inObject = ({ code, detail, members }: Problem): Problem =>
  new Problem(code, `object.${detail}`, members);

const incarnationOf = (metadata: v.InferOutput<typeof nodeDeleted>["metadata"]) => ({
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion,
  createdAtMs: Date.parse(metadata.creationTimestamp),
});

/** Labels by their name, and by the one that Kubernetes had before. */
const REGION = ["topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"];
const ZONE = ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"];
const EXCLUDED = "node.kubernetes.io/exclude-disruption";

function statementOf({ metadata, spec, status }: v.InferOutput<typeof nodeStated>): NodeStatement {
  const { labels } = metadata;
  const { podCIDR, podCIDRs, providerID } = spec;
  const labelled = (names: readonly string[]) =>
    names.map((name) => (Object.hasOwn(labels, name) ? labels[name] : undefined)).find(Boolean);
  const [region = "", zone = ""] = [labelled(REGION), labelled(ZONE)];
  const { conditions } = status;
  const reason = conditions.find(({ type }) => type === "Ready")?.reason;
  const heartbeats = conditions.flatMap(({ lastHeartbeatTime: at }) => (at ? [at] : [])).sort();
  const heartbeat = heartbeats.at(-1);
  // The id is the last part: `aws:///eu-west-1a/i-0abc`.
  const machine = /^aws:\/\/.*\/(i-[0-9a-z]+)$/.exec(providerID ?? "")?.[1];
  return {
    ...incarnationOf(metadata),
    labels,
    podCidrs: podCIDRs ?? (podCIDR ? [podCIDR] : []),
    conditions: conditions.map(({ type, status }) => [type, status] as const),
    ...(reason && { reason }),
    isUnschedulable: spec.unschedulable,
    zone: region || zone ? `${region}/${zone}` : "",
    isExcluded: Object.hasOwn(labels, EXCLUDED),
    ...(machine !== undefined && { machine }),
    ...(heartbeat !== undefined && { heartbeat }),
    annotations: ciliumAnnotations(metadata.annotations),
    taints: spec.taints,
  };
}

/** The annotations that a cluster with Cilium has on its nodes, in both spellings (Cilium, pkg/annotation/k8s.go). */
const CILIUM_ANNOTATION =
  /^(network\.cilium\.io\/|io\.cilium\.network\.)ipv[46]-(pod-cidr|cilium-host|health-ip)$/;

const ciliumAnnotations = (annotations: Readonly<Record<string, unknown>>) =>
  Object.entries(annotations).flatMap(([name, value]) =>
    CILIUM_ANNOTATION.test(name) && isCiliumValue(value) ? [[name, value] as const] : [],
  );

/** An address or a network. Anything else is of no use, and could be long. */
const isCiliumValue = (value: unknown): value is string =>
  typeof value === "string" && /^[\da-fA-F:./]{2,64}$/.test(value);
