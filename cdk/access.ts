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
  LIMIT: "LIMIT#*",
  NAMESPACE: "NAMESPACE#*",
  NODES: "NODES#*",
  PLAN: "PLAN#*",
  POOLMAP: "POOLMAP#*",
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

/** What a function may do to the items of which partitions. */
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
 * - `assign` claims blocks and holds them by records; `release` claims none, and of what is a host's it deletes only the hint
 *   that a block is full, which lies in one partition with rows and nodes; `affinities` has no business with records;
 *   `amend` changes a record and nothing else.
 * - `read` writes nothing, whatever it reads. `survey` may scan, which no condition on keys can bound.
 * - `configure` writes what a space is configured by: pools, reservations and settings lie in one partition, where rights to
 *   one are rights to all. `register` writes who is in it: hosts and namespaces.
 * - `openapi` answers what needs no table.
 */
export const ACCESS: Readonly<Record<FunctionName | ScheduledFunctionName, Access | undefined>> = {
  assign: {
    get: ["BLOCK", "HANDLE", "HOST", "NAMESPACE", "POOLMAP", "TABLE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "LIMIT", "POOLMAP", "SPACE"],
    put: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "LIMIT"],
    update: ["BLOCK", "POOLMAP"],
    delete: ["FULLPOOLS", "HANDLE", "HOST", "LIMIT"],
  },
  release: {
    get: ["BLOCK", "HANDLE", "TABLE", "VERSION"],
    query: ["HANDLE", "HOST", "SPACE"],
    put: ["HANDLE"],
    update: ["BLOCK", "HANDLE"],
    delete: ["HANDLE", "HOST", "LIMIT"],
  },
  amend: {
    get: ["BLOCK", "HANDLE", "TABLE", "VERSION"],
    query: ["HANDLE", "SPACE"],
    put: ["HANDLE"],
  },
  affinities: {
    get: ["BLOCK", "HOST", "TABLE", "VERSION"],
    query: ["BLOCK", "FULLPOOLS", "HOST", "POOLMAP", "SPACE"],
    put: ["BLOCK", "FULLPOOLS", "HOST"],
    update: ["BLOCK", "POOLMAP"],
    delete: ["BLOCK", "FULLPOOLS", "HOST"],
  },
  read: {
    get: ["BLOCK", "HANDLE", "HOST", "JOBS", "NAMESPACE", "TABLE", "VERSION"],
    query: ["BLOCK", "HANDLE", "HOST", "JOBS", "NAMESPACE", "NODES", "POOLMAP", "SPACE"],
  },
  survey: {
    get: ["TABLE"],
    query: ["BLOCK", "POOLMAP", "SPACE"],
    // Blocks of no pool are found, and a space is proven as a whole, by nothing but a walk over the table.
    scan: true,
  },
  configure: {
    get: ["JOBS", "PLAN", "SPACE", "SPACES", "TABLE", "VERSION"],
    query: ["BLOCK", "JOBS", "POOLMAP", "SPACE"],
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
    query: ["BLOCK", "FULLPOOLS", "HOST", "POOLMAP", "SPACE", "SPACES"],
    put: ["FULLPOOLS", "HOST"],
    update: ["BLOCK", "POOLMAP", "SPACES"],
    delete: ["BLOCK", "FULLPOOLS", "HOST", "SPACES"],
  },
  work: {
    get: ["BLOCK", "JOBS", "PLAN", "TABLE", "VERSION"],
    query: ["BLOCK", "HOST", "JOBS", "POOLMAP", "SPACE"],
    put: ["HOST", "JOBS", "PLAN", "SPACE"],
    update: ["BLOCK", "POOLMAP", "VERSION"],
    delete: ["BLOCK", "FULLPOOLS", "HOST", "JOBS", "POOLMAP", "SPACE"],
  },
  // The index may miss an item, so the collector also walks the table; nothing else may ask the index.
  repair: {
    get: ["BLOCK", "HANDLE", "HOST", "SWEEP", "TABLE", "VERSION"],
    query: ["HANDLE", "HOST", "POOLMAP", "SPACE"],
    put: ["HANDLE", "HOST", "NODES", "SWEEP", "TABLE"],
    update: ["BLOCK", "POOLMAP"],
    delete: ["BLOCK", "FULLPOOLS", "HANDLE", "HOST", "LIMIT", "NODES", "POOLMAP"],
    scan: true,
    due: true,
  },
};
