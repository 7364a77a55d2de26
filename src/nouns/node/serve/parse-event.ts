import type * as v from "valibot";
import { orProblem, Problem } from "../../../api/schema/problem.ts";
import { checked, cut, isRecord, rejectDeep } from "../../../api/schema/schema.ts";
import {
  cloudEvent,
  instanceState,
  instanceTerminated,
  leaseSaid,
  nodeDeleted,
  nodeStated,
  podSaid,
  watchEvent,
} from "../contract/events-request.ts";
import { type ClusterEvent, heartbeatIn, type NodeStatement } from "../node-health.ts";
import { CILIUM_ANNOTATION } from "../node-report.ts";

/** The name of an entry: its kind and its object. */
interface Named {
  readonly kind: string;
  readonly name: string;
}

/** An event as Plat reads it: one to apply, or one that nothing follows from. */
type ReadEvent = { readonly event: ClusterEvent } | { readonly ignored: true };

/** An entry: an event, or a malformed one. */
export type ParsedEvent = Named & (ReadEvent | { readonly rejected: Problem });

/** Parses a watch event of Kubernetes, or an event of EventBridge. It throws nothing. */
export function parseEvent(entry: unknown): ParsedEvent {
  if (!isRecord(entry) || !("detail-type" in entry))
    return { ...namedIn(entry), ...orRejected(() => parseWatchEvent(entry)) };
  const { "detail-type": type } = entry;
  const kind = typeof type === "string" ? cut(type) : "";
  return { kind, name: "", ...orRejected(() => parseCloudEvent(kind, entry)) };
}

function orRejected<T>(read: () => T): T | { readonly rejected: Problem } {
  const event = orProblem(read);
  return event instanceof Problem ? { rejected: event } : event;
}

/** The API groups of the kinds that Plat acts on. Another kind of the same name is ignored. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  Node: /^v1$/,
  Pod: /^v1$/,
  Lease: /^coordination\.k8s\.io\//,
};

/** The namespace of the Leases of nodes. */
const NODE_LEASES = "kube-node-lease";

function parseWatchEvent(entry: unknown): ReadEvent {
  const { type, object } = checked(watchEvent, entry);
  const { kind, apiVersion } = object as { kind: string; apiVersion?: unknown };
  const group = Object.hasOwn(GROUPS, kind) ? GROUPS[kind] : undefined;
  const isOther =
    apiVersion !== undefined && !(typeof apiVersion === "string" && group?.test(apiVersion));
  if (type === "BOOKMARK" || type === "ERROR" || !group || isOther) return { ignored: true };
  if (kind === "Pod") return parsePod(type, object);
  if (kind === "Lease") return parseLease(type, object);
  return type === "DELETED" ? parseEnd(object) : parseStatement(object);
}

function parseStatement(object: unknown): ReadEvent {
  const node = objectAs(nodeStated, object);
  // A patch has the taints as they were sent, with fields that Plat does not read.
  rejectDeep("object.spec.taints", node.spec.taints);
  return { event: { act: "state", name: node.metadata.name, statement: statementOf(node) } };
}

function parseEnd(object: unknown): ReadEvent {
  const { metadata } = objectAs(nodeDeleted, object);
  return { event: { act: "end", name: metadata.name, ended: incarnationOf(metadata) } };
}

function parsePod(type: string, object: unknown): ReadEvent {
  const pod = objectAs(podSaid, object);
  const { phase = "" } = pod.status;
  const isOver = type === "DELETED" || phase === "Succeeded" || phase === "Failed";
  if (!isOver) return { ignored: true };
  return { event: { act: "release", name: pod.metadata.name, uid: pod.metadata.uid } };
}

function parseLease(type: string, object: unknown): ReadEvent {
  const { metadata } = object as { metadata?: { namespace?: unknown } };
  if (type === "DELETED" || (isRecord(metadata) && metadata.namespace !== NODE_LEASES))
    return { ignored: true };
  const lease = objectAs(leaseSaid, object);
  return { event: { act: "renew", name: lease.metadata.name, renewedAt: lease.spec.renewTime } };
}

/** Parses the object of a watch event. Its problem names the fields as they are in the entry. */
function objectAs<Schema extends v.GenericSchema>(
  schema: Schema,
  object: unknown,
): v.InferOutput<Schema> {
  const read = orProblem(() => checked(schema, object));
  if (!(read instanceof Problem)) return read;
  throw new Problem(read.code, `object.${read.detail}`, read.members);
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-instance-state-changes.html */
const STATE_CHANGE = "EC2 Instance State-change Notification";
/** https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-event-reference.html */
const TERMINATED = "EC2 Instance Terminate Successful";

function parseCloudEvent(kind: string, entry: unknown): ReadEvent & Partial<Named> {
  const event = checked(cloudEvent, entry);
  if (kind === STATE_CHANGE) {
    const { "instance-id": name, state } = checked(instanceState, event).detail;
    if (state !== "terminated") return { name, ignored: true };
    return { name, event: { act: "terminate", name } };
  }
  if (kind !== TERMINATED) return { ignored: true };
  const { EC2InstanceId: name } = checked(instanceTerminated, event).detail;
  return { name, event: { act: "terminate", name } };
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
  const heartbeat = heartbeatIn(conditions);
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

const ciliumAnnotations = (annotations: Readonly<Record<string, unknown>>) =>
  Object.entries(annotations).flatMap(([name, value]) =>
    CILIUM_ANNOTATION.test(name) && isCiliumValue(value) ? [[name, value] as const] : [],
  );

/** An address or a network. Anything else is of no use, and could be long. */
const isCiliumValue = (value: unknown): value is string =>
  typeof value === "string" && /^[\da-fA-F:./]{2,64}$/.test(value);
