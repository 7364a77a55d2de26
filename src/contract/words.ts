import { wordsOf } from "../api/noun.ts";
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../base/limits.ts";
import { APPLICATION } from "../nouns/application/contract/request.ts";
import { POOL } from "../nouns/pool/contract/request.ts";
import { QUOTA } from "../nouns/quota/contract/request.ts";
import { NAMESPACE_FIELDS } from "../nouns/registry/contract/request.ts";
import { RESERVATION } from "../nouns/reservation/contract/request.ts";
import { SETTINGS } from "../nouns/settings/contract/request.ts";

/** Descriptions of fields, parameters and headers without their own description, for the OpenAPI document. */

/**
 * Descriptions by the name of a field, which means the same everywhere. A field that means something else in one
 * component has them by `Component.field`, and one inside of another field by `other.field`.
 */
export const FIELD_WORDS: Readonly<Record<string, string>> = {
  ...wordsOf("Pool", POOL),
  ...wordsOf("Reservation", RESERVATION),
  ...wordsOf("Quota", QUOTA),
  "QuotaUsage.addresses": "The addresses under the quota; absent without a maximum of them.",
  "QuotaUsage.prefixes": "The prefixes under the quota; absent without a maximum of them.",
  "QuotaUsage.blocks": "The blocks under the quota; absent without a maximum of them.",
  ...wordsOf("Namespace", NAMESPACE_FIELDS),
  ...wordsOf("Application", APPLICATION),
  ...wordsOf("ConfigurationRead", SETTINGS),
  action:
    "How the request would use this block: own, claim, seize or borrow; create or share one of a pool with ranges; or already assigned addresses.",
  active: "The attributes of the active owner.",
  address: "An IPv4 or IPv6 address.",
  addresses: "The addresses, one entry each.",
  affinities: "The blocks of the host, one entry each.",
  affinityType:
    "The kind of host that owns the block: a node (`host`) or a virtual router (`virtual`).",
  allowPartial: "The request accepts fewer addresses than it asks for.",
  aliases: "The prefixes that the cloud provider has for the node, one of a family at most.",
  allocator:
    "The way in which the cluster gives prefixes to nodes. The names are those of Kubernetes.",
  alternate: "The attributes of the alternate owner, for a machine that migrates.",
  annotations: "The annotations of Spiderpool that have the default pools. Others are ignored.",
  apiVersion: "The version of the manifest's kind.",
  assignedAt: "When the address was assigned.",
  applications: "The applications, one entry each.",
  "BatchedRequest.assign": "An assign; it excludes `release`.",
  "BatchedRequest.release": "A release of addresses; it excludes `assign`.",
  "BatchRequest.requests": "The requests, served side by side and in no order.",
  attributes:
    "Texts that the caller attached to the addresses. They are the active owner until a request changes it.",
  available: "Addresses that can be assigned now.",
  availableAt: "When the address can be assigned again.",
  block: "The block that the address lies in, as a CIDR.",
  blocks: "The blocks, one entry each.",
  borrowed: "The host uses this block, or this address of it, and does not own the block.",
  capacity: "All addresses. The other five counts add up to it.",
  default: "True if the pool also serves requests that name no pool.",
  disable: "True if the pool serves nobody new.",
  events: "The events: of a watch of Kubernetes, or of EventBridge. They may be mixed.",
  excludeIPs: "Addresses and ranges that the pool does not have.",
  gateway:
    "The router of the default route. Plat assigns it to nobody who does not ask for this address.",
  groups: "The number of groups of 64 blocks that were read.",
  cidr: "A network, with no bits set below its prefix.",
  changedBy:
    "The actor of the last change: a caller, or a function of Plat such as `plat/reclaim`. Absent if it was unknown.",
  claimedAt: "When the host claimed the block.",
  code: "A stable code for programs.",
  cooling: "Addresses that were released and cannot be assigned yet, quarantined ones too.",
  cloud: "The prefixes for the cloud provider.",
  cluster: "The cluster, such as the uid of its Namespace `kube-system`.",
  confirmSeconds:
    "The time in which the node states a prefix that Plat chose, in seconds. After it the prefix goes back.",
  count: "The number of addresses.",
  createdAt: "When the job began.",
  current: "The counts of the present walk so far.",
  deleted: "Empty blocks that were deleted.",
  detail: "An explanation for people.",
  "detail-type": "The type of the event of EventBridge.",
  disableBGPExport: "Routing only: Plat stores and returns it, and ignores it otherwise.",
  dns: "The DNS servers.",
  domain: "The DNS domain.",
  dst: "The destination of the route, as a CIDR.",
  dryRun: "The request writes nothing, and the answer says what it would do.",
  effect: "The effect of the taint.",
  end: "Number of addresses at the end of each block that the host reserves.",
  expectedOwner:
    "The owners that the address must have for the change. `null` means that there is none.",
  expiresAt: "When the lease ends. An address without a lease has none.",
  families: "Address families: 4, 6 or both.",
  family: "The address family: 4 or 6.",
  field: "The path to the field, such as `addresses[2].handle`, `?limit` or `If-Match`.",
  fields: "The fields at fault.",
  finishedAt: "When the job ended.",
  generation:
    "Names exactly this assignment. A late or repeated release with it frees nothing else.",
  gw: "The next hop of the route.",
  event: "An event for the Node object. If there is one, nothing has changed.",
  handle: "The name under which addresses are held and released together.",
  handles: "The handles, one entry each.",
  hosts: "The hosts, one entry each.",
  host: "The host that the addresses are used on, or that owns the block.",
  hostLabels: "The labels of the host for this request. They replace the registered ones.",
  hostReserved: "The addresses that the host reserves at both ends of each block that it claims.",
  hostReservation: "The addresses that the host reserves at both ends of this block.",
  id: "The id of the job.",
  idleSince: "Since when the block is empty, as `reclaim` first saw it.",
  ignored: "Manifests of the body that are not applied, by kind and name.",
  inUse: "Addresses that are assigned.",
  instance: "The name of the instance: of a pod, of a virtual machine. It defaults to `name`.",
  ipipMode: "Routing only: Plat stores and returns it, and ignores it otherwise.",
  interface: "The interface that the addresses are for.",
  idempotencyKey:
    "The Idempotency-Key of the assign. It is required, unless the assign is that of an instance of a workload.",
  interfaces:
    "The network interfaces of the workload, each with its own counts and pools. All get their addresses, or none does.",
  ips: "The addresses and ranges in the manifest.",
  ipVersion: "The address family in the manifest. It must be that of the addresses.",
  ipv4: "The number of IPv4 addresses.",
  ipv4Pools:
    "The pools that can serve IPv4, by name, CIDR or pattern, in the order in which they are tried.",
  ipv6: "The number of IPv6 addresses.",
  ipv6Pools:
    "The pools that can serve IPv6, by name, CIDR or pattern, in the order in which they are tried.",
  job: "The job that carries out the request.",
  jobs: "The jobs, one entry each.",
  keep: "Instances of a kind that keeps its addresses keep them for their next uid.",
  kept: "The pool can serve the request.",
  key: "The key of the label.",
  kind: "The kind of the manifest, or of the job.",
  labels: "Labels by the rules of Kubernetes.",
  last: "The counts of the last complete walk over the pool.",
  left: "The number of addresses that are still there.",
  leaseSeconds:
    "Plat releases the addresses after this time without renewal, in seconds. 0 means no lease.",
  limitPerHandle:
    "The most addresses of a family that the handle can have through requests with a limit. 0 means no limit.",
  matchExpressions: "Requirements on labels, all of which must hold.",
  matchLabels: "Labels that must be there with these values.",
  members: "The addresses of the application, in the order of interfaces and addresses.",
  message: "The text of the event, for people.",
  messages: "Further information, for people.",
  metadata:
    "The manifest's metadata. The name is read, the labels of nodes and namespaces, and the annotations with default pools.",
  missing: "The number of missing addresses of a family, and the code that says why.",
  multusName: "The networks that the pool serves.",
  mustBeEmpty: "Only blocks without an assigned or cooling address are released.",
  name: "The name of the resource.",
  namespace: "The namespace that the addresses are for. Pools may select it by its labels.",
  namespaceAffinity: "A LabelSelector of the namespaces that the pool serves.",
  namespaceLabels:
    "The labels of the namespace for this request. They replace the registered ones.",
  namespaceName: "The namespaces that the pool serves, whatever `namespaceAffinity` says.",
  namespaceSelector: "Which namespaces the pool serves, in Calico's language.",
  namespaces: "The namespaces, one entry each.",
  natOutgoing: "Routing only: Plat stores and returns it, and ignores it otherwise.",
  network: "The network that the interface attaches to. Pools may serve some networks only.",
  next: "Send it back as `cursor` to read the next page. The last page has none.",
  node: "The node.",
  nodeAffinity: "A LabelSelector of the hosts that the pool serves.",
  nodeName: "The hosts that the pool serves, whatever `nodeAffinity` says.",
  nodeSelector: "Which hosts the pool serves, in Calico's language.",
  nodes: "The nodes, one entry each.",
  note: "The purpose of the reserved addresses.",
  object: "The object of the watch event, of any kind.",
  operator: "`In` and `NotIn` have `values`; `Exists` and `DoesNotExist` have none.",
  number:
    "The number of addresses that Plat holds for each interface and family: `5`, or `+2` for two more than the replicas.",
  orphans: "Blocks to which nothing leads, of any space.",
  outsideBlocks: "The part of the pool without blocks.",
  owner: "The owners of the address. A missing owner is absent.",
  patch: "A JSON merge patch for the Node object, with what it lacks.",
  podAffinity: "A LabelSelector of the workloads that the pool serves.",
  podCIDRs: "The prefixes of the node, one of a family at most.",
  podSelector:
    "Which workloads the pool serves, by the `labels` of the request, in Calico's language.",
  pool: "The name of the pool.",
  pools:
    "The pools. A request names them by name, CIDR or pattern, and they are tried in its order. If it names none, default pools serve it, or else every automatic pool whose conditions hold.",
  poolsServing: "The number of pools that could have served the request.",
  poolsTried:
    "The number of pools that were read. If a read was incomplete, the error is retryable.",
  mtu: "The size of the largest packet of the network, in bytes.",
  prefixLength:
    "The prefix length of the network that the addresses are used in. Default: that of `cidr`. It is 32, or 128 for IPv6, if each address is routed on its own.",
  problem: "The problem, to be read after the field's name.",
  progress: "How far the job is.",
  quarantinedUntil: "Nobody gets the address before this time.",
  read: "The number of items that Plat read for this page, and the key by which it found them.",
  refusal: "The work that is left. The same `PUT` goes on. Absent if the application is complete.",
  rejection: "Why the request would be rejected.",
  released: "The addresses that were released.",
  requested: "The number of addresses that the request asked for.",
  quotas: "The quotas, one entry each.",
  reservations: "The reservations, one entry each.",
  reserved: "Addresses that a reservation excludes from automatic assignment.",
  resourceVersion: "The version of the object.",
  results: "The result of each entry, in the order of the request.",
  retryAfterSeconds: "How long to wait before the request is sent again, in seconds.",
  retryable: "The same request may succeed later, with nothing changed by its caller.",
  routes: "The routes that the workloads need beside their default one.",
  score: "The sum over the conditions of the pool. Plat tries the highest first.",
  source: "The service that sent the event.",
  space: "The address space. Pools may overlap between spaces, never inside one.",
  spaces: "The spaces, one entry each, in the order of their names.",
  spec: "The specification in the manifest. Of nodes and namespaces it is ignored.",
  start: "Number of addresses at the start of each block that the host reserves.",
  state: "The state at the time of the answer.",
  status: "The result of this entry.",
  subnet: "The CIDR of the pool in the manifest.",
  taken: "Addresses that were assigned in the blocks.",
  title: "A short title of the code.",
  type: "A URN that names the code.",
  uid: "The uid of the instance, as in Kubernetes. A later one replaces it.",
  unreadable: "Blocks that cannot be read. Their addresses stay assigned.",
  updatedAt: "When a worker last continued the job.",
  use: "The use of the addresses. Only pools that allow it serve the request.",
  used: "The number of assigned addresses of the block.",
  value: "The received value, shortened.",
  values: "Values of the label.",
  vlan: "The VLAN of the network. Spiderpool writes 0 for none.",
  vxlanMode: "Routing only: Plat stores and returns it, and ignores it otherwise.",
  write: "The prefixes that the caller writes, by place. Absent if each place has them.",
  workload:
    "The workload of the instance: its kind, its name, the name and the uid of the instance.",
  "AssignedAddress.labels": "The labels of the pool.",
  "Address.labels": "The labels of the pool.",
  "HeldAddress.labels": "The labels of the pool.",
  "AssignRequest.address": "The specific address to assign, in place of counts.",
  "AssignRequest.addresses":
    "One specific address of each family, in place of counts: all are assigned, or none is.",
  "AssignRequest.annotations":
    "The annotations of the pod. The first of `subnets`, `subnet`, `ippools` and `ippool` of `ipam.spidernet.io` chooses the pools.",
  "AssignRequest.handle":
    "The name under which the addresses are held. Required without an Idempotency-Key, of which Plat makes one; a dry run needs neither.",
  "AssignRequest.labels": "The labels of the workload, for the `podSelector` of pools.",
  "AssignRequest.ipv4": "The number of IPv4 addresses to assign.",
  "AssignRequest.ipv6": "The number of IPv6 addresses to assign.",
  "hostReserved.ipv4": "The addresses that the host reserves in each IPv4 block that it claims.",
  "hostReserved.ipv6": "The addresses that the host reserves in each IPv6 block that it claims.",
  "MappedGroup.hostReserved": "The number of addresses that hosts reserve for themselves.",
  "MappedBlocks.hostReserved": "The addresses of each block that its host reserves for itself.",
  "MappedBlocks.inUse": "The assigned addresses of each block.",
  "MappedBlocks.reserved":
    "The addresses of each block that a reservation excludes from automatic assignment.",
  "MappedBlocks.cooling":
    "The addresses of each block that were released and cannot be assigned yet, quarantined ones too.",
  "MappedBlocks.available": "The addresses of each block that can be assigned now.",
  "used.owner": "The user of the address, as Cilium names it.",
  "WalkCounts.blocks": "The number of blocks that the walk has seen.",
  "CiliumNode.status": "The reports of the agent and the operator on the node.",
  "ipam.pool": "The addresses that the node may use (`crd`), each with its use.",
  "ipam.pools": "The prefixes of the node by Cilium's pool (`multi-pool`).",
  "ipam.used": "The addresses that the node uses (`crd`), each with its use.",
  "pool.owner": "The user of the address, as Cilium names it.",
  "pools.requested": "The needs of the node in each of Cilium's pools.",
  "CiliumNodeRequest.status": "The reports of the agent and the operator on the node.",
  "status.operator": "The result of the operator in earlier versions of Cilium.",
  "spec.nodeSelector":
    "Which hosts the pool serves: a selector of Calico's language, or a LabelSelector.",
  "spec.namespaceSelector":
    "Which namespaces the pool serves: a selector of Calico's language, or a LabelSelector.",
  "PoolRequest.job": "Ignored, so that an answer can be sent back.",
  "Pool.job": "The id of the job that changes the pool.",
  "PoolWritten.job": "The id of the job that changes the pool.",
  "problem.status": "The HTTP status of the answer.",
  "Application.kind": "The kind of the application, such as `Deployment` or `StatefulSet`.",
  "ApplicationWritten.kind": "The kind of the application, such as `Deployment` or `StatefulSet`.",
  "CloudEvent.detail": "The occurrence, as the service describes it.",
  "WatchEvent.type": "The change of the object.",
  "NodeWithStatus.status": "The health of a node that events registered.",
  "NodeRequest.status": "Ignored, so that an answer can be sent back.",
  "ApplicationRequest.kind": "The kind of the application, as in the path.",
  "ApplicationAddresses.interfaces":
    "The interfaces of the instances, each with the pools of its addresses.",
  "ApplicationAddresses.keep":
    "A deletion keeps the addresses, for a later application of the same name.",
  "ApplicationRequest.state": "Ignored, so that an answer can be sent back.",
  "ApplicationRequest.members": "Ignored, so that an answer can be sent back.",
  "ApplicationRequest.complete": "Ignored, so that an answer can be sent back.",
  "ApplicationRequest.refusal": "Ignored, so that an answer can be sent back.",
  "ApplicationAddresses.pools": "The pools of the addresses, if the instances have one interface.",
  "ApplicationInterface.pools": "The pools of the addresses of this interface.",
  "Health.status": "`ok` while the function runs, `ready` while it reaches its table.",
  "ListedPodCidr.uid": "The uid of the Node object that has the prefix.",
  "PodCidr.expiresAt": "When the prefix goes back if the node has not stated it.",
  "PodCidr.state": "`pending` until the node states the prefix, and `confirmed` from then on.",
  "PodCidrs.uid": "The uid of the Node object.",
  "PodCidrsReleased.released": "The prefixes that this request released.",
  "PodCidrsRequest.podCIDRs":
    "The prefixes in the Node object, one of a family at most. Bits below a prefix are cut. Without any, Plat chooses.",
  "PodCidrsRequest.pools":
    "The pools of prefixes that can serve, also `Manual` ones. Without any, every Automatic pool whose conditions hold.",
  "PodCidrsRequest.uid": "The uid of the Node object. Another uid is another node.",
  "PrefixAssignment.prefixes": "The assigned prefix, or what the handle had under its limit.",
  "PrefixReleaseRequest.cidr": "Only this prefix. Default: all of the handle.",
  "PrefixRequest.cidr": "A specific prefix, in place of `family` and `prefixLength`.",
  "PrefixRequest.prefixLength": "The only length of prefixes that serves. Default: any.",
  "PrefixRequest.limitPerHandle": "1: the handle has one prefix of the family at most.",
  "Prefixes.prefixes": "The prefixes, one entry each.",
  "Pool.state":
    "The reason why the pool does not serve: `pending` or `deleting`. Absent otherwise.",
  "Problem.status": "The HTTP status of the answer.",
  "UnreadableItem.reason": "Why it cannot be read.",
  "ReservationWarning.detail": "The effect of the reservation on the pool, for people.",
  "ReleaseRequest.addresses":
    "The addresses to release one by one, each with its generation or handle.",
  "ReleaseRequest.handle": "Release all addresses of this handle.",
  "ReleaseRequest.host":
    "Release all addresses of this host, in its own blocks and in borrowed ones.",
  allocated: "The prefixes that the node has, by Cilium's pool.",
  error: "Sentences on what could not be granted.",
  ipam: "The addresses and the prefixes of the node.",
  "ipv4-addrs": "The number of IPv4 addresses.",
  "ipv6-addrs": "The number of IPv6 addresses.",
  "max-above-watermark": "The addresses that the node gets beyond what it needs.",
  "max-allocate": "The most addresses of a family that the node gets.",
  "min-allocate": "The least addresses of a family that the node has.",
  needed: "The addresses that the node needs of the pool, in use or in reserve.",
  "operator-status": "The result of the operator, whose part Plat takes.",
  ownerReferences: "The owners of the object. The uid of the Node among them is that of the node.",
  "pre-allocate": "The free addresses of a family that the node has in reserve.",
  "release-ips": "The state in which the release of each address is.",
  resource: "The network interface that has the address.",
};

const NAMED = "The name, as in the list.";

/** By the name of a parameter in a path or a query. */
export const PARAMETER_WORDS: Readonly<Record<string, string>> = {
  affinityType: "The kind of host: a node (`host`) or a virtual router (`virtual`).",
  cidr: "A block, or a range of blocks. Its slash may be encoded or not.",
  cursor: "The `next` of the previous page. It is valid for the same path and filters only.",
  dryRun: "Write nothing, and return what the request would do.",
  fields:
    "`status`: also what the cluster reports of each node, such as its uid and resourceVersion.",
  handle: "The handle. Its slashes may be encoded or not.",
  host: "Only blocks of this host, and its borrowed blocks.",
  prefix: "Only handles that begin with this text.",
  "listAddresses.attributes":
    "Only addresses whose attributes have these values. Each is a parameter of its own, with the name of its attribute after `attribute.`, such as `attribute.tenant=red`.",
  "listAddresses.cidr": "Only addresses in this network.",
  "listPrefixes.cidr": "Only the prefix that is exactly this network.",
  "releasePodCidrs.cidr": "Only the prefix of the node that is exactly this network.",
  "readPoolMap.cidr": "Only blocks in this network.",
  "readPoolMap.limit":
    "The maximum number of block groups of the page. A page can have fewer, and a next page.",
  detail: "Count by block group, or by block.",
  "listAddresses.handle": "Only addresses of this handle.",
  "listAddresses.host": "Only addresses that this host uses.",
  "listAddresses.owner":
    "Only addresses whose active or alternate owner has this name, with or without its namespace: `web-0` or `shop/web-0`.",
  "listAddresses.state": "Only addresses in this state.",
  id: "The id of the job.",
  ip: "An IPv4 or IPv6 address.",
  kind: "The kind of the application, such as `Deployment`.",
  limit: "The maximum number of entries of the page. A page can have fewer, and a next page.",
  mustBeEmpty: "Only release blocks without an assigned or cooling address.",
  name: NAMED,
  namespace: NAMED,
  node: NAMED,
  type: "The type of an event.",
  uid: "The uid of the Node object.",
  pool: "Only this pool, by name.",
  "readUtilizations.pool":
    "Only these pools, each by its name or its CIDR. All pools if none is named.",
  since:
    "Begin with the events of this time, in place of a cursor. Without both, the events from now on.",
  space: "The address space. Pools may overlap between spaces, never inside one.",
  families:
    "The families that the node needs: those that pools serve, or IPv4 alone in `kubernetes`, if absent.",
  mode: "The option `ipam` of the cluster's Cilium.",
  releaseAfterSeconds:
    "The time after which addresses that the node does not need are released; never if absent.",
  withdrawAfterSeconds:
    "The time for which `status.ipam.used` must lack a withdrawn address before it is released.",
};

const KEY_FORM = `The key has 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} characters, in quotes or not: \`"abc"\` and \`abc\` are one key. A key with a comma is in quotes, because gateways join two headers by a comma: Plat rejects a request with two keys (400). Plat rejects the same key with another body (422).`;

/** By the name of a header. One that a route means otherwise has its words by `id.header`. */
export const HEADER_WORDS: Readonly<Record<string, string>> = {
  "If-Match":
    "Change, delete or drain the resource only if it still has one of these ETags; `*` matches any (RFC 9110, 13.1.1). A change requires it. A `PUT` of the current content does not require it, and writes nothing.",
  "If-None-Match":
    "On a read, returns 304 if the resource still has one of these ETags. On a `PUT`, `*` creates and never changes (RFC 9110, 13.1.2).",
  "Idempotency-Key": `Makes the request safe to repeat: the same request with the same key gets the same addresses while all of them are assigned. Once one was released, and for 24 hours after the last release, it gets \`already_released\` (409). The key belongs to the space and the handle. With another handle it is another request, and gets other addresses. Plat makes a handle of the key for a request without one. An assign with neither is rejected (400), unless it is a dry run. ${KEY_FORM}`,
  "assignPrefix.Idempotency-Key": `Makes the request safe to repeat: the same request with the same key gets the same prefix while the handle has it. For 24 hours after its release it gets \`already_released\` (409). The key belongs to the space and the handle. With another handle it is another request, and gets another prefix. ${KEY_FORM}`,
};

export const RESPONSE_HEADER_WORDS = {
  "x-request-id": "The id of the request, which finds it in the log.",
  etag: "The revision of the resource, for If-Match and If-None-Match.",
  location: "The path of the created resource or the started job.",
  "retry-after": "How long to wait before the request is sent again, in seconds.",
  "apigw-requestid": "The id that API Gateway gave the request.",
} as const;
