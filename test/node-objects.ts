/** Objects and events as Kubernetes and AWS write them, for tests. */

/** What a test says of a Node object beside its name. */
interface NodeSaid {
  readonly uid?: string;
  readonly version?: number;
  readonly created?: string;
  readonly labels?: object;
  readonly annotations?: object;
  readonly spec?: object;
  readonly conditions?: readonly object[];
}

function nodeObject(name: string, said: NodeSaid = {}) {
  const { uid = `uid-of-${name}`, version = 100, created = "2026-03-11T08:12:45Z" } = said;
  return {
    kind: "Node",
    apiVersion: "v1",
    metadata: {
      name,
      uid,
      resourceVersion: String(version),
      creationTimestamp: created,
      labels: said.labels ?? {},
      ...(said.annotations && { annotations: said.annotations }),
      managedFields: [{ manager: "kubelet" }],
    },
    spec: said.spec ?? {},
    status: { conditions: said.conditions ?? [ready("True")], images: [] },
  };
}

export const ready = (status: string, at = "2026-03-11T08:13:00Z") => ({
  type: "Ready",
  status,
  reason: status === "True" ? "KubeletReady" : "KubeletNotReady",
  lastHeartbeatTime: at,
  lastTransitionTime: at,
});

export const nodeEvent = (type: string, name: string, said: NodeSaid = {}) => ({
  type,
  object: nodeObject(name, said),
});

export const podEvent = (type: string, uid: string, phase = "Running") => ({
  type,
  object: {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: `pod-${uid}`, namespace: "shop", uid, resourceVersion: "7" },
    spec: { nodeName: "n1" },
    status: { phase },
  },
});

export const leaseEvent = (name: string, renewTime: string, namespace = "kube-node-lease") => ({
  type: "MODIFIED",
  object: {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    metadata: { name, namespace, resourceVersion: "9" },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime },
  },
});

export const instanceEvent = (id: string, state = "terminated") => ({
  version: "0",
  id: "7bf73129-1428-4cd3-a780-95db273d1602",
  "detail-type": "EC2 Instance State-change Notification",
  source: "aws.ec2",
  time: "2026-03-11T09:00:00Z",
  region: "eu-west-1",
  detail: { "instance-id": id, state },
});

export const terminationEvent = (id: string) => ({
  "detail-type": "EC2 Instance Terminate Successful",
  source: "aws.autoscaling",
  detail: { EC2InstanceId: id, AutoScalingGroupName: "nodes" },
});

/** What a CiliumNode says, beside its name. */
export interface CiliumSaid {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly podCIDRs?: readonly string[];
  readonly metadata?: object;
  readonly ipam?: object;
  readonly status?: object;
}

/** Returns a CiliumNode as the agent of Cilium writes it. Its uid is that of the Node that owns it. */
export const ciliumNode = (
  name: string,
  { uid = "a", resourceVersion = "5", podCIDRs, metadata, ipam, status }: CiliumSaid = {},
) => ({
  apiVersion: "cilium.io/v2",
  kind: "CiliumNode",
  metadata: {
    name,
    uid: `cilium-${uid}`,
    resourceVersion,
    ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }],
    labels: { "kubernetes.io/hostname": name },
    ...metadata,
  },
  spec: {
    addresses: [{ type: "InternalIP", ip: "192.168.0.7" }],
    ipam: { ...(podCIDRs && { podCIDRs }), ...ipam },
  },
  ...(status && { status }),
});
