import { request } from "node:http";
import { AwsV4Signer } from "aws4fetch";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import type { Caller } from "../../twin/callers.ts";
import type { Twin } from "../../twin/twin.ts";
import { call, startAccount } from "./account.ts";

const ECHO = "export const handler = async (event) => event;";
const answering = (answer: string) => ({ code: `export const handler = async () => (${answer});` });

const functions = {
  echo: { code: ECHO },
  structured: answering(
    '{ statusCode: 201, headers: { "X-One": "1" }, body: "aGk=", isBase64Encoded: true, cookies: ["a=1", "b=2"] }',
  ),
  plain: answering('"hello"'),
  odd: answering('{ statusCode: "many" }'),
  throwing: { code: "export const handler = async () => { throw new Error(); };" },
  slow: {
    code: "export const handler = () => new Promise(() => setInterval(() => {}, 1000));",
    properties: { Timeout: 1 },
  },
  closed: { code: ECHO, properties: { ReservedConcurrentExecutions: 0 } },
  forbidden: { code: ECHO },
};

describe.runIf(emulatorBinary())("the gateway of the twin", () => {
  let twin: Twin;
  let operator: Caller;
  let reader: Caller;
  /** The time of the throttles, which stands still in a test. */
  let elapsedMs = 0;
  const send = (
    path: string,
    ...rest: [body?: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>]
  ) => call(twin, operator, "POST", path, ...rest);

  beforeAll(async () => {
    const account = {
      functions,
      routes: {
        "GET /echo/{name}": { servedBy: "echo" },
        "GET /long/{rest+}": { servedBy: "echo" },
        "GET /open": { servedBy: "echo", isOpen: true },
        "GET /scarce": { servedBy: "echo", isOpen: true },
      },
      resources: {
        // The permission of another API.
        forbiddenPermission: {
          Type: "AWS::Lambda::Permission",
          Properties: {
            Action: "lambda:InvokeFunction",
            FunctionName: { "Fn::GetAtt": ["forbidden", "Arn"] },
            Principal: "apigateway.amazonaws.com",
            SourceArn: "arn:aws:execute-api:eu-central-1:123456789012:other/*/*/*",
          },
        },
        Stage: {
          Type: "AWS::ApiGatewayV2::Stage",
          Properties: {
            StageName: "$default",
            DefaultRouteSettings: { ThrottlingBurstLimit: 40, ThrottlingRateLimit: 1 },
            RouteSettings: { "GET /scarce": { ThrottlingBurstLimit: 2, ThrottlingRateLimit: 1 } },
          },
        },
        Domain: {
          Type: "AWS::ApiGatewayV2::DomainName",
          Properties: { DomainName: "plat.example.com" },
        },
        Reader: {
          Type: "AWS::IAM::ManagedPolicy",
          Properties: {
            ManagedPolicyName: "reader",
            PolicyDocument: {
              Statement: {
                Effect: "Allow",
                Action: "execute-api:Invoke",
                Resource: {
                  "Fn::Sub": `arn:aws:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${Api}/*/GET/echo/*`,
                },
              },
            },
          },
        },
      },
    };
    twin = await startAccount(account, { elapsedMs: () => elapsedMs });
    [operator, reader] = twin.callers as [Caller, Caller];
  });
  afterAll(() => twin.stop());

  it("lets in who has signed, and tells the function who that is", async () => {
    const { status, text } = await send("/echo", "{}");
    expect(status).toBe(200);
    expect(JSON.parse(text).requestContext.authorizer.iam).toMatchObject({
      userArn: "arn:aws:iam::123456789012:user/operator",
      accountId: "123456789012",
      accessKey: "AKIAIOSFODNN7EXAMPLE",
    });
  });

  it("lets in nobody who has not signed, or not this, or with other keys, or another time", async () => {
    const forbidden = { status: 403, text: '{"message":"Forbidden"}' };
    const url = `${twin.url}/echo`;
    const unsigned = await fetch(url, { method: "POST" });
    expect({ status: unsigned.status, text: await unsigned.text() }).toEqual(forbidden);
    const wrong = { ...operator, secretAccessKey: "wrong" };
    expect(await call(twin, wrong, "POST", "/echo", "{}")).toMatchObject(forbidden);
    const unknown = { ...operator, accessKeyId: "AKIAUNKNOWN" };
    expect(await call(twin, unknown, "POST", "/echo", "{}")).toMatchObject(forbidden);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 301_000);
    expect(await send("/echo", "{}")).toMatchObject(forbidden);
    vi.restoreAllMocks();
    const { deployment } = twin;
    const elsewhere = { ...twin, deployment: { ...deployment, region: "us-east-1" } };
    expect(await call(elsewhere, operator, "POST", "/echo", "{}")).toMatchObject(forbidden);
    const open = await fetch(`${twin.url}/open`);
    expect(JSON.parse(await open.text()).requestContext.authorizer).toBeUndefined();
  });

  it("takes a signature for the domain name of the API, and passes that name on", async () => {
    const signer = new AwsV4Signer({
      ...operator,
      url: "https://plat.example.com/echo",
      method: "POST",
      service: "execute-api",
      region: twin.deployment.region,
    });
    const { headers } = await signer.sign();
    const named = { ...Object.fromEntries(headers), host: "plat.example.com" };
    const { status, text } = await withHeaders(named);
    expect(status).toBe(200);
    expect(JSON.parse(text).requestContext.domainName).toBe("plat.example.com");
    expect(await withHeaders({ ...named, host: "other.example.com" })).toMatchObject({
      status: 403,
    });
  });

  it("never ends a connection that waits for its next request", async () => {
    const { headers } = await fetch(`${twin.url}/open`);
    // An idle time of the server stands here, "timeout=5" where nobody chose one.
    expect(headers.get("keep-alive")).toBeNull();
  });

  it("asks the policies of the caller for each route", async () => {
    expect(await call(twin, reader, "GET", "/echo/a")).toMatchObject({ status: 200 });
    expect(await call(twin, reader, "GET", "/long/a")).toMatchObject({ status: 403 });
    expect(await call(twin, reader, "POST", "/echo", "{}")).toMatchObject({ status: 403 });
  });

  it("makes an event in payload format 2.0: the path decoded once, what comes twice joined", async () => {
    const path = "/long/a%20b/c%2525?x=1&y=a%2Cb&x=2&z=";
    const headers = { "X-Mixed": "One", cookie: "a=1; b=2" };
    const { text } = await call(twin, operator, "GET", path, undefined, headers);
    expect(JSON.parse(text)).toMatchObject({
      version: "2.0",
      routeKey: "GET /long/{rest+}",
      rawPath: "/long/a b/c%25",
      rawQueryString: "x=1&y=a%2Cb&x=2&z=",
      queryStringParameters: { x: "1,2", y: "a,b", z: "" },
      pathParameters: { rest: "a b/c%25" },
      headers: { "x-mixed": "One", "x-forwarded-proto": "https" },
      cookies: ["a=1", "b=2"],
      isBase64Encoded: false,
      requestContext: {
        stage: "$default",
        apiId: twin.deployment.api.id,
        http: { method: "GET", path: "/long/a b/c%25", protocol: "HTTP/1.1" },
      },
    });
    expect(JSON.parse(text).headers.cookie).toBeUndefined();
    expect(JSON.parse(text).body).toBeUndefined();
  });

  it.each([
    ["application/json", false],
    ["application/json; charset=utf-8", false],
    ["text/yaml", false],
    ["application/xml", false],
    ["application/yaml", true],
    ["application/x-www-form-urlencoded", true],
    ["application/problem+json", true],
  ])("a body of type %s comes in base64: %s", async (type, isBase64Encoded) => {
    const { text } = await send("/echo", "ä", { "content-type": type });
    const event = JSON.parse(text);
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(event.body, isBase64Encoded ? "base64" : "utf8").toString()).toBe("ä");
  });

  it("a body of no type comes in base64", async () => {
    const { text } = await send("/echo", new TextEncoder().encode("a"), {});
    expect(JSON.parse(text)).toMatchObject({ isBase64Encoded: true, body: "YQ==" });
  });

  it("passes on the answer of a function", async () => {
    const { status, headers, text } = await send("/structured");
    expect({ status, text }).toEqual({ status: 201, text: "hi" });
    expect(headers.get("x-one")).toBe("1");
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(headers.get("apigw-requestid")).toMatch(/^[\w-]{15}=$/);
    const plain = await send("/plain");
    expect(plain).toMatchObject({ status: 200, text: "hello" });
    expect(plain.headers.get("content-type")).toBe("application/json");
  });

  it.each([
    ["/throwing", 500, "Internal Server Error"],
    ["/slow", 500, "Internal Server Error"],
    ["/odd", 500, "Internal Server Error"],
    ["/forbidden", 500, "Internal Server Error"],
    ["/closed", 503, "Service Unavailable"],
    ["/nowhere", 404, "Not Found"],
    ["/%ff", 400, "Bad Request"],
  ])("answers for %s itself: %s %s", async (path, status, message) => {
    expect(await send(path, "{}")).toMatchObject({ status, text: JSON.stringify({ message }) });
  });

  it.each([
    ["10 MB in a body", 413, () => send("/echo", "x".repeat(10_485_761))],
    ["6 MB of a body that is to come as an event", 413, () => send("/echo", "x".repeat(6_291_556))],
    ["10,240 bytes of request line and headers", 431, () => withHeaders(ofBytes(10_240))],
  ])("takes no more than %s", async (_, status, sent) => {
    expect(await sent()).toMatchObject({ status });
    expect((await withHeaders(ofBytes(9_000))).status).toBe(403);
  });

  it("throttles a route above its burst", async () => {
    elapsedMs += 40_000;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await fetch(`${twin.url}/open`)).status),
    );
    // On a busy machine, a function of 60 requests at once can run out of its time. That is no matter of the gateway.
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    elapsedMs += 1_000;
    expect((await fetch(`${twin.url}/open`)).status).toBe(200);
    expect((await fetch(`${twin.url}/open`)).status).toBe(429);
  });

  it("throttles a route above a burst of its own", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await fetch(`${twin.url}/scarce`)).status),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(8);
  });

  const ofBytes = (bytes: number) => ({ "x-long": "x".repeat(bytes) });

  function withHeaders(
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(`${twin.url}/echo`, { method: "POST", headers }, (response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode, text }));
      });
      sent.on("error", reject);
      sent.end();
    });
  }
});
