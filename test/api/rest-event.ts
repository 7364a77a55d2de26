import type { RestEvent } from "../../src/api/http/rest-event.ts";
import { routesAt } from "../../src/api/http/routing.ts";
import { eventOf, type Request } from "./event.ts";

/**
 * Returns the event that a REST API makes of a request to its stage `live`: payload format 1.0, with path and path
 * parameters as they were sent.
 *
 * @param path the path below the stage, percent-encoded
 */
export function restEventOf(method: string, path: string, request: Request = {}): RestEvent {
  const { headers, body, isBase64Encoded } = eventOf(method, "/", request);
  const segments = path.split("/");
  // Of resources that fit, a REST API takes the one with the fewest parameters, whatever its methods.
  const parametersOf = ({ path }: { readonly path: string }) => path.split("{").length;
  const [first] = routesAt(segments).toSorted((a, b) => parametersOf(a) - parametersOf(b));
  const { path: resource } = first ?? { path: "/{proxy+}" };
  const parameters = resource
    .split("/")
    .map((part, i) => [part, part.endsWith("+}") ? segments.slice(i).join("/") : segments[i]])
    .filter(([part]) => part?.startsWith("{"))
    .map(([part = "", value = ""]) => [part.replaceAll(/[{}+]/g, ""), value]);
  return {
    httpMethod: method,
    resource,
    path,
    multiValueHeaders: Object.fromEntries(
      Object.entries(headers).map(([name, value = ""]) => [name, [value]]),
    ),
    multiValueQueryStringParameters: request.query
      ? Object.fromEntries(
          Object.entries(request.query).map(([name, value]) => [name, [value].flat()]),
        )
      : null,
    pathParameters: parameters.length > 0 ? Object.fromEntries(parameters) : null,
    body: body ?? null,
    isBase64Encoded,
    requestContext: {
      accountId: "123456789012",
      apiId: "a1b2c3d4e5",
      domainName: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com",
      domainPrefix: "a1b2c3d4e5",
      httpMethod: method,
      identity: { sourceIp: "10.0.0.7", userAgent: "curl", userArn: request.caller ?? null },
      path: `/live${path}`,
      protocol: "HTTP/1.1",
      requestId: "request-1",
      requestTime: "24/Nov/2026:04:00:00 +0000",
      requestTimeEpoch: 1_795_492_800_000,
      stage: "live",
    },
  };
}
