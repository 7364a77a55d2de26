import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Event } from "../api/http/event.ts";
import { isGreedy, leadsNowhere, routesAt } from "../api/http/routing.ts";
import { invalid, type Problem } from "../api/schema/problem.ts";
import { cut } from "../api/schema/schema.ts";
import { type FunctionName, methodsOf } from "../contract/routes.ts";
import { NETBOX_METHODS, NETBOX_PATH } from "../netbox/contract/path.ts";

/** A function that serves callers. */
export type ServingFunction = FunctionName | "netbox";

/** The function of a request, and its event. */
export interface Destination {
  readonly function: ServingFunction;
  readonly event: Event;
}

/** Turns a request into the event that API Gateway would make, or returns the problem if no route matches. */
export function destinationOf(request: IncomingMessage, requestId: string): Destination | Problem {
  const { method = "", url = "" } = request;
  const [rawPath = "", ...rest] = url.split("?");
  const rawQueryString = rest.join("?");
  const segments = decodedSegments(rawPath);
  if (!segments)
    return invalid({ field: "path", value: cut(rawPath), problem: "is not a valid path" });

  const path = segments.join("/");
  const routed = (routePath: string) =>
    eventOf(request, {
      ...LAPTOP,
      requestId,
      routeKey: `${method} ${routePath}`,
      path,
      rawQueryString,
      pathParameters: parametersOf(routePath, segments),
    });
  if (segments[1] === NETBOX_SEGMENT && NETBOX_METHODS.some((known) => known === method))
    return { function: "netbox", event: routed(NETBOX_PATH) };
  const fitting = routesAt(segments);
  const route = fitting.find((candidate) => methodsOf(candidate).some((known) => known === method));
  if (!route) return leadsNowhere(method, path, fitting);
  return { function: route.function, event: routed(route.path) };
}

/** The first segment of every path of NetBox's dialect. */
const NETBOX_SEGMENT = "api";

const LAPTOP = { accountId: "local", apiId: "local", domainName: "127.0.0.1" } as const;

/** A request with its route. */
export interface Routed {
  readonly accountId: string;
  readonly apiId: string;
  readonly domainName: string;
  readonly requestId: string;
  readonly routeKey: string;
  /** The decoded path. */
  readonly path: string;
  readonly rawQueryString: string;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Returns the event of a request before its body has arrived
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
export function eventOf(request: IncomingMessage, routed: Routed): Event {
  const { accountId, apiId, domainName, requestId, routeKey, path, rawQueryString } = routed;
  const query = queryOf(rawQueryString);
  return {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString,
    headers: headersOf(request),
    ...(query && { queryStringParameters: query }),
    pathParameters: routed.pathParameters,
    isBase64Encoded: false,
    requestContext: {
      accountId,
      apiId,
      domainName,
      domainPrefix: domainName.replace(/\..*/, ""),
      http: {
        method: request.method ?? "",
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? "",
        userAgent: request.headers["user-agent"] ?? "",
      },
      requestId,
      routeKey,
      stage: "$default",
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
  };
}

/** Adds the body to the event: as text if its content is text, else in base64. */
export function withBody(event: Event, body: Buffer): Event {
  if (body.length === 0) return event;
  return isUtf8(body)
    ? { ...event, body: body.toString("utf8") }
    : { ...event, body: body.toString("base64"), isBase64Encoded: true };
}

export const newRequestId = (): string => randomUUID();

/**
 * Decodes the path once. The handlers then see the characters that API Gateway would decode again or cut the path at,
 * and reject them by name.
 */
export function decodedSegments(rawPath: string): string[] | undefined {
  if (!rawPath.startsWith("/")) return undefined;
  try {
    return rawPath.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

export function parametersOf(path: string, segments: readonly string[]): Record<string, string> {
  if (!path.includes("{")) return {};
  const parameters = path
    .split("/")
    .map(
      (part, i) =>
        [part, (isGreedy(part) ? segments.slice(i) : segments.slice(i, i + 1)).join("/")] as const,
    )
    .filter(([part]) => part.startsWith("{"));
  return Object.fromEntries(
    parameters.map(([part, value]) => [part.replaceAll(/[{}+]/g, ""), value]),
  );
}

/** Returns the query parameters. It joins the values of a repeated parameter, as API Gateway does. */
function queryOf(rawQueryString: string): Record<string, string> | undefined {
  if (rawQueryString === "") return undefined;
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const earlier = query.get(name);
    query.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(query);
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [name, String(value)]),
  );
}
