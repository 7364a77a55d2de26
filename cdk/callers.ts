import {
  actsInEverySpace,
  actsInSpace,
  inNamedSpace,
  leavesSpaceOut,
  SPACE_DEFAULT,
  SPACE_PATH,
  withoutSpace,
} from "../src/api/route.ts";
import { type Role, roleFor } from "../src/contract/roles.ts";
import { ROUTES } from "../src/contract/routes.ts";

/**
 * The roles of callers by their policies. A role is a managed policy over every space, and one for each space that an
 * environment names.
 */
export const CALLER_ROLES = ["PlatReader", "PlatCaller", "PlatCluster", "PlatOperator"] as const;
export type CallerRole = (typeof CALLER_ROLES)[number];

export const ROLE_OF: Readonly<Record<CallerRole, Role>> = {
  PlatReader: "reader",
  PlatCaller: "caller",
  PlatCluster: "cluster",
  PlatOperator: "operator",
};

const READS = ["GET", "HEAD"];
const WRITES = ["POST", "PUT", "PATCH", "DELETE"];

/** Returns the calls whose least role is this one, with an asterisk for each variable part of a path. */
const callsOf = (role: Role) => [
  ...new Set(
    ROUTES.filter(({ method, path }) => roleFor(`${method} ${path}`) === role).map(
      ({ method, path }) => `${method}${withAsterisks(withoutSpace(path))}`,
    ),
  ),
];

/** The calls of a caller besides reads. */
const CALLS = callsOf("caller");
/** The calls of a cluster besides those of a caller. */
const CLUSTER_CALLS = callsOf("cluster");

/**
 * Returns true for a call that a policy can allow in every space. A wildcard also matches slashes. One for the space of
 * `DELETE /v1/spaces/…/handles/…` would match `a/nodes` of `/v1/spaces/a/nodes/handles/affinities`. So a policy allows
 * calls by PUT and DELETE only in spaces that it names.
 */
const isForAnySpace = (call: string) => !/^(PUT|DELETE)\//.test(call);

/** Routes without a space: health, readiness, principal, version, the OpenAPI document and the schemas, with an asterisk for a variable part. */
const OF_NO_SPACE = [...new Set(ROUTES.map(({ path }) => path))]
  .filter((path) => !actsInSpace(path) && !actsInEverySpace(path))
  .map(withAsterisks);

/** The calls about a space as a whole. */
const OF_SPACE = ROUTES.filter(({ path }) => path === SPACE_PATH).map(
  ({ method, path }) => `${method}${path}`,
);

/** All routes of `default` by paths that name no space, such as `GET/v1/pools` and everything below it. */
const IN_DEFAULT = [
  ...new Set(
    ROUTES.filter(({ path }) => leavesSpaceOut(path)).flatMap(({ method, path }) => {
      const collection = path.split("/").slice(0, 3).join("/");
      return (method === "GET" ? READS : [method]).map((one) => `${one}${collection}*`);
    }),
  ),
];

/**
 * Returns the calls that a role may make in every space, as the method and the path of an execute-api resource.
 *
 * @param spaces the spaces that the environment names
 */
export function callsInEverySpace(role: CallerRole, spaces: readonly string[]): string[] {
  if (role === "PlatOperator") return ["*"];
  const reads = READS.map((method) => `${method}/*`);
  if (role === "PlatReader") return reads;
  const calls = [
    ...reads,
    ...CALLS.filter(isForAnySpace).map(withOrWithoutSpace),
    ...inDefault(CALLS.filter((call) => !isForAnySpace(call))),
    ...spaces.map((space) => inSpace("DELETE/v1/handles/*", space)),
  ];
  if (role === "PlatCaller") return calls;
  // A policy has no room for these in each named space, which has a policy of its own.
  return [
    ...calls,
    ...CLUSTER_CALLS.filter(isForAnySpace).map(withOrWithoutSpace),
    ...inDefault(CLUSTER_CALLS.filter((call) => !isForAnySpace(call))),
  ];
}

/**
 * Returns the calls that a role may make in one space, in the same form. A path in `default` may leave the space out.
 */
export function callsInSpace(role: CallerRole, space: string): string[] {
  const reads = READS.map((method) => `${method}/v1/spaces/${space}/*`);
  // A wildcard for the method would match the beginning of another path whose end looks like a path of this space.
  const writes = [
    ...WRITES.map((method) => `${method}/v1/spaces/${space}/*`),
    ...OF_SPACE.map((call) => inSpace(call, space)),
  ];
  const isRead = (call: string) => READS.some((method) => call.startsWith(`${method}/`));
  const unprefixed = space === SPACE_DEFAULT ? IN_DEFAULT : [];
  const everybody = [
    ...reads,
    ...unprefixed.filter(isRead),
    ...READS.flatMap((method) => OF_NO_SPACE.map((path) => `${method}${path}`)),
  ];
  if (role === "PlatReader") return everybody;
  if (role === "PlatOperator")
    return [...everybody, ...writes, ...unprefixed.filter((call) => !isRead(call))];
  const calls = role === "PlatCluster" ? [...CALLS, ...CLUSTER_CALLS] : CALLS;
  return [
    ...everybody,
    ...(space === SPACE_DEFAULT ? inDefault(calls) : calls.map((call) => inSpace(call, space))),
  ];
}

/** Returns one line for a call in `default` and in every named space, because a policy has little room. */
const withOrWithoutSpace = (call: string) => call.replace("/v1/", "/v1*/");

/** Returns calls in `default` by both forms of their paths. */
const inDefault = (calls: readonly string[]) => [
  ...calls,
  ...calls.map((call) => inSpace(call, SPACE_DEFAULT)),
];

const inSpace = (call: string, space: string) => inNamedSpace(call).replace("{space}", space);

/** Returns a path with an asterisk for each of its variable parts. */
function withAsterisks(path: string): string {
  return path.replace(/\{\w+\+?\}/g, "*");
}
