import type { IncomingMessage } from "node:http";
import { eventOf, parametersOf } from "../src/local/event.ts";
import type { DeployedRoute, Deployment } from "./deployment.ts";
import { pathOf } from "./routing.ts";

/** A request with its route and its complete body. */
export interface Arrived {
  readonly requestId: string;
  readonly route: DeployedRoute;
  readonly segments: readonly string[];
  readonly rawQueryString: string;
  readonly body: Buffer;
  /** The caller, as the authorizer of the route names it. */
  readonly authorizer: object | undefined;
}

/** The types of a body that arrives as text. A body of another type, or of none, arrives in base64. */
const TEXT = /^(text\/.*|application\/(json|xml|javascript))$/;

/** Makes the event for a function, in payload format 2.0. */
export function gatewayEvent(request: IncomingMessage, deployment: Deployment, arrived: Arrived) {
  const { requestId, route, segments, rawQueryString, body, authorizer } = arrived;
  const { account, api } = deployment;
  const parameters = parametersOf(pathOf(route.key), segments);
  const event = eventOf(request, {
    accountId: account,
    apiId: api.id,
    domainName: api.domainName,
    requestId,
    routeKey: route.key,
    path: segments.join("/"),
    rawQueryString,
    pathParameters: parameters,
  });
  const { cookie, ...headers } = joined(request);
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isText = TEXT.test(type);
  return {
    ...event,
    headers: {
      ...headers,
      "x-forwarded-for": request.socket.remoteAddress,
      "x-forwarded-port": "443",
      "x-forwarded-proto": "https",
    },
    ...(cookie !== undefined && { cookies: cookie.split("; ") }),
    pathParameters: Object.keys(parameters).length > 0 ? parameters : undefined,
    ...(body.length > 0 && {
      body: body.toString(isText ? "utf8" : "base64"),
      isBase64Encoded: !isText,
    }),
    requestContext: {
      ...event.requestContext,
      ...(authorizer && { authorizer }),
    },
  };
}

/** Returns the headers with names in lower case and repeated values joined. */
function joined({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [
      name,
      values.join(name === "cookie" ? "; " : ","),
    ]),
  );
}
