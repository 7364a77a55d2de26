import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { ROUTE_KEYS } from "../../cdk/api-choice.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import type { Settings } from "../../twin/assembly.ts";
import { ACCESS_BY_TOKEN, PRIVATE_API, PRIVATE_API_ONLY, stageOf } from "./choices.ts";

const ANY = "x-amazon-apigateway-any-method";
/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const RESOURCES_MAX = 300;

const templateOf = (settings: Settings) =>
  Template.fromStack(stageOf({ name: "", environment: "prod", settings }).stateless);

interface Method {
  readonly security: readonly object[];
  readonly "x-amazon-apigateway-integration": { readonly uri: unknown };
}
type Paths = Readonly<Record<string, Readonly<Record<string, Method>>>>;

function restApiOf(template: Template) {
  const [api] = Object.values(template.findResources("AWS::ApiGateway::RestApi"));
  const { Body, Policy, EndpointConfiguration } = api?.Properties ?? {};
  const methods = Object.entries(Body.paths as Paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([method, made]) => ({ path, method, ...made })),
  );
  return { body: Body, policy: Policy, methods, endpoints: EndpointConfiguration };
}

const isOpen = ({ security }: Method) => security.length === 0;

describe("a private REST API", () => {
  const template = templateOf({ api: PRIVATE_API_ONLY });
  const { body, policy, methods, endpoints } = restApiOf(template);

  it("is in place of the HTTP API", () => {
    template.resourceCountIs("AWS::ApiGatewayV2::Api", 0);
    expect(endpoints).toEqual({
      Types: ["PRIVATE"],
      VpcEndpointIds: PRIVATE_API_ONLY.vpcEndpointIds,
    });
  });

  it("leads each route to the function that serves it, and all else to one without the table", () => {
    const served = new Map(
      methods.map((made) => [
        `${made.method.toUpperCase()} ${made.path}`,
        JSON.stringify(made["x-amazon-apigateway-integration"].uri),
      ]),
    );
    for (const { method, path, function: name } of ROUTES)
      expect(served.get(`${method} ${path}`)).toContain(`"${name}FunctionAliaslive`);
    const others = [...served].filter(([key]) => !ROUTE_KEYS.includes(key));
    expect(others).toHaveLength(Object.keys(body.paths).length);
    for (const [key, uri] of others) {
      expect(key).toMatch(/^X-AMAZON-APIGATEWAY-ANY-METHOD /);
      expect(uri).toContain('"openapiFunctionAliaslive');
    }
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(["/", "/{proxy+}"]));
  });

  it("asks for a signed request for each method", () => {
    expect(methods.filter(isOpen)).toEqual([]);
    expect(new Set(methods.map(({ security }) => JSON.stringify(security)))).toEqual(
      new Set(['[{"caller":[]}]']),
    );
    expect(body.components.securitySchemes.caller).toMatchObject({
      "x-amazon-apigateway-authtype": "awsSigv4",
    });
  });

  it("has as few resources as API Gateway takes, and one variable below each of them", () => {
    const parts = new Map<string, Set<string>>();
    for (const path of Object.keys(body.paths))
      path.split("/").forEach((part, i, all) => {
        const above = all.slice(0, i).join("/");
        parts.set(above, (parts.get(above) ?? new Set()).add(part));
      });
    const resources = [...parts.values()].reduce((sum, { size }) => sum + size, 0);
    expect(resources).toBeLessThan(RESOURCES_MAX);
    for (const below of parts.values())
      expect([...below].filter((part) => part.startsWith("{")).length).toBeLessThanOrEqual(1);
  });

  it("denies what comes through no endpoint of the list, and allows nobody by itself", () => {
    expect(policy.Statement).toEqual([
      {
        Effect: "Deny",
        Principal: { AWS: "*" },
        Action: "execute-api:Invoke",
        Resource: "execute-api:/*",
        Condition: {
          StringNotEquals: {
            "aws:SourceVpce": PRIVATE_API_ONLY.vpcEndpointIds,
          },
        },
      },
    ]);
  });

  it("may invoke its functions from its own stage only", () => {
    const permissions = Object.values(template.findResources("AWS::Lambda::Permission"))
      .map(({ Properties }) => Properties)
      .filter(({ Principal }) => Principal === "apigateway.amazonaws.com");
    expect(permissions).toHaveLength(new Set(ROUTES.map((route) => route.function)).size);
    for (const { SourceArn } of permissions)
      expect(JSON.stringify(SourceArn)).toContain('"/live/*/*"');
  });

  it("names its stage in the policies of callers, in its endpoint and in the alarms", () => {
    for (const { Properties } of Object.values(template.findResources("AWS::IAM::ManagedPolicy")))
      expect(JSON.stringify(Properties.PolicyDocument)).toContain('"/live/');
    expect(JSON.stringify(template.findOutputs("Endpoint"))).toContain('.execute-api."');
    template.hasResourceProperties("AWS::CloudWatch::Alarm", {
      AlarmName: "plat-prod-stateless-ServerErrors",
      Namespace: "AWS/ApiGateway",
      MetricName: "5XXError",
      Dimensions: [
        { Name: "ApiName", Value: "plat-prod-stateless" },
        { Name: "Stage", Value: "live" },
      ],
    });
  });

  it("limits the rate of requests, and has nothing in its access log that a caller wrote", () => {
    const [stage] = Object.values(template.findResources("AWS::ApiGateway::Stage"));
    expect(stage?.Properties.MethodSettings).toEqual([
      expect.objectContaining({
        HttpMethod: "*",
        ResourcePath: "/*",
        ThrottlingRateLimit: 1_000,
        ThrottlingBurstLimit: 500,
      }),
    ]);
    const format = JSON.parse(stage?.Properties.AccessLogSetting.Format);
    expect(format).toMatchObject({
      caller: "$context.identity.userArn",
      sourceIp: "$context.identity.sourceIp",
      routeKey: "$context.httpMethod $context.resourcePath",
    });
    for (const written of ["$context.path", "header", "querystring"])
      expect(JSON.stringify(format)).not.toContain(written);
  });

  it("begins a trace only where the environment asks for traces", () => {
    const tracedOf = (one: Template) =>
      Object.values(one.findResources("AWS::ApiGateway::Stage")).map(
        ({ Properties }) => Properties.TracingEnabled,
      );
    expect(tracedOf(template)).toEqual([undefined]);
    expect(tracedOf(templateOf({ api: PRIVATE_API_ONLY, tracing: "xray" }))).toEqual([true]);
  });

  it("has neither a web ACL nor keys, unless the environment asks for them", () => {
    for (const type of [
      "AWS::WAFv2::WebACL",
      "AWS::ApiGateway::UsagePlan",
      "AWS::ApiGateway::ApiKey",
    ])
      template.resourceCountIs(type, 0);
  });
});

describe("a private REST API with usage plans", () => {
  const template = templateOf({ api: PRIVATE_API, publicHealth: true });
  const { methods, policy } = restApiOf(template);

  it("asks for a key beside the signature, except where everybody may ask", () => {
    for (const made of methods)
      expect(made.security).toEqual(
        made.path === "/healthz" && made.method !== ANY ? [] : [{ caller: [] }, { api_key: [] }],
      );
    expect(policy.Statement[1]).toMatchObject({
      Effect: "Allow",
      Resource: ["execute-api:/live/GET/healthz", "execute-api:/live/HEAD/healthz"],
    });
  });

  it("limits the callers of a plan, and single routes of it", () => {
    template.hasResourceProperties("AWS::ApiGateway::UsagePlan", {
      UsagePlanName: "plat-prod-stateless-teams",
      Throttle: { RateLimit: 50, BurstLimit: 100 },
      Quota: { Limit: 100_000, Period: "DAY" },
      ApiStages: [
        Match.objectLike({ Throttle: { "/v1/assign/POST": { RateLimit: 20, BurstLimit: 40 } } }),
      ],
    });
    template.resourceCountIs("AWS::ApiGateway::ApiKey", 2);
    template.resourceCountIs("AWS::ApiGateway::UsagePlanKey", 2);
  });
});

describe("the web ACL of a private REST API", () => {
  it.each([
    ["block", { None: {} }],
    ["count", { Count: {} }],
  ])("blocks an address at a rate, and can %s what AWS' common rules match", (webAcl, action) => {
    const template = templateOf({ api: { ...PRIVATE_API_ONLY, webAcl } });
    template.hasResourceProperties("AWS::WAFv2::WebACL", {
      Scope: "REGIONAL",
      DefaultAction: { Allow: {} },
      Rules: [
        Match.objectLike({
          Action: { Block: {} },
          Statement: { RateBasedStatement: Match.anyValue() },
        }),
        Match.objectLike({ OverrideAction: action }),
      ],
    });
    template.resourceCountIs("AWS::WAFv2::WebACLAssociation", 1);
  });
});

describe("a private REST API with tokens", () => {
  const template = templateOf({ api: PRIVATE_API_ONLY, access: ACCESS_BY_TOKEN });

  it("asks the function authorize about the Authorization header, and keeps its word for a minute", () => {
    const { body, methods } = restApiOf(template);
    expect(methods.filter(isOpen)).toEqual([]);
    const { caller } = body.components.securitySchemes;
    expect(caller).toMatchObject({
      "x-amazon-apigateway-authtype": "custom",
      "x-amazon-apigateway-authorizer": {
        type: "request",
        identitySource: "method.request.header.Authorization",
        authorizerResultTtlInSeconds: 60,
      },
    });
    expect(JSON.stringify(caller)).toContain("authorizeFunctionAliaslive");
  });

  it("serves NetBox's dialect", () => {
    const { body } = restApiOf(template);
    expect(Object.keys(body.paths["/api/{path+}"]).sort()).toEqual([
      "delete",
      "get",
      "head",
      "options",
      "patch",
      "post",
      "put",
      "x-amazon-apigateway-any-method",
    ]);
    expect(JSON.stringify(body.paths["/api/{path+}"].post)).toContain("netboxFunctionAliaslive");
  });

  it("lets only its authorizer ask authorize", () => {
    const [permission] =
      Object.entries(template.findResources("AWS::Lambda::Permission")).find(([id]) =>
        id.startsWith("authorize"),
      ) ?? [];
    expect(JSON.stringify(template.toJSON().Resources[permission ?? ""])).toContain(
      '"/authorizers/*"',
    );
  });
});
