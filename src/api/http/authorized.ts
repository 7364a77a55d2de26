import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import * as v from "valibot";
import { noWrites, type WriteCounts } from "../../base/outcome.ts";
import {
  EVERY_SPACE,
  type Grant,
  isAllowed,
  ROLES,
  requiresEverySpace,
  roleFor,
} from "../../contract/roles.ts";
import type { FunctionName, RouteKey } from "../../contract/routes.ts";
import type { Connect } from "../../kernel/core/context.ts";
import { SPACE_DEFAULT } from "../route.ts";
import { spaceName } from "../schema/field.ts";
import { invalid, PROBLEMS, Problem, problemAnswer } from "../schema/problem.ts";
import { cut } from "../schema/schema.ts";
import {
  type AnswerOf,
  type Event,
  type HttpAnswer,
  type NamedTenant,
  tenantInClaim,
} from "./event.ts";
import { answerTo, encoded, type Handler, http, type RouteHandler, servedKey } from "./http.ts";
import { logger, publish } from "./logger.ts";
import { eventOfRest, prefixOf, type RestEvent } from "./rest-event.ts";

/** A caller whom API Gateway has authenticated by a token. */
interface TokenCaller {
  readonly principal: string;
  readonly grants: readonly Grant[];
  /** Present where the environment names the tenants of its callers. */
  readonly tenant?: NamedTenant;
}

/** The handlers of the routes of a function: one for each of its keys, and none for any other. */
type RoutesOf<Name extends FunctionName> = {
  readonly [Key in RouteKey<Name>]: RouteHandler<AnswerOf<Key>>;
};

/** Makes the handler of a function of the API. Its type parameter names the function, and so the routes that it must bind. */
export const authorized = <Name extends FunctionName>(connect: Connect, routes: RoutesOf<Name>) =>
  authorizedRoutes(connect, routes);

/**
 * Makes a handler that serves callers of every way, and measures each request. The variable `ACCESS` names the way in which the
 * deployment authorizes them.
 *
 * - With `iam`, API Gateway has compared the request with the policies of the caller. `npm start` sets no variable,
 *   because its gate decides. Both requests are served as they are.
 * - With tokens, the handler compares the request with the roles of the caller, before it reads the body. The event that
 *   it passes on names the principal in the place of an ARN, the tenant and the roles.
 */
export function authorizedRoutes(connect: Connect, routes: Readonly<Record<string, RouteHandler>>) {
  const serve = http(connect, routes);
  const authorize = async (event: Event, counts: WriteCounts) => {
    const { ACCESS } = process.env;
    if (ACCESS === undefined || ACCESS === "iam") return serve(event, counts);
    const caller = callerOf(event);
    const problem = withoutRole(event, caller?.grants ?? []);
    if (problem) return rejected(event, problem);
    const { principal, tenant, grants = [] } = caller ?? {};
    const authorizer = {
      ...(principal !== undefined && { iam: { userArn: principal } }),
      ...(tenant && { tenant }),
      grants,
    };
    const { authorizer: _, ...requestContext } = event.requestContext;
    return serve({ ...event, requestContext: { ...requestContext, authorizer } }, counts);
  };
  return ofEitherApi(
    async (event) => answerTo(event, await measured(event, authorize)),
    (key) => Object.hasOwn(routes, servedKey(key)),
  );
}

/**
 * Returns the problem of a request that the roles of its caller do not allow. It names the role and the space that are
 * missing, and nobody who has them.
 */
export function withoutRole(event: Event, grants: readonly Grant[]): Problem | undefined {
  const space = event.pathParameters?.space ?? SPACE_DEFAULT;
  if (isAllowed(grants, event.routeKey, space)) return undefined;
  const role = String(roleFor(event.routeKey));
  const where = requiresEverySpace(event.routeKey) ? "every space" : `the space ${cut(space)}`;
  return new Problem("forbidden", `This request requires the role ${role} in ${where}.`, { role });
}

/**
 * Returns the caller of a request. The principal is the subject of a JSON Web Token behind its issuer, such as
 * `https://login.example.com#ann`, or the holder of a token, such as `token:ci`. A token without a subject has no
 * caller, because no change may be anonymous.
 */
function callerOf({ requestContext }: Event): TokenCaller | undefined {
  const { jwt, lambda } = requestContext.authorizer ?? {};
  if (lambda) {
    const { principal, roles, tenant: name } = lambda;
    return {
      principal,
      grants: parseGrants(roles),
      ...(name !== undefined && { tenant: { name } }),
    };
  }
  if (!jwt?.claims.sub) return undefined;
  const { ROLES_CLAIM = "", TENANT_CLAIM } = process.env;
  const { iss, sub, [ROLES_CLAIM]: roles = "" } = jwt.claims;
  return {
    principal: `${iss}#${sub}`,
    grants: parseGrants(String(roles)),
    ...(TENANT_CLAIM && { tenant: tenantInClaim(jwt.claims[TENANT_CLAIM]) }),
  };
}

function rejected({ routeKey, requestContext: { requestId } }: Event, problem: Problem): Problem {
  const { code } = problem;
  const { status } = PROBLEMS[code];
  logger.info("rejected", { status, code, requestId, route: routeKey });
  return problem;
}

/**
 * Returns a handler that serves requests of an HTTP API and of a REST API alike. A `Location` in an answer begins with
 * the stage of the REST API, because callers send that too.
 *
 * @param isServed true for the key of a route that the handler serves
 */
function ofEitherApi(
  serve: Handler,
  isServed: (routeKey: string) => boolean,
): (event: Event | RestEvent) => Promise<APIGatewayProxyStructuredResultV2> {
  return async (received) => {
    if (!("httpMethod" in received)) return serve(received);
    const event = eventOfRest(received, isServed);
    if (!event) return unreadablePath(received);
    const answer = await serve(event);
    const { location } = answer.headers ?? {};
    return location === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, location: `${prefixOf(received)}${location}` } };
  };
}

function unreadablePath({ path, requestContext: { requestId } }: RestEvent) {
  const problem = invalid({ field: "path", value: cut(path), problem: "is not a valid path" });
  return encoded(problemAnswer(problem, requestId), requestId);
}

/**
 * Serves a request, and publishes its latency and its conditional writes by its operation and the class of its status, such
 * as `2xx`. The operation is the key of its route without a space, such as `POST /v1/assign`. A count of zero is left out,
 * because its metric would cost as much as any other.
 */
export async function measured(
  event: Event,
  serve: (event: Event, counts: WriteCounts) => Promise<HttpAnswer | Problem>,
): Promise<HttpAnswer | Problem> {
  const startedAtMs = performance.now();
  const counts = noWrites();
  const result = await serve(event, counts);
  const code = result instanceof Problem ? result.code : undefined;
  const status = result instanceof Problem ? PROBLEMS[result.code].status : result.status;
  publish(
    {
      operation: servedKey(event.routeKey),
      status: `${Math.floor(status / 100)}xx`,
    },
    {
      Latency: Math.round(performance.now() - startedAtMs),
      Writes: counts.writes || undefined,
      Conflicts: counts.conflicts || undefined,
      Claims: counts.claims || undefined,
      Seizes: counts.seizes || undefined,
      Borrows: counts.borrows || undefined,
    },
  );
  // Without the operation, so that one alarm covers all of them.
  if (code === "unreadable") publish({}, { UnreadableItems: 1 });
  if (code === "table_frozen") publish({}, { TableFrozen: 1 });
  return result;
}

/**
 * Parses the grants of a caller: `reader`, `caller@blue` or `operator@*`, with spaces or commas between them. A role without
 * a space holds in `default`. An entry that is neither a role nor a role in a space grants nothing.
 *
 * API Gateway passes a list in a claim as one text in brackets: `[reader caller@blue]`
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html).
 */
export const parseGrants = (text: string): readonly Grant[] =>
  text
    .replace(/^\[(.*)\]$/s, "$1")
    .split(/[\s,]+/)
    .flatMap(parseGrant);

function parseGrant(entry: string): readonly Grant[] {
  const [name, space = SPACE_DEFAULT, ...rest] = entry.split("@");
  const role = ROLES.find((known) => known === name);
  const isSpace = space === EVERY_SPACE || v.is(spaceName, space);
  return role !== undefined && isSpace && rest.length === 0 ? [{ role, space }] : [];
}
