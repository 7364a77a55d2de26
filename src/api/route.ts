import type * as v from "valibot";
import type { ProblemCode } from "./schema/problem.ts";

/** The groups of operations, in the order of their names. */
export const TAGS = {
  alarms: "The thresholds of Plat that are crossed.",
  addresses: "Assign addresses, read them, amend them, release them and report conflicts.",
  applications: "Workloads for whose instances Plat holds addresses.",
  blocks: "Blocks, and the affinity of hosts to them.",
  configuration: "The settings of a space, and all its stored items.",
  events: "Histories of addresses and handles, and events for programs that poll.",
  jobs: "Work that takes longer than a request.",
  nodes: "The prefixes of nodes.",
  pools: "Pools, how they are used, and the work that drains or deletes them.",
  prefixes: "Prefixes that callers have by a handle: for clusters, networks and links.",
  quotas: "The limits of a space, a principal or a tenant.",
  registry: "The labels of hosts and namespaces, for the selectors of pools.",
  reservations: "Addresses that automatic assignment leaves out.",
  service: "Whether the service runs, this document, and the schemas of events.",
} as const;

type Tag = keyof typeof TAGS;

/**
 * The Lambda function of each route; the CDK, the local server and the OpenAPI document use this list. Routes that need
 * the same rights to the table share a function (`cdk/access.ts`).
 */
export type FunctionName =
  | "assign"
  | "release"
  | "batch"
  | "amend"
  | "affinities"
  | "read"
  | "survey"
  | "configure"
  | "register"
  | "applications"
  | "nodes"
  | "openapi";

/** The function that answers what no route takes. It has no access to the table. */
export type DefaultFunction = "openapi";

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A route of API Gateway's HTTP API: `{name}` matches one path segment, `{name+}` all remaining ones. */
export interface Route {
  readonly method: Exclude<Method, "HEAD">;
  readonly path: string;
  readonly function: FunctionName;
  readonly id: string;
  /** The least role that may send a write, if it is less than an operator. A reader may read. */
  readonly role?: "caller" | "cluster";
  readonly tag: Tag;
  readonly summary: string;
  /** True if every answer has a `next`, because more can come at any time. A client does not read to its end. */
  readonly endless?: true;
  /** The parameters of its query; absent if the route ignores the query. */
  readonly query?: v.ObjectEntries;
  readonly headers?: readonly ("If-Match" | "If-None-Match" | "Idempotency-Key")[];
  /**
   * True for a write of which a repeat answers the same, whatever other callers do in between. Reads are repeatable
   * too; an Idempotency-Key makes any request so.
   */
  readonly repeatable?: true;
  /** The body in each of its forms, the first one usual. */
  readonly body?: readonly v.GenericSchema[];
  /** True if the body can also be YAML. */
  readonly yaml?: true;
  /** True if the body can also be NDJSON, with a request a line, and the answer too, with a result a line. */
  readonly ndjson?: true;
  /** The answer by its status. */
  readonly answers: Readonly<Record<number, v.GenericSchema | undefined>>;
  /** The problem codes that it can return beyond those of every request. */
  readonly rejections: readonly ProblemCode[];
}

/**
 * Returns the methods of a route. With GET it also serves HEAD, as a route of its own, so that a policy can tell the
 * two apart.
 */
export const methodsOf = ({ method }: Route): readonly Method[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

/** Returns the keys of a route in API Gateway, such as `GET /v1/pools` and `HEAD /v1/pools`. */
export const keysOf = (route: Route): readonly string[] =>
  methodsOf(route).map((method) => `${method} ${route.path}`);

/** Problem codes of a write with preconditions. */
export const CHANGED: readonly ProblemCode[] = ["precondition_failed", "precondition_required"];

/** Paths with a space. Only the path names the space, so that IAM policies can end at a space. */

export const SPACE_DEFAULT = "default";

const ROOT = "/v1/";
/** The path of the list of spaces. */
export const SPACES_PATH = "/v1/spaces";
/** The path of the blocks of every space to which nothing leads. */
export const ORPHANS_PATH = "/v1/orphans";
/** The path of a space as a whole. It has no form that leaves the space out. */
export const SPACE_PATH = "/v1/spaces/{space}";
const NAMED_ROOT = `${SPACE_PATH}/`;

/** Returns true if the path acts in a space. All of `/v1` but what is about all spaces does: in `default` if the path names none. */
export const actsInSpace = (path: string): boolean =>
  path.startsWith(ROOT) && !actsInEverySpace(path);

/** Returns true if the path is about all spaces together. */
export const actsInEverySpace = (path: string): boolean =>
  path === SPACES_PATH || path === ORPHANS_PATH;

/** Returns true if the path acts in `default` because it names no space. Such a path has another form, which names one. */
export const leavesSpaceOut = (path: string): boolean =>
  actsInSpace(path) && path !== SPACE_PATH && withoutSpace(path) === path;

/** Returns the other form of such a path, or of a route's key, which names the space. */
export const inNamedSpace = (route: string): string =>
  route.replace(/\/v1\/(?!orphans$|spaces(?:\/[^/]+)?$)/, NAMED_ROOT);

/** Returns the form that names no space; functions know their routes by it. */
export const withoutSpace = (route: string): string => route.replace(NAMED_ROOT, ROOT);

/**
 * Returns the path in a space for a path without one, such as `/v1/jobs/1`; the path stays the same if no space is
 * named.
 */
export const pathIn = (space: string | undefined, path: string): string =>
  space === undefined ? path : inNamedSpace(path).replace("{space}", space);
