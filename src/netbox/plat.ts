import { withoutRole } from "../api/http/authorized.ts";
import type { Event } from "../api/http/event.ts";
import type { RouteHandler } from "../api/http/http.ts";
import { SPACE_DEFAULT } from "../api/route.ts";
import { Problem, type ProblemCode, problemOf } from "../api/schema/problem.ts";
import { Rejection } from "../base/outcome.ts";
import { EVERY_SPACE } from "../contract/roles.ts";
import type { Context, Work } from "../kernel/core/context.ts";
import { withCalls } from "../kernel/core/store.ts";
import { fresh } from "../kernel/values/fresh.ts";
import { PROBE_SPACE } from "../kernel/values/probe.ts";

/** The routes of Plat that the dialect calls, by their keys. */
export type PlatRoutes = Readonly<Record<string, RouteHandler>>;

/** A request to a route of Plat. */
interface PlatRequest {
  readonly space: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The route whose role the request requires, for a write that Plat's own routes do not have. */
  readonly roleOf?: string;
}

/** Plat as the caller of one request of the dialect may use it. */
export interface Plat {
  /**
   * Calls a route of Plat, as if the caller had sent the request there: under its roles, its tenant and its name.
   *
   * @throws {Problem} if Plat does not serve the request
   */
  call<Body = Record<string, never>>(key: string, request: PlatRequest): Promise<Body>;
  /** Calls a route that answers with the revision of what it reads. */
  read<Body>(
    key: string,
    request: PlatRequest,
  ): Promise<{ readonly body: Body; readonly etag: string }>;
  /** Returns the spaces that the caller may know of: all if it can read every space, or those in which it has a role. It reads them once. */
  spaces(): Promise<readonly string[]>;
  /** Returns Plat over a table that keeps all writes to itself, so that they can be tried. Absent where that is so already. */
  readonly dryRun?: () => Plat;
  /** The tenant of the caller; absent if its token names none. */
  readonly tenant?: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Makes a fresh name. */
  fresh(): string;
}

interface SpacePage {
  readonly spaces: readonly { readonly name: string }[];
  readonly next?: string;
}

/**
 * Returns Plat for the caller of an event.
 *
 * @param isDryRun true if the work keeps no write
 */
export function platFor(event: Event, routes: PlatRoutes, work: Work, isDryRun = false): Plat {
  const { grants, tenant } = event.requestContext.authorizer ?? {};
  const answerOf = async (key: string, request: PlatRequest) => {
    const asked = eventFor(event, key, request);
    const problem = grants && withoutRole({ ...asked, routeKey: request.roleOf ?? key }, grants);
    if (problem) throw problem;
    const answered = await (routes[key] as RouteHandler)(asked, work);
    if (answered instanceof Rejection) throw problemOf(answered);
    return answered;
  };
  const call: Plat["call"] = async <Body>(key: string, request: PlatRequest) => {
    const { body } = await answerOf(key, request);
    return body as Body;
  };
  const read: Plat["read"] = async <Body>(key: string, request: PlatRequest) => {
    const { body, headers } = await answerOf(key, request);
    return { body: body as Body, etag: String(headers?.etag) };
  };
  const everySpace = async (): Promise<readonly string[]> => {
    const names = [SPACE_DEFAULT];
    const listed = { space: SPACE_DEFAULT, query: { limit: "250" } };
    for await (const page of pagesOf<SpacePage>({ call }, "GET /v1/spaces", listed))
      names.push(...page.spaces.map(({ name }) => name));
    return [...new Set(names)].filter((name) => name !== PROBE_SPACE);
  };
  const knownSpaces = async (): Promise<readonly string[]> => {
    const named = (grants ?? [{ space: EVERY_SPACE }]).map(({ space }) => space);
    return named.includes(EVERY_SPACE) ? everySpace() : [...new Set(named)];
  };
  let spaces: Promise<readonly string[]> | undefined;
  const dryRun = !isDryRun && {
    dryRun: () => {
      const plat = withoutBesides(work.dryRun());
      return platFor(event, routes, { plat, dryRun: () => plat }, true);
    },
  };
  return {
    ...{ call, read, ...dryRun },
    ...(tenant?.name !== undefined && { tenant: tenant.name }),
    now: () => work.plat.now(),
    fresh: () => fresh(work.plat),
    spaces: () => {
      spaces ??= knownSpaces();
      return spaces;
    },
  };
}

/** Yields the pages of a list of Plat, each read when it is asked for. */
export async function* pagesOf<Page extends { readonly next?: string | undefined }>(
  { call }: Pick<Plat, "call">,
  key: string,
  request: PlatRequest,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  do {
    const query = { ...request.query, ...(cursor !== undefined && { cursor }) };
    const page = await call<Page>(key, { ...request, query });
    yield page;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * Returns a context of a dry run without the hints, quota slots and index entries that a request writes beside its addresses. A dry run
 * would read them first, and the function may only write them. No other request of the same dry run depends on them.
 */
function withoutBesides(context: Context): Context {
  const none = async () => undefined;
  const done = async <T>(item: T) => ({ outcome: "done" as const, item });
  const store = withCalls(context.store, {
    ...{ callPoolFull: none, clearPoolFull: none, noteLending: none },
    ...{ putQuotaSlot: done, deleteQuotaSlot: (_, seen) => done(seen) },
    ...{ putIndexEntry: done, deleteIndexEntry: done },
  });
  return { ...context, store };
}

/** Returns a handler for `catch` that throws another problem in place of one with this code. */
export const inPlaceOf =
  (code: ProblemCode, other: (problem: Problem) => Problem) =>
  (error: unknown): never => {
    throw error instanceof Problem && error.code === code ? other(error) : error;
  };

/** Returns the event of a request to a route of Plat by the caller of the dialect. */
function eventFor(event: Event, key: string, request: PlatRequest): Event {
  const { space, path, query, headers, body } = request;
  const [method = ""] = key.split(" ");
  const { queryStringParameters: _, body: __, ...rest } = event;
  return {
    ...rest,
    routeKey: key,
    headers: { "content-type": "application/json", ...headers },
    pathParameters: { ...path, space },
    rawQueryString: new URLSearchParams(query).toString(),
    ...(query && { queryStringParameters: { ...query } }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
    requestContext: {
      ...event.requestContext,
      http: { ...event.requestContext.http, method },
    },
  };
}
