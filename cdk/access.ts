import type { FunctionName } from "../src/contract/routes.ts";

/** The functions that EventBridge Scheduler invokes. */
export const SCHEDULED_FUNCTIONS = ["reclaim", "repair", "work"] as const;
export type ScheduledFunctionName = (typeof SCHEDULED_FUNCTIONS)[number];

/**
 * Every function of a deployment: those of the API, those of the schedules, that of the queue, that of the table's
 * stream, the probe, the authorizer and the console.
 */
export type DeployedFunctionName =
  | FunctionName
  | ScheduledFunctionName
  | "intake"
  | "publish"
  | "probe"
  | "authorize"
  | "console"
  | "netbox";

/** Partitions of the table by the prefixes of their keys (`src/table/key.ts`). */
export const PARTITIONS = {
  APPLICATIONS: "APPLICATIONS#*",
  BLOCK: "BLOCK#*",
  BUDGET: "BUDGET#*",
  FULLPOOLS: "FULLPOOLS#*",
  HANDLE: "HANDLE#*",
  HOST: "HOST#*",
  INDEX: "INDEX#*",
  JOBS: "JOBS",
  MACHINE: "MACHINE#*",
  QUOTA: "QUOTA#*",
  NAMESPACE: "NAMESPACE#*",
  NODE: "NODE#*",
  NODES: "NODES#*",
  STATED: "STATED#*",
  PLAN: "PLAN#*",
  GROUPINDEX: "GROUPINDEX#*",
  SPACE: "SPACE#*",
  SPACES: "SPACES",
  SWEEP: "SWEEP",
  TABLE: "TABLE",
  USAGE: "USAGE#*",
  VERSION: "VERSION#*",
} as const;
export type Partition = keyof typeof PARTITIONS;

export const ACTIONS = {
  get: "dynamodb:GetItem",
  query: "dynamodb:Query",
  put: "dynamodb:PutItem",
  update: "dynamodb:UpdateItem",
  delete: "dynamodb:DeleteItem",
} as const;
export type ActionKind = keyof typeof ACTIONS;

/** The rights of a function, by action and partition. */
export interface Access extends Readonly<Partial<Record<ActionKind, readonly Partition[]>>> {
  /** True if it may scan the whole table; no condition on keys can limit that. */
  readonly scan?: true;
  /** True if it may query the due index. */
  readonly due?: true;
}

/** A batch assigns as a request does. */
const ASSIGN = {
  get: [
    "APPLICATIONS",
    "BLOCK",
    "BUDGET",
    "HANDLE",
    "HOST",
    "NAMESPACE",
    "GROUPINDEX",
    "TABLE",
    "VERSION",
  ],
  query: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "QUOTA", "GROUPINDEX", "SPACE"],
  put: ["BUDGET", "APPLICATIONS", "BLOCK", "FULLPOOLS", "HANDLE", "HOST", "INDEX", "QUOTA"],
  update: ["BUDGET", "APPLICATIONS", "BLOCK", "FULLPOOLS", "GROUPINDEX"],
  delete: ["APPLICATIONS", "FULLPOOLS", "HANDLE", "HOST", "INDEX", "QUOTA"],
} as const satisfies Access;

/** Events do the same from a queue as in a request. */
const NODES = {
  get: ["APPLICATIONS", "BLOCK", "HANDLE", "HOST", "NODE", "TABLE", "VERSION"],
  query: ["BLOCK", "HANDLE", "INDEX", "MACHINE", "NODE", "QUOTA", "GROUPINDEX", "SPACE", "STATED"],
  put: [
    "APPLICATIONS",
    "BLOCK",
    "HANDLE",
    "HOST",
    "MACHINE",
    "NODE",
    "NODES",
    "QUOTA",
    "STATED",
    "TABLE",
  ],
  update: ["APPLICATIONS", "BLOCK", "BUDGET", "FULLPOOLS", "GROUPINDEX", "HANDLE", "HOST"],
  delete: [
    "APPLICATIONS",
    "HANDLE",
    "HOST",
    "INDEX",
    "MACHINE",
    "NODE",
    "NODES",
    "QUOTA",
    "STATED",
  ],
} as const satisfies Access;

/**
 * The rights of each function. There is one function for each set of rights. Routes that need the same rights share a
 * function, which is then cold less often. No route has a right that it does not need. A set has actions, and the
 * partitions of the items:
 *
 * A deletion that names its actor is an update before it (`src/table/signed-table.ts`). A dry run reads each item that it
 * would write (`src/table/dry-run-table.ts`).
 *
 * - `assign` claims blocks and writes allocations. `release` claims none. Both settle what an application holds again. `batch` does both.
 *   Of a host's items `release` deletes only the hint that a block is full, which shares a partition with affinities
 *   and nodes. `affinities` does not touch allocations. `amend` changes an allocation and nothing else.
 * - `read` writes nothing. `survey` may scan, which no condition on keys can limit.
 * - `configure` writes the configuration of a space: pools, reservations and settings share a partition, where a right
 *   to one is a right to all. It holds the prefix that a pool is made of, and `work` lets it go: both change the allocation. `work` also
 *   removes what is left in a space that is deleted. `register` writes hosts and namespaces. `applications` holds slots, and
 *   closes allocations that are kept. `nodes` assigns prefixes and releases them, writes what clusters say of hosts, and
 *   ends what a pod has, as `release` does.
 * - `openapi`, `authorize` and `console` need no table.
 */
export const ACCESS: Readonly<Record<DeployedFunctionName, Access | undefined>> = {
  // It assigns prefixes to handles, too, and nodes may state them.
  assign: {
    ...ASSIGN,
    get: [...ASSIGN.get, "FULLPOOLS", "INDEX", "QUOTA"],
    query: [...ASSIGN.query, "STATED"],
  },
  release: {
    get: ["APPLICATIONS", "BLOCK", "HANDLE", "TABLE", "VERSION"],
    query: ["HANDLE", "HOST", "SPACE"],
    put: ["APPLICATIONS", "HANDLE"],
    update: ["BUDGET", "APPLICATIONS", "BLOCK", "FULLPOOLS", "HANDLE"],
    delete: ["APPLICATIONS", "HANDLE", "HOST", "INDEX", "QUOTA"],
  },
  // What `assign` may and `release` may, in one function, because its requests share writes.
  batch: {
    get: [...ASSIGN.get],
    query: [...ASSIGN.query],
    put: [...ASSIGN.put],
    update: [...ASSIGN.update, "HANDLE"],
    delete: [...ASSIGN.delete],
  },
  amend: {
    get: ["BLOCK", "HANDLE", "TABLE", "VERSION"],
    query: ["HANDLE", "SPACE"],
    put: ["HANDLE"],
  },
  affinities: {
    get: ["BLOCK", "HOST", "TABLE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HOST", "GROUPINDEX", "SPACE"],
    put: ["BUDGET", "BLOCK", "FULLPOOLS", "HOST"],
    update: ["BUDGET", "BLOCK", "FULLPOOLS", "GROUPINDEX"],
    delete: ["BLOCK", "FULLPOOLS", "HOST"],
  },
  read: {
    get: [
      "APPLICATIONS",
      "BLOCK",
      "BUDGET",
      "HANDLE",
      "HOST",
      "JOBS",
      "NAMESPACE",
      "TABLE",
      "USAGE",
      "VERSION",
    ],
    query: [
      "APPLICATIONS",
      "BLOCK",
      "HANDLE",
      "HOST",
      "INDEX",
      "JOBS",
      "NAMESPACE",
      "NODE",
      "NODES",
      "GROUPINDEX",
      "SPACE",
      "SPACES",
      // Which indexes the walks of the repair run have completed.
      "SWEEP",
      "USAGE",
    ],
  },
  survey: {
    get: ["INDEX", "NODE", "PLAN", "SPACES", "SWEEP", "TABLE", "VERSION"],
    // All partitions of a space, for its contents.
    query: [
      "APPLICATIONS",
      "BLOCK",
      "BUDGET",
      "FULLPOOLS",
      "GROUPINDEX",
      "HANDLE",
      "HOST",
      "JOBS",
      "NAMESPACE",
      "NODE",
      "NODES",
      "QUOTA",
      "SPACE",
      "STATED",
      "SWEEP",
      "USAGE",
    ],
    // Only a scan of the table finds blocks of no pool.
    scan: true,
    // The index tells which nodes ended, and what is due.
    due: true,
  },
  configure: {
    get: [
      "BLOCK",
      "HANDLE",
      "HOST",
      "JOBS",
      "PLAN",
      "SPACE",
      "SPACES",
      "SWEEP",
      "TABLE",
      "VERSION",
    ],
    // Only a space without applications and nodes can be deleted.
    query: [
      "APPLICATIONS",
      "BLOCK",
      "HANDLE",
      "JOBS",
      "NAMESPACE",
      "NODES",
      "GROUPINDEX",
      "SPACE",
      "STATED",
    ],
    put: ["HANDLE", "JOBS", "PLAN", "SPACE", "TABLE"],
    // It asks the walks of the repair run for the entries of a new index.
    update: ["BLOCK", "SPACE", "SPACES", "SWEEP", "VERSION"],
    delete: ["SPACE"],
  },
  register: {
    get: ["HOST", "NAMESPACE", "NODES", "SPACES", "TABLE"],
    put: ["HOST", "NAMESPACE", "NODES", "TABLE"],
    update: ["HOST", "NAMESPACE", "SPACES"],
    delete: ["HOST", "NAMESPACE", "NODES"],
  },
  applications: {
    get: [
      "APPLICATIONS",
      "BLOCK",
      "BUDGET",
      "FULLPOOLS",
      "GROUPINDEX",
      "HANDLE",
      "HOST",
      "INDEX",
      "NAMESPACE",
      "TABLE",
    ],
    query: ["BLOCK", "HANDLE", "SPACE"],
    put: ["APPLICATIONS", "BLOCK", "HANDLE", "TABLE"],
    update: ["BUDGET", "APPLICATIONS", "BLOCK", "FULLPOOLS", "GROUPINDEX"],
    delete: ["APPLICATIONS", "HANDLE", "HOST", "INDEX"],
  },
  // A CiliumNode can ask for single addresses, as in `assign`. A dry run reads what it would write over.
  nodes: {
    ...NODES,
    get: [
      ...NODES.get,
      "BUDGET",
      "FULLPOOLS",
      "GROUPINDEX",
      "INDEX",
      "MACHINE",
      "NODES",
      "QUOTA",
      "STATED",
    ],
    query: [...NODES.query, "FULLPOOLS", "HOST", "NODES"],
    put: [...NODES.put, "BUDGET", "FULLPOOLS"],
    delete: [...NODES.delete, "FULLPOOLS"],
  },
  intake: NODES,
  // It reads the allocation of a slot that a change took or freed, and the pools of a space.
  publish: { get: ["TABLE"], query: ["HANDLE", "SPACE"] },
  openapi: undefined,
  // It assigns and releases in a space of its own, and creates the pool there.
  probe: {
    get: ["BLOCK", "HANDLE", "PLAN", "TABLE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "GROUPINDEX", "SPACE"],
    put: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "PLAN", "SPACE", "TABLE"],
    update: ["BLOCK", "FULLPOOLS", "GROUPINDEX", "SPACES", "VERSION"],
    delete: ["FULLPOOLS", "HANDLE", "HOST"],
  },
  authorize: undefined,
  console: undefined,
  // What `batch` and `amend` may, the reads of spaces, pools and addresses, and what creates and deletes pools. It serves these
  // routes in NetBox's words.
  netbox: {
    get: [...ASSIGN.get, "JOBS", "PLAN", "SPACE", "SPACES"],
    query: [...ASSIGN.query, "JOBS", "SPACES", "STATED"],
    put: [...ASSIGN.put, "JOBS", "PLAN", "SPACE", "TABLE"],
    update: [...ASSIGN.update, "HANDLE", "SPACE", "SPACES", "VERSION"],
    // A new pool that overlaps another one is taken back.
    delete: [...ASSIGN.delete, "SPACE"],
  },
  reclaim: {
    get: ["BLOCK", "TABLE", "USAGE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HOST", "GROUPINDEX", "SPACE", "SPACES"],
    put: ["FULLPOOLS", "HOST", "USAGE"],
    update: ["BLOCK", "BUDGET", "FULLPOOLS", "GROUPINDEX", "SPACES"],
    delete: ["BLOCK", "FULLPOOLS", "HOST", "SPACES"],
  },
  work: {
    get: ["BLOCK", "HOST", "JOBS", "PLAN", "SPACES", "TABLE", "VERSION"],
    query: [
      "APPLICATIONS",
      "BLOCK",
      "FULLPOOLS",
      "HANDLE",
      "HOST",
      "JOBS",
      "NAMESPACE",
      "NODES",
      "GROUPINDEX",
      "SPACE",
      "STATED",
    ],
    put: ["HANDLE", "HOST", "JOBS", "PLAN", "SPACE"],
    update: [
      "BLOCK",
      "BUDGET",
      "FULLPOOLS",
      "GROUPINDEX",
      "NAMESPACE",
      "SPACE",
      "SPACES",
      "VERSION",
    ],
    delete: ["BLOCK", "FULLPOOLS", "HOST", "JOBS", "NAMESPACE", "GROUPINDEX", "SPACE", "SPACES"],
  },
  // The index may miss an item, so the repair run also scans the table. Only `survey` asks the index too. It marks the
  // register of the table.
  repair: {
    get: [
      "BUDGET",
      "APPLICATIONS",
      "BLOCK",
      "HANDLE",
      "HOST",
      "INDEX",
      "NODE",
      "SWEEP",
      "TABLE",
      "VERSION",
    ],
    query: ["HANDLE", "HOST", "NODE", "NODES", "GROUPINDEX", "SPACE", "STATED"],
    // It finishes a PUT of settings that was cut off.
    put: ["BUDGET", "APPLICATIONS", "HANDLE", "HOST", "INDEX", "NODE", "NODES", "SPACE", "TABLE"],
    update: [
      "BUDGET",
      "APPLICATIONS",
      "BLOCK",
      "FULLPOOLS",
      "GROUPINDEX",
      "HOST",
      "SWEEP",
      "TABLE",
      "VERSION",
    ],
    delete: [
      "APPLICATIONS",
      "BLOCK",
      "BUDGET",
      "FULLPOOLS",
      "HANDLE",
      "HOST",
      "INDEX",
      "QUOTA",
      "MACHINE",
      "NODE",
      "NODES",
      "GROUPINDEX",
      "STATED",
      "USAGE",
    ],
    scan: true,
    due: true,
  },
};

/** Partitions of the history by the prefixes of their keys (`src/publish/history.ts` and `event-log.ts`). */
export const HISTORY_PARTITIONS = {
  ADDRESS: "ADDRESS#*",
  COPY: "COPY#*",
  EVENTS: "EVENTS#*",
  HANDLE: "HANDLE#*",
} as const;
export type HistoryPartition = keyof typeof HISTORY_PARTITIONS;

/** The rights of functions to the table of the history, by action and partition. */
export const HISTORY_ACCESS: Readonly<
  Partial<
    Record<DeployedFunctionName, Readonly<Partial<Record<ActionKind, readonly HistoryPartition[]>>>>
  >
> = {
  publish: {
    get: ["ADDRESS"],
    query: ["COPY"],
    put: ["ADDRESS", "COPY", "EVENTS", "HANDLE"],
    delete: ["ADDRESS"],
  },
  read: { query: ["ADDRESS", "EVENTS", "HANDLE"] },
};
