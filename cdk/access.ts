import type { FunctionName } from "../src/contract/routes/routes.ts";

/** The functions that EventBridge Scheduler invokes. */
export const SCHEDULED_FUNCTIONS = ["reclaim", "repair", "work"] as const;
export type ScheduledFunctionName = (typeof SCHEDULED_FUNCTIONS)[number];

/** Partitions of the table by what their keys begin with (`src/store/key.ts`). */
export const PARTITIONS = {
  BLOCK: "BLOCK#*",
  FULLPOOLS: "FULLPOOLS#*",
  HANDLE: "HANDLE#*",
  HOST: "HOST#*",
  JOBS: "JOBS",
  QUOTA: "QUOTA#*",
  NAMESPACE: "NAMESPACE#*",
  NODES: "NODES#*",
  PLAN: "PLAN#*",
  GROUPINDEX: "GROUPINDEX#*",
  SPACE: "SPACE#*",
  SPACES: "SPACES",
  SWEEP: "SWEEP",
  TABLE: "TABLE",
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
  /** May it walk the whole table? No condition on keys bounds that. */
  readonly scan?: true;
  /** May it ask the due index? */
  readonly due?: true;
}

/**
 * One function for each set of rights: routes that need the same share a function, which is then cold less often, and no
 * route has a right that it does not need. A set is actions, and whose items they act on:
 *
 * - `assign` claims blocks and holds them by allocations; `release` claims none, and of what is a host's it deletes only the hint
 *   that a block is full, which lies in one partition with affinities and nodes; `affinities` has no business with allocations;
 *   `amend` changes an allocation and nothing else.
 * - `read` writes nothing, whatever it reads. `survey` may scan, which no condition on keys can bound.
 * - `configure` writes what a space is configured by: pools, reservations and settings lie in one partition, where rights to
 *   one are rights to all. `register` writes who is in it: hosts and namespaces.
 * - `openapi` answers what needs no table.
 */
export const ACCESS: Readonly<Record<FunctionName | ScheduledFunctionName, Access | undefined>> = {
  assign: {
    get: ["BLOCK", "HANDLE", "HOST", "NAMESPACE", "GROUPINDEX", "TABLE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "QUOTA", "GROUPINDEX", "SPACE"],
    put: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "QUOTA"],
    update: ["BLOCK", "GROUPINDEX"],
    delete: ["FULLPOOLS", "HANDLE", "HOST", "QUOTA"],
  },
  release: {
    get: ["BLOCK", "HANDLE", "TABLE", "VERSION"],
    query: ["HANDLE", "HOST", "SPACE"],
    put: ["HANDLE"],
    update: ["BLOCK", "HANDLE"],
    delete: ["HANDLE", "HOST", "QUOTA"],
  },
  amend: {
    get: ["BLOCK", "HANDLE", "TABLE", "VERSION"],
    query: ["HANDLE", "SPACE"],
    put: ["HANDLE"],
  },
  affinities: {
    get: ["BLOCK", "HOST", "TABLE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HOST", "GROUPINDEX", "SPACE"],
    put: ["BLOCK", "FULLPOOLS", "HOST"],
    update: ["BLOCK", "GROUPINDEX"],
    delete: ["BLOCK", "FULLPOOLS", "HOST"],
  },
  read: {
    get: ["BLOCK", "HANDLE", "HOST", "JOBS", "NAMESPACE", "TABLE", "VERSION"],
    query: ["BLOCK", "HANDLE", "HOST", "JOBS", "NAMESPACE", "NODES", "GROUPINDEX", "SPACE"],
  },
  survey: {
    get: ["TABLE"],
    query: ["BLOCK", "GROUPINDEX", "SPACE"],
    // Blocks of no pool are found, and a space is proven as a whole, by nothing but a walk over the table.
    scan: true,
  },
  configure: {
    get: ["JOBS", "PLAN", "SPACE", "SPACES", "TABLE", "VERSION"],
    query: ["BLOCK", "JOBS", "GROUPINDEX", "SPACE"],
    put: ["JOBS", "PLAN", "SPACE", "TABLE"],
    update: ["SPACES", "VERSION"],
    delete: ["SPACE"],
  },
  register: {
    get: ["HOST", "NAMESPACE", "NODES", "TABLE"],
    put: ["HOST", "NAMESPACE", "NODES", "TABLE"],
    delete: ["HOST", "NAMESPACE", "NODES"],
  },
  openapi: undefined,
  reclaim: {
    get: ["BLOCK", "TABLE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HOST", "GROUPINDEX", "SPACE", "SPACES"],
    put: ["FULLPOOLS", "HOST"],
    update: ["BLOCK", "GROUPINDEX", "SPACES"],
    delete: ["BLOCK", "FULLPOOLS", "HOST", "SPACES"],
  },
  work: {
    get: ["BLOCK", "JOBS", "PLAN", "TABLE", "VERSION"],
    query: ["BLOCK", "HOST", "JOBS", "GROUPINDEX", "SPACE"],
    put: ["HOST", "JOBS", "PLAN", "SPACE"],
    update: ["BLOCK", "GROUPINDEX", "VERSION"],
    delete: ["BLOCK", "FULLPOOLS", "HOST", "JOBS", "GROUPINDEX", "SPACE"],
  },
  // The index may miss an item, so the repair run also walks the table; nothing else may ask the index.
  repair: {
    get: ["BLOCK", "HANDLE", "HOST", "SWEEP", "TABLE", "VERSION"],
    query: ["HANDLE", "HOST", "GROUPINDEX", "SPACE"],
    put: ["HANDLE", "HOST", "NODES", "SWEEP", "TABLE"],
    update: ["BLOCK", "GROUPINDEX"],
    delete: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "QUOTA", "NODES", "GROUPINDEX"],
    scan: true,
    due: true,
  },
};
