import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from "../../domain/limits.ts";

/** What the OpenAPI document says of fields, parameters and headers whose schema has no description of its own. */

/**
 * By the name of a field, which means the same wherever it stands; `Schema.field` where it means something else in one
 * component schema.
 */
export const FIELD_WORDS: Readonly<Record<string, string>> = {
  action:
    "How the request would use this block: the host's own, a new claim, a take-over, a loan, or addresses held already.",
  active: "The attributes of the active owner.",
  address: "An IPv4 or IPv6 address.",
  addresses: "The addresses, one entry each.",
  affinities: "The blocks of the host, one entry each.",
  affinityType:
    "The kind of host that owns the block: a node (`host`) or a virtual router (`virtual`).",
  allowBareRelease: "A release may name an address alone, without its generation or handle.",
  allowPartial: "The request takes what there is where there is less than it asks for.",
  allowedUses: "What the addresses of the pool are for.",
  alternate: "The attributes of the alternate owner, as a machine that moves has one.",
  apiVersion: "The version of the manifest's kind.",
  assignedAt: "When the address was assigned.",
  assignmentMode: "`Manual` pools serve only requests that name them.",
  attributes:
    "Texts that the caller attached to the addresses. They are the active owner until somebody changes it.",
  autoAllocateBlocks: "Hosts claim blocks automatically when they need them.",
  available: "Addresses that can be assigned now.",
  availableAt: "When the address can be assigned again.",
  block: "The block that the address lies in, as a CIDR.",
  blockMinAgeSeconds: "The reclaimer deletes no empty block that is younger, in seconds.",
  blockSize:
    "The prefix length of the pool's blocks. It never changes. Default: 26 for IPv4 and 122 for IPv6; a smaller pool is one block.",
  blocks: "The blocks, one entry each.",
  borrowed: "The host uses this block, or this address of it, and does not own the block.",
  borrowing: "Whether hosts may take addresses from blocks of this pool that they do not own.",
  capacity: "All addresses. The other five counts add up to it.",
  cells: "How many groups of 64 blocks were looked at.",
  cidr: "A network, with no bits set below its prefix.",
  cidrs: "CIDRs, addresses, and ranges of addresses such as 10.0.0.1-10.0.0.9.",
  claimedAt: "When the host claimed the block.",
  code: "A stable code for programs.",
  cooldownSeconds: "How long a released address stays unassigned, in seconds.",
  cooling: "Addresses that were released and may not be assigned yet.",
  count: "How many addresses.",
  createdAt: "When the job began.",
  current: "What the walk under way has counted so far.",
  deleted: "Empty blocks that were deleted.",
  detail: "What happened, for people.",
  disableBGPExport: "Routing only: kept, given back, and otherwise ignored.",
  disabled: "The pool assigns no new address.",
  dryRun: "Nothing is written: the answer says what the request would come to.",
  end: "How many addresses at the end of each block the host keeps.",
  expectedOwner:
    "The owners that must stand there for the change to be made. `null` means that nobody may.",
  expiresAt: "When the lease ends. An address without a lease has none.",
  families: "Address families: 4, 6 or both.",
  family: "The address family: 4 or 6.",
  field: "The path to the field, such as `addresses[2].handle`, `?limit` or `If-Match`.",
  fields: "The fields at fault.",
  finishedAt: "When the job ended.",
  generation:
    "Names exactly this assignment: a late or repeated release under it frees nothing else.",
  handle: "The name under which addresses are held and given back together.",
  host: "The host that the addresses are used on, or that owns the block.",
  hostLabels:
    "The labels of the host for this request. They count in place of the registered ones.",
  hostReserved: "What the host keeps for itself at both ends of each block that it claims.",
  id: "The id of the job.",
  idleSince: "Since when the block stands empty, as the reclaimer first saw it.",
  ignored: "Manifests of the body that are not applied, by kind and name.",
  inUse: "Addresses that are assigned.",
  ipipMode: "Routing only: kept, given back, and otherwise ignored.",
  ipv4: "IPv4: how many addresses, or what the host keeps in such blocks.",
  ipv4Pools:
    "The pools that may serve IPv4, by name or CIDR, in the order in which they are tried.",
  ipv6: "IPv6: how many addresses, or what the host keeps in such blocks.",
  ipv6Pools:
    "The pools that may serve IPv6, by name or CIDR, in the order in which they are tried.",
  job: "The job that carries out what was begun.",
  jobs: "The jobs, one entry each.",
  kept: "The pool may serve the request.",
  kind: "The kind of the manifest, or of the job.",
  labels: "Labels by the rules of Kubernetes.",
  last: "What the last whole walk over the pool counted.",
  leaseSeconds:
    "After so many seconds without renewal the addresses are taken back. 0 means no lease.",
  limitPerHandle:
    "The handle has at most so many addresses of a family by such requests. 0 means no limit.",
  maxAddressesPerRequest: "How many addresses of a family one request may ask for.",
  maxBlocksPerHost: "How many blocks of the pools at hand a host may own. `null` means no cap.",
  messages: "What the caller should know besides, for people.",
  metadata: "The manifest's metadata. The name is read, and the labels of nodes and namespaces.",
  missing: "How many addresses of a family are missing, and by which code.",
  mustBeEmpty: "Only blocks without an assigned or cooling address are released.",
  name: "The name of the resource.",
  namespace: "The namespace that the addresses are for. Pools may select it by its labels.",
  namespaceLabels:
    "The labels of the namespace for this request. They count in place of the registered ones.",
  namespaceSelector: "Which namespaces the pool serves, in Calico's selector language.",
  namespaces: "The namespaces, one entry each.",
  natOutgoing: "Routing only: kept, given back, and otherwise ignored.",
  next: "Send it back as `cursor` to read the next page. The last page has none.",
  nodeSelector: "Which hosts the pool serves, in Calico's selector language.",
  nodes: "The nodes, one entry each.",
  note: "What the reserved addresses are for.",
  orphans: "Blocks of no pool.",
  outsideBlocks: "The part of the pool where no block stands.",
  owner: "Who owns the address. A side without an owner is absent.",
  pool: "The name of the pool.",
  pools:
    "The pools. A request names them by name or CIDR, and they are tried in its order. If it names none, every automatic pool that selects it can serve, by name.",
  poolsServing: "How many pools could have served the request.",
  poolsTried:
    "How many of them were looked at. Where a look did not see everything the refusal is retryable.",
  problem: "What is wrong with it, to be read after the field's name.",
  progress: "How far the job is.",
  reason: "Why the addresses are reserved.",
  refusal: "Why the request would be refused.",
  released: "The addresses that were released.",
  requested: "How many addresses the request asked for.",
  requireRegisteredHosts: "Only registered hosts get addresses.",
  reservations: "The reservations, one entry each.",
  reserved: "Addresses that a reservation keeps out of automatic assignment.",
  results: "What became of each entry, in the order of the request.",
  retryAfterSeconds: "How long to wait before the request is sent again, in seconds.",
  retryable: "The same request may succeed later, with nothing changed by its caller.",
  routing:
    "Fields of a Calico manifest that only concern routing: kept, given back, and otherwise ignored.",
  space: "The address space. Pools may overlap between spaces, never inside one.",
  spec: "The specification in the manifest. Of nodes and namespaces it is ignored.",
  start: "How many addresses at the start of each block the host keeps.",
  state: "The state at the time of the answer.",
  status: "What became of this entry.",
  strictAffinity: "Hosts get addresses of their own blocks only.",
  taken: "Addresses that were assigned in the blocks.",
  title: "What this code means, in a few words.",
  type: "A URN that names the code.",
  unreadable: "Blocks that cannot be read. Their addresses are kept as they are.",
  updatedAt: "When the job was last carried on.",
  use: "What the addresses are for. Only pools that allow the use serve the request.",
  used: "How many addresses of the block are assigned.",
  value: "What was received, shortened.",
  vxlanMode: "Routing only: kept, given back, and otherwise ignored.",
  warmBlocksPerHost: "How many empty blocks a host in use may keep.",
  "AssignRequest.address": "The specific address to assign, in place of counts.",
  "AssignRequest.handle":
    "The name under which the addresses are held. Required without an Idempotency-Key, which makes one; a dry run needs neither.",
  "AssignRequest.ipv4": "How many IPv4 addresses to assign.",
  "AssignRequest.ipv6": "How many IPv6 addresses to assign.",
  "Health.status": "`ok` while the function runs, `ready` while it reaches its table.",
  "Pool.state": "Why the pool serves nobody: `pending` or `deleting`. Absent otherwise.",
  "Problem.status": "The HTTP status of the answer.",
  "UnreadableItem.reason": "Why it cannot be read.",
  "ReservationWarning.detail": "What the reservation does to the pool, for people.",
  "ReleaseRequest.addresses":
    "The addresses to release one by one, each with its generation or handle.",
  "ReleaseRequest.handle": "Release all that this handle holds.",
  "ReleaseRequest.host":
    "Release all that this host holds, in its own blocks and in those it borrows from.",
};

const NAMED = "The name, as it stands in the list.";

/** By the name of a parameter in a path or a query. */
export const PARAMETER_WORDS: Readonly<Record<string, string>> = {
  affinityType: "The kind of host: a node (`host`) or a virtual router (`virtual`).",
  cidr: "A block, or a range of blocks. Its slash may be encoded or not.",
  cursor: "The `next` of the page before. It goes on with the same path and filters only.",
  dryRun: "Write nothing, and answer what the request would come to.",
  handle: "The handle. Its slashes may be encoded or not.",
  host: "Only blocks of this host, and those that it borrows from.",
  id: "The id of the job.",
  ip: "An IPv4 or IPv6 address.",
  limit: "How many entries the page may have at most. A page may have fewer, and a next one.",
  mustBeEmpty: "Only release blocks without an assigned or cooling address.",
  name: NAMED,
  namespace: NAMED,
  node: NAMED,
  orphans: "Look for blocks of no pool, too, after the last pool.",
  pool: "Only this pool, or these pools, by name.",
  space: "The address space. Pools may overlap between spaces, never inside one.",
};

export const HEADER_WORDS = {
  "If-Match":
    "Change, delete or drain the resource only if it still has one of these ETags; `*` stands for whatever is there (RFC 9110, 13.1.1). To change what is there it is required; a `PUT` of what stands there already needs none and writes nothing.",
  "If-None-Match":
    "On a read, answer 304 if the resource still has one of these ETags. On a `PUT`, `*` creates and never changes (RFC 9110, 13.1.2).",
  "Idempotency-Key": `Makes the request safe to repeat: for 24 hours the same request under the same key gets the same addresses. The key belongs to the space and the handle: the same key under another handle is another request, and takes other addresses. A request without a handle gets one made of the key; a request to assign with neither is refused (400), unless it is a dry run. It has 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} characters, in quotes or not: \`"abc"\` and \`abc\` are one key. The same key with another body is refused (422).`,
} as const;

export const RESPONSE_HEADER_WORDS = {
  "x-request-id": "The id of the request, which finds it in the log.",
  etag: "The revision of the resource, for If-Match and If-None-Match.",
  location: "The path of what was created or begun.",
  "retry-after": "How long to wait before the request is sent again, in seconds.",
  "apigw-requestid": "The id that API Gateway gave the request.",
} as const;

/** The groups of operations, in the order of their names. */
export const TAGS = {
  addresses: "Assign addresses, read them, amend them and release them.",
  blocks: "Blocks, and the affinity of hosts to them.",
  configuration: "What holds for a whole space, and everything that it has.",
  jobs: "Work that takes longer than a request.",
  pools: "Pools, how they are used, and the work that drains or deletes them.",
  registry: "The labels of hosts and namespaces, which pools select by.",
  reservations: "Addresses that are kept out of automatic assignment.",
  service: "Whether the service runs, and this document.",
} as const;

export type Tag = keyof typeof TAGS;
