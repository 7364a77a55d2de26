import { describe, expect, it } from "vitest";
import { eventOfRest, prefixOf, type RestEvent } from "../../../src/api/http/rest-event.ts";
import { keysOf, ROUTES } from "../../../src/contract/routes.ts";
import { eventOf } from "../event.ts";
import { restEventOf } from "../rest-event.ts";

const made = (rest: RestEvent, isServed = true) => eventOfRest(rest, () => isServed);

const ALICE = "arn:aws:iam::123456789012:user/alice";

describe("a request of a REST API", () => {
  it("becomes the event of an HTTP API, with the key of its route", () => {
    const body = { host: "n1", ipv4: 1, handle: "h" };
    const rest = restEventOf("POST", "/v1/assign", { body, query: { dryRun: "true" } });
    expect(made(rest)).toEqual({
      version: "2.0",
      routeKey: "POST /v1/assign",
      rawPath: "/v1/assign",
      rawQueryString: "dryRun=true",
      headers: { "content-type": "application/json" },
      queryStringParameters: { dryRun: "true" },
      pathParameters: {},
      body: JSON.stringify(body),
      isBase64Encoded: false,
      requestContext: {
        accountId: "123456789012",
        apiId: "a1b2c3d4e5",
        domainName: "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com",
        domainPrefix: "a1b2c3d4e5",
        http: {
          method: "POST",
          path: "/v1/assign",
          protocol: "HTTP/1.1",
          sourceIp: "10.0.0.7",
          userAgent: "curl",
        },
        requestId: "request-1",
        routeKey: "POST /v1/assign",
        stage: "live",
        time: "24/Nov/2026:04:00:00 +0000",
        timeEpoch: 1_795_492_800_000,
      },
    });
  });

  it.each([
    ["/v1/handles/a%2Fb%20c", "/v1/handles/a/b c", { handle: "a/b c" }],
    ["/v1/handles/a/b", "/v1/handles/a/b", { handle: "a/b" }],
    ["/v1/handles/a%2525", "/v1/handles/a%25", { handle: "a%25" }],
    ["/v1/handles/a+b", "/v1/handles/a+b", { handle: "a+b" }],
    ["/v1/addresses/fd00%3A%3A1", "/v1/addresses/fd00::1", { ip: "fd00::1" }],
    [
      "/v1/spaces/blue/blocks/10.0.0.0%2F26",
      "/v1/spaces/blue/blocks/10.0.0.0/26",
      { space: "blue", cidr: "10.0.0.0/26" },
    ],
  ])("has its path decoded once: %s", (sent, rawPath, pathParameters) => {
    expect(made(restEventOf("GET", sent))).toMatchObject({ rawPath, pathParameters });
  });

  it.each(["/v1/handles/%", "/v1/handles/%zz", "/v1/handles/%C3", "/v1/x%"])(
    "is no request at all if its path is no percent-encoding: %s",
    (path) => {
      expect(made(restEventOf("GET", path))).toBeUndefined();
    },
  );

  it("has repeated headers and parameters joined, and header names in lower case", () => {
    const rest = {
      ...restEventOf("GET", "/v1/pools"),
      multiValueHeaders: { "If-None-Match": ['"1"'], "if-none-match": ['"2"'], "X-A": ["1", "2"] },
      multiValueQueryStringParameters: { label: ["a=1", "b=&2"] },
    };
    expect(made(rest)).toMatchObject({
      headers: { "if-none-match": '"1","2"', "x-a": "1,2" },
      queryStringParameters: { label: "a=1,b=&2" },
      rawQueryString: "label=a%3D1&label=b%3D%262",
    });
  });

  it("gets the default key if the function does not serve its own", () => {
    expect(made(restEventOf("PATCH", "/v1/pools/a"), false)?.routeKey).toBe("$default");
  });

  it("keeps the bytes of its body in base64", () => {
    const rest = restEventOf("POST", "/v1/assign", { body: Buffer.from([0xc3, 0x28]) });
    expect(made(rest)).toMatchObject({ body: "wyg=", isBase64Encoded: true });
  });
});

/** A value for each variable part of a path, with what a path must encode. */
const VALUES = "a b/c:d";

describe.each(ROUTES.flatMap(keysOf))("%s of a REST API", (key) => {
  it("is the same event as of an HTTP API", () => {
    const [method = "", pattern = ""] = key.split(" ");
    const path = pattern.replace(/\{\w+\+?\}/g, encodeURIComponent(VALUES));
    const { routeKey, pathParameters, headers, requestContext } = eventOf(method, path);
    expect(made(restEventOf(method, path))).toMatchObject({
      routeKey,
      pathParameters,
      headers,
      requestContext: { http: { method }, requestId: requestContext.requestId },
    });
  });
});

describe("the caller of a request of a REST API", () => {
  const ofAuthorizer = (authorizer: object | null, caller?: string) => {
    const rest = restEventOf("GET", "/v1/pools", caller === undefined ? {} : { caller });
    return made({ ...rest, requestContext: { ...rest.requestContext, authorizer } })?.requestContext
      .authorizer;
  };

  it("is the signer of the request, of whatever user or role", () => {
    expect(ofAuthorizer(null, ALICE)).toEqual({ iam: { userArn: ALICE } });
    expect(ofAuthorizer({ principalId: "AIDA" }, ALICE)).toEqual({ iam: { userArn: ALICE } });
  });

  it("is the holder of a token, with its roles and its tenant", () => {
    const said = { principalId: "token:ci", principal: "token:ci", roles: "caller@blue" };
    expect(ofAuthorizer({ ...said, integrationLatency: 3 })).toEqual({
      lambda: { principal: "token:ci", roles: "caller@blue" },
    });
    expect(ofAuthorizer({ ...said, tenant: "red" })).toEqual({
      lambda: { principal: "token:ci", roles: "caller@blue", tenant: "red" },
    });
  });

  it("is nobody where nobody was authorized", () => {
    expect(ofAuthorizer(null)).toBeUndefined();
  });
});

describe("the prefix of a REST API", () => {
  it("is its stage, and nothing behind a domain name of its own", () => {
    const rest = restEventOf("GET", "/v1/pools/a%20b");
    const context = { ...rest.requestContext, path: "/v1/pools/a%20b" };
    expect(prefixOf(rest)).toBe("/live");
    expect(prefixOf({ ...rest, requestContext: context })).toBe("");
  });
});
